// SPDX-License-Identifier: Apache-2.0
// Evaluates plans of any assignment: a method schedules the micro-batches in an order and with a recomputation.
#pragma once

#include "kernels/dynapipe/methods/methods.h"
#include "kernels/dynapipe/search/plan_task.h"

struct rule_plan {
    enum method method;
    bool by_memory; // the cyclic rule holds forwards back for memory
    int32_t *order; // [count]: position -> micro-batch
    int32_t *
        in_flight; // [devices]: micro-batches a device holds at most under the cyclic rule; 0: any number
    uint8_t *recompute; // [micro_batch * stages + stage]: enum dynapipe_recompute
};

void rule_plan_take(struct rule_plan *plan, const struct plan_size *size, struct room *room);
void rule_plan_copy(struct rule_plan *to, const struct rule_plan *from,
                    const struct plan_size *size);

// What the last evaluation has written.
struct rule {
    struct micro_batches ordered; // in the order of the plan, with its recomputation
    struct lanes lanes;
    struct lanes_times *times;
    double *peaks;   // [devices]
    double makespan; // INFINITY: no schedule
    double
        excess; // sum of memory above the limits, as parts of the memory that the state leaves
    bool fits;  // all peaks are within their limits
    struct method_room *room;
};

// Takes the memory for tasks of this size.
void rule_take(struct rule *rule, const struct plan_size *size, struct room *room);

// Evaluates a plan. mirrors: the recomputation of a stage changes the backward of the stage that lies opposite, as
// the published planner has it. poll: may be NULL; a stopped evaluation is no schedule.
void rule_evaluate(struct rule *rule, const struct plan_task *task,
                   const struct rule_plan *plan, bool mirrors, struct poll *poll);

// Sets the peaks, the excess and `fits` from the lanes.
void rule_weigh(struct rule *rule, const struct plan_task *task);
