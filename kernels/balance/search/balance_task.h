// SPDX-License-Identifier: Apache-2.0
// Says what a search for strategies has to balance, and how long it may take.
#pragma once

#include "kernels/balance/model/replay.h"

#define BALANCE_TOLERANCE_MB 1e-6 // a stage fits if its peak is at most the limit and this

struct balance_task {
    const struct balance_layers *layers; // `has` names the kinds that a strategy may use
    struct balance_shape shape;          // that has passed balance_shape_misfit
    double limit_mb;                     // of every device
    bool allow_empty;                    // chunks without body layers
    int64_t budget;                      // evaluations: makespans of complete strategies
    uint64_t seed;
};

// The least number of body layers of a chunk.
static inline int32_t balance_least_layers(const struct balance_task *task)
{
    return task->allow_empty ? 0 : 1;
}
