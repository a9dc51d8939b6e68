// SPDX-License-Identifier: Apache-2.0
// The state of a trainer, which its files share.
#pragma once

#include "extras/learning/evolution.h"
#include "extras/learning/ppo.h"
#include "extras/learning/rollouts.h"
#include "extras/learning/stop.h"
#include "extras/learning/trainer.h"

#include <stdatomic.h>

struct trainer {
    struct trainer_options options;
    int threads;
    struct episode **episode;      // [threads]
    struct rollouts **rollouts;    // [threads]; TRAINER_ROLLOUTS
    struct episode_log *logs;      // [problems]
    struct episode_result *result; // [problems or validation]
    struct descent *descent;
    struct descent_state state, before; // before: the state before the batch
    double *best;
    struct pull_rule guide, best_guide; // of `state` and of `best`
    double *members[2]; // evolution: [EVOLUTION_MEMBERS][n], numbers and parameters
    struct trainer_value best_value;
    struct trainer_batch *curve; // [batches of the training]
    int64_t done;
    size_t bytes;
    void *memory;
};

// Problems that all threads share.
struct trainer_job {
    struct trainer *trainer;
    struct episode_rule rule;          // of all tasks, or
    const struct episode_rule *member; // of each member; NULL: `rule`
    uint64_t first;                    // number of the first problem
    int32_t n;                         // problems
    int members;                       // 0: one
    bool measure;                      // run rollouts
    struct stop stop;
    atomic_int next;
};

// Runs the problems on all threads: those of member m have the results from m * n on. Returns false if the
// poll ended it.
bool trainer_run_job(struct trainer_job *job);

// Returns the mean difference to the baseline, in percent of the work of the busiest device.
double trainer_difference(const struct episode_result *result);

// Runs a generation of TRAINER_EVOLUTION.
bool trainer_evolve(struct trainer *trainer, struct poll *poll, struct trainer_batch *batch);
