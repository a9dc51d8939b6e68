// SPDX-License-Identifier: Apache-2.0
// Runs episodes: a policy that explores decides one step of a problem, and every decision gets an
// advantage.
//
// The reward of a decision is the time until the next decision that the policy loses against the guide, by
// the nominal work of the busiest device, in percent. The guide runs the same replicate. The sum of all
// rewards is the difference of the two makespans: G(w) is the time at which the guide has started the
// work w, and the reward from (t, w) to (t', w') is -((t' - t) - (G(w') - G(w))). Noise that meets both
// alike cancels.
#pragma once

#include "extras/learning/problem.h"
#include "kernels/schedule/online/pull.h"
#include "kernels/schedule/policy/features.h"

// Decisions with at least two candidates that a training remembers of an episode at most; of a longer
// episode, every second, third ... one.
enum { EPISODE_DECISIONS = 384, EPISODE_CANDIDATES = 7 };

struct episode_decision {
    int16_t n, guide, chosen;
    float log_p;     // of the candidate chosen, when it was chosen
    float value;     // at that time
    float advantage; // GAE (Schulman and others 2016)
    float target;    // of the value
    float gain
        [EPISODE_CANDIDATES]; // rollouts_run: of each candidate against the chosen one, in periods
};

// Decisions of episodes.
struct episode_log {
    int32_t n, room;
    struct episode_decision *decision; // [room]
    float *candidate;                  // [room][EPISODE_CANDIDATES][FEATURES_CANDIDATE]
    float *state;                      // [room][FEATURES_STATE]
};

void episode_log_take(struct episode_log *log, int32_t decisions, struct room *room);

struct episode; // memory of one thread

struct episode *episode_take(const struct problem_space *space,
                             const struct network_shape *shape, struct room *room);

struct episode_rule {
    const double *parameters; // of the networks
    struct pull_rule guide;
    struct pull_rule baseline; // whose makespans are the guide's in the result
    double lambda;             // of the advantages
    bool explore;              // false: the candidate with the largest score; nothing is logged
};

struct episode_result {
    double makespan[EXECUTOR_LANES], guide[EXECUTOR_LANES]; // of the policy and of the baseline
    double work;                                            // of the busiest device
};

// Runs replicates number * EXECUTOR_LANES and following, EXECUTOR_LANES of them, of problem `number` of a seed.
// Appends to the log, which has room for EXECUTOR_LANES * EPISODE_DECISIONS more. Returns false if the poll
// ended it.
bool episode_run(struct episode *episode, const struct problem_space *space, uint64_t seed,
                 uint64_t number, const struct episode_rule *rule, struct poll *poll,
                 struct episode_log *log, struct episode_result *result);
