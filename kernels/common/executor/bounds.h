// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of the time of a step that hold for every order of a pipeline's operations,
// whatever the split of backwards and the direction of micro-batches.
#pragma once

#include "kernels/common/executor/executor_times.h"

struct bounds {
    double load;   // the first message to a device, then all its operations; makespan only
    double work;   // all operations of a device
    double chain;  // one micro-batch through all stages and back
    double memory; // activations that live as short as possible within the limit of a device
    double makespan, span;
};

void bounds_of(const struct pipeline *pipeline, struct bounds *bounds);

// Elements of the array that bounds_of_times needs, for each device.
enum { BOUNDS_ROOM = 7 * EXECUTOR_LANES };

// Computes the bounds of replicates that know all their times: "clairvoyant". bounds: [EXECUTOR_LANES].
// All are 0 if the times depend on the start (times->duration). room: [BOUNDS_ROOM * devices].
void bounds_of_times(const struct pipeline *pipeline, const struct executor_times *times,
                     double *room, struct bounds *bounds);
