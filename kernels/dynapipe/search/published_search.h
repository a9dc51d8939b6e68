// SPDX-License-Identifier: Apache-2.0
// Searches plans as the published planner does (DynaPipe, Jiang et al., EuroSys 2024): a few orders of the
// micro-batches for each method, and recomputation added step by step until the plan fits. Its faults are mended, or kept
// for comparison.
#pragma once

#include "kernels/dynapipe/search/rule.h"

enum { PUBLISHED_FAST_STEPS = 3 }; // adjustments of recomputation in fast mode

struct published_task {
    const struct plan_task *plan; // budget is ignored
    const enum method *methods;   // candidates; of equal makespans the first one wins
    int32_t n_methods;
    enum dynapipe_recompute
        start; // a plan that does not fit without recomputation starts from this type, too
    bool fast; // at most three adjustments
    // Only shorter plans matter: an order is left as soon as it is not, as recomputation makes no schedule shorter. 0: all
    // plans matter.
    double shorter_than;
    // Keeps the faults: plans that do not fit compete with others, the last backward of a device is never relieved, the
    // recomputation of another micro-batch changes, a stage pays for the one that lies opposite, adjustments are counted
    // over all orders, and limits of memory are never tried.
    bool as_published;
};

struct published_answer {
    const struct rule_plan *plan; // of the search; NULL: no method has a schedule
    double makespan;
    bool fits;
    double excess;       // of a plan that does not fit: of the device that lacks most, MB
    int64_t evaluations; // of schedules
    int64_t orders;      // that were tried
    int64_t adjustments;
    int64_t first_fit; // evaluations until the first plan that fits; 0: none
    double worst;      // the longest makespan of an order
};

struct published_search; // memory for one size; one thread

struct published_search *published_search_take(const struct plan_size *size, struct rule *rule,
                                               struct room *room);

// Searches. Returns false if the poll (may be NULL) ended the search; the answer holds the best plan so far.
bool published_search_run(struct published_search *search, const struct published_task *task,
                          struct poll *poll, struct published_answer *answer);
