// SPDX-License-Identifier: Apache-2.0
// Repeats the experiment of the published project (extras/serial): its greedy scheduler against
// its learned one, at several levels of noise.
#pragma once

#include "base/text/status.h"
#include "extras/serial/serial.h"

#include <stdatomic.h>

struct pps_args;

// Options of `ppsweep schedule judge` that only --compat orig has.
#define PUBLISHED_OPTIONS                                                                      \
    {"episodes", 0, "N", "--compat orig: episodes of training in each trial (50)"},            \
        {"size", 0, "N", "--compat orig: samples of a micro-batch (32)"},                      \
        {"base", 0, "TIME", "--compat orig: time of a forward per sample (1)"},                \
    {                                                                                          \
        "base-comm", 0, "TIME", "--compat orig: time of a message per sample (0.5)"            \
    }

struct published_request {
    struct serial_problem problem; // without level
    const double *level;           // [n_levels]
    int n_levels;
    int trials;       // of each level, at least 2; trial t has seed + t
    int32_t episodes; // of training in each trial
    uint64_t seed;
};

// One trial: greedy, then training, then learned, with numbers of one generator.
struct published_trial {
    double greedy, learned; // total time
    double bubble[2];       // greedy, learned
    double reward[2];       // of one step before and after the training
    bool stopped, out_of_memory;
};

// Runs all trials, [level * trials + trial], with the same bits for any number of threads.
PPS_MUST_CHECK enum pps_status published_run(const struct published_request *request,
                                             int threads, const atomic_bool *stop,
                                             struct published_trial *trials,
                                             struct pps_error *err);

// Runs the greedy scheduler once without noise.
PPS_MUST_CHECK enum pps_status published_quiet(const struct published_request *request,
                                               struct serial_result *result,
                                               struct pps_error *err);

// Prints the means, what explains them, and the schedules of the same pipeline with a clock per device.
PPS_MUST_CHECK enum pps_status published_show(const struct published_request *request,
                                              const struct published_trial *trials,
                                              struct pps_error *err);

// Runs and prints.
PPS_MUST_CHECK enum pps_status published_judge(const struct published_request *request,
                                               int threads, const atomic_bool *stop,
                                               struct pps_error *err);

// `ppsweep schedule judge --compat orig`: reads devices (4), micro-batches (6), levels (0,0.1,0.2,0.3),
// replicates (10 trials), seed (42), threads and PUBLISHED_OPTIONS, runs and prints.
PPS_MUST_CHECK enum pps_status published_main(const struct pps_args *args,
                                              struct pps_error *err);
