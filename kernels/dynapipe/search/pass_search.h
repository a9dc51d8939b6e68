// SPDX-License-Identifier: Apache-2.0
// Searches plans in which every device runs its passes in an order of its own, for any assignment. Every order that the
// instructions can express is a plan, so forwards and backwards need not take turns, and devices need not agree on an
// order of the micro-batches. Simulated annealing improves plans that the caller offers; all plans that it looks at
// fit in memory. The answer depends on the task and on what was offered only.
#pragma once

#include "kernels/dynapipe/search/plan_task.h"
#include "kernels/dynapipe/search/rule.h"

struct pass_search; // memory for one size; one thread

// Takes the memory; NULL if the room only counts.
struct pass_search *pass_search_take(const struct plan_size *size, struct room *room);

// Opens a task. There is no plan yet.
void pass_search_open(struct pass_search *search, const struct plan_task *task,
                      struct poll *poll);

// Begins again as if the task had just been opened, but keeps the best plan. Once a task.
void pass_search_again(struct pass_search *search);

// Offers a plan: lanes over the positions of an order, and what stages recompute, [micro_batch * stages + stage]. A plan that
// does not fit is ignored.
void pass_search_offer(struct pass_search *search, const struct lanes *lanes,
                       const int32_t *order, const uint8_t *recompute);

// Improves the plans that were offered with so many evaluations. Returns false if the poll ended the search.
bool pass_search_run(struct pass_search *search, int64_t evaluations);

// What is known.
struct pass_found {
    double makespan; // of the best plan; INFINITY: none
    int64_t evaluations;
};

struct pass_found pass_search_found(const struct pass_search *search);

// Writes the best plan: its order of micro-batches, its recomputation, and micro-batches and lanes of the rule.
void pass_search_write(const struct pass_search *search, int32_t *order, uint8_t *recompute,
                       struct rule *rule);
