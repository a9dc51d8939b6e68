// SPDX-License-Identifier: Apache-2.0
// Searches plans of linear pipelines: the order of the micro-batches, the warm-up of every device and the recomputation of
// every micro-batch and stage together. All plans that it looks at fit in memory, so that there is a plan as soon as one
// exists. Few plans are enumerated; otherwise simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983)
// improves the best of several simple plans. The answer depends on the task only.
#pragma once

#include "kernels/dynapipe/methods/linear.h"
#include "kernels/dynapipe/search/plan_task.h"

enum linear_warm_ups {
    LINEAR_ANY_WARM_UP,
    LINEAR_WARM_UP_1F1B,   // D - s
    LINEAR_WARM_UP_CYCLIC, // 2 (D - s) - 1
};

struct linear_answer {
    const struct linear_plan *plan; // of the search; NULL: there is none
    double makespan;
    int64_t evaluations;
    bool is_proven; // no plan of this kind is shorter
};

struct linear_search; // memory for one size; one thread

// Takes the memory for so many micro-batches and stages; NULL if the room only counts.
struct linear_search *linear_search_take(int32_t count, int32_t stages, struct room *room);

// Searches. With a fixed warm-up there may be no plan that fits. Returns false if the poll (may be NULL) ended the
// search; the answer then holds the best plan so far.
bool linear_search_run(struct linear_search *search, const struct plan_task *task,
                       enum linear_warm_ups warm_ups, struct poll *poll,
                       struct linear_answer *answer);

// Returns the evaluator, open for the last task: linear_write writes plans of the answer.
struct linear *linear_search_linear(struct linear_search *search);
