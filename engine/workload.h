// SPDX-License-Identifier: Apache-2.0
// How the work of a sweep is spread over the list of its points, as the kernel's `cost` tells of a
// few of them. For telling how long the rest takes: rough, and the same every time.
#ifndef PPS_WORKLOAD_H
#define PPS_WORKLOAD_H

#include "experiment.h"

enum { PPS_WORKLOAD_PIECES = 1024 };

// In nanoseconds, up to a factor that the machine knows.
struct pps_work {
    double passing;   // by all points, whatever becomes of them
    double computing; // besides, if all that are not left out are computed
};

// A zeroed one knows nothing: all points are alike.
struct pps_workload {
    int n;                                           // pieces of as many points each
    struct pps_work before[PPS_WORKLOAD_PIECES + 1]; // a piece; a point's mean times `n`
};

// That of one point. The cursor goes there.
struct pps_work pps_work_of_point(struct pps_cursor *cursor,
                                  const struct pps_experiment *experiment,
                                  uint64_t index);

// Asks about one point of every piece. Without memory the workload knows nothing.
void pps_workload_measure(struct pps_workload *workload,
                          const struct pps_experiment *experiment);

// Work of an average point times the part (0 to 1) of the list that comes first.
struct pps_work pps_workload_before(const struct pps_workload *workload, double part);

#endif
