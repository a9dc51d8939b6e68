// SPDX-License-Identifier: Apache-2.0
// Finds the critical path of an executed order: the chain of operations and messages, without a pause,
// that ends last.
#pragma once

#include "kernels/common/executor/executor.h"

// The time that the path spends in each kind; the sum is the makespan. A whole backward counts as B and
// W; a unit with a time of its own counts as its parts in proportion.
struct critical {
    double f, b, w, r;
    double messages;    // and waits for channels
    double start;       // before the first operation: release times
    int64_t operations; // of the path
};

// Walks back from the operation that ends last; where the device and a message are ready at the same
// time, along the device. `poll` may be NULL. Returns false if the poll ends the walk.
bool critical_of(const struct pipeline *pipeline, const struct order *order,
                 const double *starts, const double *ends, struct poll *poll,
                 struct critical *critical);
