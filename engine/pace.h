// SPDX-License-Identifier: Apache-2.0
// How long the rest of a run takes, judged by how long it took for the work so far: the work that
// the kernel foretells, as far as it was really done. What was done of late counts for more, since
// a kernel may err. Arithmetic only.
#ifndef PPS_PACE_H
#define PPS_PACE_H

#include "workload.h"

#include <stdint.h>

// What a run has passed so far, all of it counted from its beginning.
struct pps_passed {
    uint64_t points;
    uint64_t rows;     // or points judged, of a run that keeps the best alone
    uint64_t live;     // points that were not left out
    uint64_t computed; // of these, by the kernel: others were spared, or known already
};

struct pps_pace {
    const struct pps_workload *workload;
    double first, whole; // points: where the run begins in the list, and how long that is
    double seconds;      // when it had passed this
    struct pps_passed passed;
    double time, work;     // sums over the steps, each weighed by the time that it was
    double live, computed; // the same, weighed by the points passed: spared ones take no time
};

// A run of the points from number `first` on, of `whole`. The workload is read from the first step
// on, and outlives the pace.
void pps_pace_begin(struct pps_pace *pace,
                    const struct pps_workload *workload,
                    uint64_t first,
                    uint64_t whole);

// `seconds` after its beginning the run has passed this.
void pps_pace_step(struct pps_pace *pace, double seconds, const struct pps_passed *passed);

// Seconds; 0 as long as nothing is passed.
double pps_pace_left(const struct pps_pace *pace);

#endif
