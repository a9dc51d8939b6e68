// SPDX-License-Identifier: Apache-2.0
// Plays the passes of a pipeline step: start and end of each pass if it starts as early as its order
// allows, and the memory that its stage holds. The caller chooses the units of time and memory.
#ifndef PPS_COMMON_PIPELINE_PASSES_H
#define PPS_COMMON_PIPELINE_PASSES_H

#include "kernels/common/pipeline/orders.h"

#include <stdbool.h>
#include <stdint.h>

struct pass {
    int32_t stage;
    struct orders_task task;
    double start, end;
    double held; // memory of the stage, from the start of a forward or the end of a backward on
};

struct passes {
    struct orders_shape shape;

    // The caller fills these between passes_open and passes_play. Matrices are
    // [chunk * stages + stage].
    double *forward, *backward; // duration of a pass
    double *kept;               // memory stored from a forward to its backward
    bool *recomputes;           // the backward recomputes some activations
    double *fixed;              // [stages]: memory held during the whole step
    double *limit;              // [stages]: memory limit; INFINITY at first
    double hop;                 // transfer time between two stages

    int32_t n;
    struct pass *list; // stage after stage, each in its order
    double makespan;
};

// Allocates the arrays, all zero except the limits. The shape has passed orders_check. Returns
// false when out of memory. After an error there is nothing to free.
bool passes_open(struct passes *passes, const struct orders_shape *shape);
bool passes_play(struct passes *passes);
void passes_free(struct passes *passes);

// Sorts by start, then by stage.
void passes_sort(struct passes *passes);

#endif
