// SPDX-License-Identifier: Apache-2.0
// Holds the micro-batches of one training step of a pipeline when all of them differ, and the pipeline that
// they go through. Times are in us, memory in MB (10^6 bytes).
//
// The structures own nothing: their arrays lie in a room (micro_batches_take) or belong to the caller.
#pragma once

#include "kernels/common/plan/room.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    DYNAPIPE_DEVICES_MAX = 1024,
    DYNAPIPE_STAGES_MAX = 4096,
    DYNAPIPE_MICRO_BATCHES_MAX = 65536,
};

// Which layers of a stage compute their forward again before the backward. The values are part of files.
enum dynapipe_recompute {
    DYNAPIPE_KEEP = 0, // nothing is computed again
    DYNAPIPE_FULL = 1,
    DYNAPIPE_SELECTIVE = 2,
    DYNAPIPE_RECOMPUTE_TYPES = 3,
};

// A pipeline. A stage is a maximal run of consecutive layers on one device.
struct dynapipe_pipeline {
    int32_t devices, stages;
    const int32_t *device_of; // [stages]
    const double *state; // [devices]: parameters, gradients and optimiser of all its stages
    const double *limit; // [devices]: of the memory; INFINITY: none
};

// The micro-batches of one replica: arrays over [m * stages + s]. The transfers of the last stage are 0, as
// are those between stages of one device.
struct micro_batches {
    int32_t count, stages;
    double *forward, *backward; // time of a pass
    double *stored;             // memory that is kept from the forward to the backward
    double *peak;               // highest additional memory while the forward runs
    double *
        backward_peak; // memory beside what is stored while the backward runs: what it makes again
    double *activation, *gradient; // time of the transfer s -> s + 1 behind a forward, and back
};

static inline int64_t micro_batches_at(const struct micro_batches *batches, int32_t micro_batch,
                                       int32_t stage)
{
    return (int64_t)micro_batch * batches->stages + stage;
}

// Copies what a micro-batch costs at a stage. of: those with the recomputation that the stage has; keep: those whose
// transfers hold.
static inline void micro_batches_copy(struct micro_batches *to, int64_t at,
                                      const struct micro_batches *of,
                                      const struct micro_batches *keep, int64_t from)
{
    to->forward[at] = of->forward[from];
    to->backward[at] = of->backward[from];
    to->stored[at] = of->stored[from];
    to->peak[at] = of->peak[from];
    to->backward_peak[at] = of->backward_peak[from];
    to->activation[at] = keep->activation[from];
    to->gradient[at] = keep->gradient[from];
}

// Takes the arrays from the room; their values are not set.
void micro_batches_take(struct micro_batches *batches, int32_t count, int32_t stages,
                        struct room *room);
