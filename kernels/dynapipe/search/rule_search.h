// SPDX-License-Identifier: Apache-2.0
// Searches plans of one method for any assignment: the order of the micro-batches, their recomputation, and under the
// cyclic rule how many of them each device holds. Simulated annealing improves the best of several simple plans. The
// answer depends on the task only.
#pragma once

#include "kernels/dynapipe/search/rule.h"

struct rule_search; // memory for one size; one thread

// Takes the memory; NULL if the room only counts. rule: evaluates; of the caller.
struct rule_search *rule_search_take(const struct plan_size *size, struct rule *rule,
                                     struct room *room);

// Opens a task for a method: evaluates simple plans. Returns the smallest makespan of those that fit; INFINITY: none
// fits, or the method has no schedule. With the wait-free cyclic method some plan fits if any plan does.
double rule_search_open(struct rule_search *search, const struct plan_task *task,
                        enum method method, struct poll *poll);

// Improves the best plan with so many evaluations. Returns its makespan.
double rule_search_improve(struct rule_search *search, int64_t evaluations);

// What is known of the method that was opened.
struct rule_found {
    const struct rule_plan *best; // that fits; of the search
    double makespan;              // INFINITY: no plan fits
    int64_t evaluations;
    int64_t first_fit; // evaluations until the first plan that fits; 0: none
};

struct rule_found rule_search_found(const struct rule_search *search);
