// SPDX-License-Identifier: Apache-2.0
// The load of lanes over time, in bins of equal width: how much work a lane does in a bin. Its
// memory grows neither with the number of segments nor with the time they span.
#pragma once

#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// If a segment ends behind the last bin, all bins become wider by a power of two. So a timeline
// fills more than half of the bins.
enum { PPS_LOAD_BINS = 1024 };

// Empty if n_tracks and begin are set and all other fields are zero.
struct pps_load {
    int32_t n_tracks;
    double begin; // of bin 0; segments end behind it
    double width; // of a bin, a power of two; 0: no segment yet
    float *work;  // [(group * n_tracks + track) * PPS_LOAD_BINS + bin]: rate by time, in bins
    size_t n_groups;
};

void pps_load_free(struct pps_load *load);

// Adds a segment: its rate counts for its time. Returns false if memory runs out.
bool pps_load_add(struct pps_load *load, const struct pps_piece *piece);

// Returns whether the lane has a segment with work.
bool pps_load_has(const struct pps_load *load, int32_t group, int32_t track);

// Returns the number of bins that begin before `end`.
int pps_load_bins(const struct pps_load *load, double end);

// Returns the mean over bins first ... first + n - 1 of the sum of the rates of a lane, up to the
// time `end`: 1 if one task runs at full rate all the time.
double pps_load_mean(const struct pps_load *load, int32_t group, int32_t track, int first,
                     int n, double end);
