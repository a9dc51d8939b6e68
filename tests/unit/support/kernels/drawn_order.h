// SPDX-License-Identifier: Apache-2.0
// Draws pipelines and orders of operations of every kind: placements, slices, channels, pairs.
#pragma once

#include "kernels/common/executor/executor.h"

#include "tests/unit/support/random.h"

enum { DRAWN_ROOM = 512 };

struct drawn_order {
    struct pipeline *pipeline;
    struct order *order;
    struct executor *executor;
    char *memory;
    double starts[8 * DRAWN_ROOM], ends[8 * DRAWN_ROOM], release[8];
};

// Returns a pipeline of at most 4 devices, an order with the right operations that mostly runs, and an
// executor for it. The caller frees them with drawn_order_free.
struct drawn_order *drawn_order_new(struct random *r);
void drawn_order_free(struct drawn_order *b);

// Breaks one thing in some orders.
void drawn_order_spoil(struct random *r, struct drawn_order *b);

void drawn_swap(struct order *o, int32_t d, int32_t i, int32_t j);

int32_t drawn_within(struct random *r, int32_t least, int32_t most);
