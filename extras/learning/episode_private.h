// SPDX-License-Identifier: Apache-2.0
// The memory of an episode, which its files share.
#pragma once

#include "extras/learning/episode.h"

enum { DECISION_STEPS = 16 }; // of a poll

// A point of the curve G: the guide has started the work at the time.
struct progress {
    double work, time;
};

// A decision of the current episode with at least two candidates.
struct moment {
    double time, work, value;
    int32_t logged; // number in the log; -1: not logged
};

struct episode {
    struct problem problem;
    struct online *online;
    struct features features;
    struct network *network;
    struct executor_times times;
    uint8_t *waits; // [devices]: of pull_choose
    double *candidate, *state, *score;
    struct progress *curve; // [operations + 1]
    struct moment *moment;  // [2 operations]: every wait ends with an arrival
    int32_t n_curve, n_moments;
};

// Returns the first replicate of a problem.
static inline uint32_t episode_replicate(uint64_t number)
{
    return (uint32_t)(number * EXECUTOR_LANES);
}

// Draws a problem and the times of its replicates, and opens the environment. Returns false if the poll ended it.
bool episode_open(struct episode *episode, const struct problem_space *space, uint64_t seed,
                  uint64_t number, struct poll *poll);

// Runs a step by the baseline of a rule. Returns false if the poll ended it.
bool episode_run_guide(struct episode *episode, const struct episode_rule *rule, int lane,
                       struct poll *poll);

// A decision as a policy sees it.
struct episode_view {
    int n;     // candidates; below 2: the guide decides
    int guide; // the candidate that the guide would choose
};

struct episode_view episode_see(struct episode *episode, const struct pull_rule *guide,
                                const struct online_decision *decision);

// Sets episode->score to the scores of the candidates, and episode->candidate and ->state
// to the features.
void episode_score(struct episode *episode, const double *parameters,
                   const struct online_decision *decision, const struct episode_view *view);

// Returns the candidate with the largest score, of equal ones the first.
int32_t episode_best(const double *score, int n);

// Appends a view with the features of the episode to a log. The caller sets the rest of the decision.
struct episode_decision *episode_put(const struct episode *episode,
                                     const struct episode_view *view, struct episode_log *log);
