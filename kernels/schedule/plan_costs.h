// SPDX-License-Identifier: Apache-2.0
// Sets the work of a pipeline from a plan, whatever chunks and directions its schedule has.
#pragma once

#include "kernels/common/plan/plan.h"

// Factors of the plan's times and memory.
struct plan_scale {
    double f, b, w, memory_b, memory_w;
};

// Sets times, memory and messages of the stages, and what devices hold all the time. The pipeline has
// as many devices as the plan, and its stages have devices. If stages and devices are those of the
// plan, every stage costs what it costs in the plan; otherwise the work of a device is divided equally
// among its stages, and the head and the tail of the plan's layers, if it knows them, move to the first and
// the last stage. In a second direction a device also holds what the device of the other end holds.
void plan_costs_set(struct pipeline *pipeline, const struct plan *plan,
                    const struct plan_scale *scale);
