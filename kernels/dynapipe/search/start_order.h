// SPDX-License-Identifier: Apache-2.0
// Orders micro-batches by simple rules, from which searches start.
#pragma once

#include "kernels/dynapipe/search/plan_task.h"

enum start_order {
    START_GIVEN,
    START_LONG_FIRST,
    START_SHORT_FIRST,
    START_ALTERNATING, // long, short, long, ...
    START_JOHNSON, // Johnson, Naval Research Logistics Quarterly 1, 1954: first and last stage as two machines
    START_ORDERS,
};

// Writes an order of all micro-batches. key: [count], temporary.
void start_order_write(const struct plan_task *task, enum start_order which, double *key,
                       int32_t *order);

// What all stages recompute of all micro-batches at a start: a type, or what keeps the least.
enum { START_TYPES = DYNAPIPE_RECOMPUTE_TYPES + 1 };

// Writes the recomputation of a start, [count * stages]. Returns false if its type is not allowed.
bool start_recompute_write(const struct plan_task *task, int type, uint8_t *recompute);
