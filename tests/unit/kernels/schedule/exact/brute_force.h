// SPDX-License-Identifier: Apache-2.0
// Finds the optimum of a small pipeline by trying all orders. Plain code of its own.
#pragma once

#include "kernels/common/plan/pipeline.h"

// The least makespan and the least span of all orders within the limits; INFINITY: none. At most 6 stages,
// 6 micro-batches and 18 operations of a device.
struct brute_optimum {
    double makespan, span;
};

struct brute_optimum exhaustive_optimum(const struct pipeline *pipeline);
