// SPDX-License-Identifier: Apache-2.0
// What was measured of a training, and what the model says of it.
#pragma once

#include "base/text/status.h"
#include "planner/check/trainings.h"

enum measured_end {
    MEASURED_UNKNOWN,
    MEASURED_RAN,
    MEASURED_RAN_OUT, // of memory
};

struct measured {
    const char *path;
    struct training_case training;
    double seconds; // of a step; 0: not measured
    double peak;    // bytes of the fullest device; 0: not measured
    enum measured_end end;
};

// Takes times of steps, peaks and the end of the run from a log, or from all logs of a folder.
PPS_MUST_CHECK enum pps_status measured_take_log(struct measured *measured, const char *path,
                                                 struct pps_error *err);

// Returns whether anything was measured.
static inline bool measured_any(const struct measured *m)
{
    return m->seconds > 0 || m->peak > 0 || m->end != MEASURED_UNKNOWN;
}

// Returns the predicted peak with another share of activations that the allocator adds.
double measured_predict_peak(const struct measured *measured, double fragmentation);

enum { MEASURED_MOST = 64 };

// Errors: means of absolute errors before, after, and of trainings that the fit did not see.
struct learned_errors {
    int n;
    double before, after, left_out; // left_out: not a number for one training
};

struct learned {
    double scale;              // of all times
    double fragmentation;      // of the allocator
    bool at_end;               // of the range of this share
    bool has_time, has_memory; // something was measured
    struct learned_errors times, peaks;
    int ends, ends_before,
        ends_after; // known ends, and how many the model tells before and after
};

// Fits one factor of all times, and the share that the allocator adds, to trainings of one stack.
void measured_learn(struct learned *learned, const struct measured *list, int n);
