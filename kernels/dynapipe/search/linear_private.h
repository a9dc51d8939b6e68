// SPDX-License-Identifier: Apache-2.0
// Holds the state of a search for linear plans.
#pragma once

#include "kernels/dynapipe/search/linear_search.h"

struct linear_search {
    int32_t count, stages;
    struct linear *linear;
    struct linear_plan best, current, trial;
    double *key;      // [count]: for sorting
    uint8_t *decided; // [count * stages]: recomputation that an enumeration has chosen
    double bound;     // no plan has a smaller makespan

    // Of the present task.
    const struct plan_task *task;
    struct poll *poll;
    enum linear_warm_ups warm_ups;
    double makespan; // of the best plan; INFINITY: none
    int64_t evaluations;
    int64_t enumerated; // evaluations at which an enumeration gives up
    uint64_t draw;      // of random numbers
    bool is_over;       // the poll has ended the search
    // Where the trial plan may differ from the present one, which fits:
    bool changes_order;
    int32_t changes_recompute; // of a stage; -1: none
};

// Returns the steps of a poll that an evaluation counts as.
static inline uint64_t linear_steps(const struct linear_search *search)
{
    return POLL_STEPS / 16 + (uint64_t)search->count * (uint64_t)search->stages;
}

// Evaluates the trial plan, which fits in memory, and keeps it if it is better than the best one. at_most: as of linear_evaluate, not below the best makespan.
double linear_try(struct linear_search *search, double at_most);

// Makes the trial plan fit in memory: recomputes random micro-batches that are in flight at the peak, or holds fewer of
// them. Returns false if the warm-ups are fixed and nothing helps.
bool linear_fit(struct linear_search *search, bool prefers_fewer);

// Sets the warm-up of a device without limits of memory.
int32_t linear_warm_up(const struct linear_search *search, enum linear_warm_ups which,
                       int32_t stage);

// Tries simple plans: orders, warm-ups, recomputation.
void linear_starts(struct linear_search *search);

// Enumerates all plans if half of the budget suffices. Returns whether it did.
bool linear_enumerate(struct linear_search *search);
