// SPDX-License-Identifier: Apache-2.0
// Loads a golden case of schedules: the pipeline, the order and the expected figures.
#pragma once

#include "kernels/common/plan/order.h"

struct schedule_golden {
    char name[64], family[32];
    int32_t chunks;              // per device
    int32_t group, limit_chunks; // options; 0: none
    enum pipeline_placement placement;
    struct pipeline *pipeline; // limits: those given to the scheduler, INFINITY without
    struct order *order;       // NULL: the case has no order
    // [order_at], or NULL: the case has only the first start and the last end of a device.
    double *starts, *ends;
    double *first_start, *last_end; // [devices]
    double *busy, *peak;            // [devices]
    double makespan, span, bubble_ratio, bubble_ratio_span;
    double objective_span; // NAN: none
};

// file: the name of a file in tests/golden/schedule. The caller frees the case.
struct schedule_golden *schedule_golden_load(const char *file);
void schedule_golden_free(struct schedule_golden *golden);

// Calls `check` with every case that has an order, and, with family, that is of this family. Returns the
// number of cases.
int schedule_golden_each(const char *family,
                         void (*check)(const struct schedule_golden *golden));

// Asserts that the order of the case equals `order`; prints both orders of the first device that
// differs.
void schedule_golden_same_order(const struct schedule_golden *golden,
                                const struct order *order);
