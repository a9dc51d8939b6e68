// SPDX-License-Identifier: Apache-2.0
// Times of the items of one stage and one purpose: what the drawing of replicates and the durations that
// depend on the start share.
#pragma once

#include "base/math/normal.h"
#include "kernels/schedule/noise/noise.h"

enum { NOISE_BLOCK = 32 }; // items at a time

// The items of a stage, for one purpose.
struct noise_row {
    const struct noise *noise;
    const struct normal_rows *rows;
    uint32_t key[2];
    uint32_t first; // replicate of lane 0
    enum noise_purpose purpose;
    uint32_t place; // direction * 2^23 + stage
    uint32_t device;
    uint32_t window; // number
    double nominal, level;
    double scale[EXECUTOR_LANES]; // of a device that is slow
};

// Returns the row of an operation or a message with no slow device, in window 0. stage: of the operation,
// or of the sender.
struct noise_row noise_row_of(const struct noise *noise, const struct pipeline *pipeline,
                              uint32_t first, enum noise_purpose purpose, int32_t part);

// Fills the times of n items, at most NOISE_BLOCK: [n * EXECUTOR_LANES].
void noise_row_draw(const struct noise_row *row, uint32_t item, uint32_t n, double *out);

// Sets how much longer than nominal the operations of a device take in each lane while it is slow.
void noise_slowness(const struct noise_row *row, double scale[EXECUTOR_LANES]);

// Returns whether a device is slow for a part of the step only.
static inline bool noise_is_temporary(const struct noise *noise)
{
    return noise->until > 0 && (noise->straggler_p > 0 || noise->straggler != NULL);
}

// Returns whether operations share normal numbers.
static inline bool noise_is_grouped(const struct noise *noise)
{
    return noise->group != NOISE_ALONE && noise->rho > 0 && noise->level > 0;
}

// The duration of a piece in a lane of the replicates that noise_draw has drawn.
double noise_duration(const struct executor_times *times, const struct executor_piece *piece);
