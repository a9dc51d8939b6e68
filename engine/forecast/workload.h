// SPDX-License-Identifier: Apache-2.0
// Estimates how the work of a sweep is distributed over its points, from `cost` of the kernel
// at a few points. Used to predict the remaining time: rough, and deterministic.
#pragma once

#include "engine/experiment/experiment.h"

enum { PPS_WORKLOAD_PIECES = 1024 };

// Nanoseconds, up to a constant factor of the machine.
struct pps_work {
    double passing;   // for visiting all points
    double computing; // for computing all points that are not skipped, in addition
};

// A zeroed workload treats all points as equal.
struct pps_workload {
    int n; // number of pieces, with equal numbers of points
    struct pps_work
        before[PPS_WORKLOAD_PIECES + 1]; // work before each piece: mean per point times `n`
};

// Returns the work of one point; moves the cursor to this point.
struct pps_work pps_work_of_point(struct pps_cursor *cursor,
                                  const struct pps_experiment *experiment, uint64_t index);

// Samples one point of every piece. Without memory, the workload treats all points as equal.
void pps_workload_measure(struct pps_workload *workload,
                          const struct pps_experiment *experiment);

// Work in the first `part` (0 to 1) of the points, in units of the work of a mean point.
struct pps_work pps_workload_before(const struct pps_workload *workload, double part);
