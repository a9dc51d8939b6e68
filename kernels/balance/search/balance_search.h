// SPDX-License-Identifier: Apache-2.0
// Finds the strategy with the smallest makespan within the memory of every stage: starts from the exact optimum of
// the published proxy, the even split, the naive strategies and those of the caller, improves by local search within
// a budget of evaluations, and proves small tasks. The answer depends on the task and its budget only.
#pragma once

#include "kernels/balance/proxy/proxy.h"
#include "kernels/balance/search/balance_task.h"

enum { BALANCE_BUDGET = 300000 }; // evaluations by default

enum balance_outcome {
    BALANCE_FOUND,
    BALANCE_STOPPED,    // by the poll; the best strategy so far, if has_strategy
    BALANCE_INFEASIBLE, // see `lack`
};

// A strategy and what it costs.
struct balance_candidate {
    bool is_known;
    struct balance_strategy strategy; // count: of the caller
    double makespan;
};

struct balance_answer {
    struct balance_candidate best,
        proxy;          // within memory; proxy: the optimum of the published problem
    double proxy_value; // Z of that optimum
    bool proxy_is_proven;
    double bound;   // no strategy within memory has a smaller makespan
    bool is_proven; // the best strategy is optimal: the bound is its makespan
    int64_t evaluations;
    struct proxy_lack lack; // of BALANCE_INFEASIBLE
};

struct balance_search; // memory for one shape; one thread

// Takes the memory for tasks of these layers and this shape; NULL if the room only counts.
struct balance_search *balance_search_take(const struct balance_layers *layers,
                                           const struct balance_shape *shape, bool allow_empty,
                                           struct room *room);

// Solves a task. starts: strategies of the shape that the answer must not be worse than, if they fit; may be NULL.
// level: of the proxy, 0 to 2. poll: may be NULL.
enum balance_outcome balance_search_run(struct balance_search *search,
                                        const struct balance_task *task, int32_t level,
                                        const struct balance_strategy *starts, int32_t n_starts,
                                        struct poll *poll, struct balance_answer *answer);

// Returns the replay of the shape, which holds its order and its vectors in flight.
struct balance_replay *balance_search_replay(struct balance_search *search);
