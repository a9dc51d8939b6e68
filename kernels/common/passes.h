// SPDX-License-Identifier: Apache-2.0
// The passes of a pipeline's step: when each runs if it starts as early as its order allows, and
// what its stage holds from then on. Time and memory have whatever unit the caller's figures have.
#ifndef PPS_PASSES_H
#define PPS_PASSES_H

#include "orders.h"

#include <stdbool.h>
#include <stdint.h>

struct pass {
    int32_t stage;
    struct orders_task task;
    double start, end;
    double held; // by the stage: from the start of a forward, from the end of a backward on
};

struct passes {
    struct orders_shape shape;

    // Of the caller, between passes_open and passes_play. Matrices are [chunk * stages + stage].
    double *forward, *backward; // how long a pass is
    double *kept;               // what a forward leaves until its backward
    bool *recomputes;           // some of it is made again in the backward
    double *fixed;              // [stages]: held all the time
    double *limit;              // [stages]: what it should stay within; INFINITY at first
    double hop;                 // time from one stage to another

    int32_t n;
    struct pass *list; // stage after stage, each in its order
    double makespan;
};

// All zero but the limits. The shape has passed orders_check. passes_free() whatever comes back;
// false: no memory.
bool passes_open(struct passes *passes, const struct orders_shape *shape);
bool passes_play(struct passes *passes);
void passes_free(struct passes *passes);

// By their start; of equal ones by stage.
void passes_sort(struct passes *passes);

#endif
