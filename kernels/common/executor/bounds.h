// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of the time of a step that hold for every order of a pipeline's operations,
// whatever the split of backwards and the direction of micro-batches.
#ifndef PPS_COMMON_EXECUTOR_BOUNDS_H
#define PPS_COMMON_EXECUTOR_BOUNDS_H

#include "kernels/common/plan/pipeline.h"

struct bounds {
    double load;   // the first message to a device, then all its operations; makespan only
    double work;   // all operations of a device
    double chain;  // one micro-batch through all stages and back
    double memory; // activations that live as short as possible within the limit of a device
    double makespan, span;
};

void bounds_of(const struct pipeline *pipeline, struct bounds *bounds);

#endif
