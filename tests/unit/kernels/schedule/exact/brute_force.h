// SPDX-License-Identifier: Apache-2.0
// Finds the optimum of a small pipeline by trying all orders. Plain code of its own.
#ifndef TESTS_KERNELS_SCHEDULE_EXACT_BRUTE_FORCE_H
#define TESTS_KERNELS_SCHEDULE_EXACT_BRUTE_FORCE_H

#include "kernels/common/plan/pipeline.h"

// The least makespan and the least span of all orders within the limits; INFINITY: none. P <= 6, M <= 6.
struct brute_optimum {
    double makespan, span;
};

struct brute_optimum brute_force(const struct pipeline *pipeline);

#endif
