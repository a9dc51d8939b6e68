// SPDX-License-Identifier: Apache-2.0
// Proves that a strategy is optimal, or finds a better one: lists the fillings of every stage that may be part of a
// better strategy (balance_fillings.h), and decides among them (kernels/common/options/split_branch.h).
#pragma once

#include "kernels/balance/search/balance_bound.h"

struct balance_proof; // one thread

// Takes the memory for tasks of a shape; NULL if the room only counts.
struct balance_proof *balance_proof_take(const struct balance_layers *layers,
                                         const struct balance_shape *shape, bool allow_empty,
                                         struct room *room);

struct balance_proof_answer {
    bool is_complete;                 // all strategies below `best` were tried
    double bound;                     // no strategy has a smaller makespan; 0: none was found
    bool has_better;                  // than the makespan given
    double makespan;                  // of the better strategy
    struct balance_strategy strategy; // count: of the caller
    int64_t evaluations;
};

// Tries the strategies that may be faster than `best`, with at most `budget` evaluations. The bound has been found for the
// task and its replay.
void balance_proof_run(struct balance_proof *proof, const struct balance_task *task,
                       struct balance_bound *bound, struct balance_replay *replay, double best,
                       int64_t budget, struct poll *poll, struct balance_proof_answer *answer);
