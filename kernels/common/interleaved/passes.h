// SPDX-License-Identifier: Apache-2.0
// Plays the passes of a pipeline step: start and end of each pass if it starts as early as its order
// allows, and the memory that its stage holds. The caller chooses the units of time and memory.
#pragma once

#include "kernels/common/interleaved/timed_order.h"

#include <stdbool.h>
#include <stdint.h>

struct pass {
    int32_t stage; // device
    struct operation operation;
    double start, end;
    double held; // memory of the stage, from the start of a forward or the end of a backward on
};

struct passes {
    struct orders_shape shape;

    // The caller sets times, fixed and limit of the pipeline, and links.latency, between passes_open and
    // passes_play. A stage of the pipeline is chunk * stages + stage.
    struct timed_order timed;
    double *kept; // [stages of the pipeline]: memory from a forward to its backward, all splits

    int32_t n;
    struct pass *list; // stage after stage, each in its order
    double makespan;
};

// Allocates the arrays, all zero except the limits, and builds the order. The shape has passed
// orders_check. Returns false when out of memory; passes_free may be called then.
bool passes_open(struct passes *passes, const struct orders_shape *shape);
bool passes_play(struct passes *passes);
void passes_free(struct passes *passes);
