// SPDX-License-Identifier: Apache-2.0
// Predicts the remaining time of a run from the time and the work so far, with the work that
// the kernel predicts. Recent work has more weight, since predictions of the kernel may be
// wrong. Arithmetic only.
#pragma once

#include "engine/forecast/workload.h"

#include <stdint.h>

// ---- passed -------------------------------------------------------------------------------------

struct pps_passed {
    uint64_t points;
    uint64_t rows;     // or evaluated points, if only the best rows are kept
    uint64_t live;     // points that were not skipped
    uint64_t computed; // of these, points computed by the kernel, not pruned or recalled
};

// Called after each block, by one thread at a time but not always the same. `passed` NULL: no
// call.
struct pps_watch {
    void *self;
    void (*passed)(void *self, const struct pps_passed *passed);
};

// ---- pace ---------------------------------------------------------------------------------------

struct pps_pace {
    const struct pps_workload *workload;
    double first, whole; // first point of the run, and number of points of the whole list
    double seconds;      // time of the last step
    struct pps_passed passed;
    double time, work;     // sums over the steps, weighted by time
    double live, computed; // sums over the steps, weighted by scanned points
};

// Starts the pace of a run from point `first` on, of `whole` points. The workload is first read
// at the first step and must outlive the pace.
void pps_pace_begin(struct pps_pace *pace, const struct pps_workload *workload, uint64_t first,
                    uint64_t whole);

// Adds a step: the counts of the run `seconds` after its start.
void pps_pace_step(struct pps_pace *pace, double seconds, const struct pps_passed *passed);

// Returns the remaining seconds; 0 before the first step.
double pps_pace_left(const struct pps_pace *pace);
