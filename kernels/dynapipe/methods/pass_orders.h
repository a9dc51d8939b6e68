// SPDX-License-Identifier: Apache-2.0
// Evaluates plans in which every device runs its passes in an order of its own: any order of forwards and backwards that
// keeps the passes of a micro-batch in the order of their chain. A device sends in the order in which it computes, as
// in lanes.h. Times are in us, memory in MB.
#pragma once

#include "kernels/dynapipe/methods/lanes.h"

// A pass is the number (micro_batch * stages + stage) * 2 + backward.
struct pass_plan {
    int32_t *passes;    // [passes]: those of device d at places first[d] to first[d + 1] - 1
    int32_t *place;     // [passes]: of a pass in `passes`
    uint8_t *recompute; // [micro_batch * stages + stage]: enum dynapipe_recompute
};

void pass_plan_take(struct pass_plan *plan, int32_t count, int32_t stages, struct room *room);
void pass_plan_copy(struct pass_plan *to, const struct pass_plan *from, int32_t count,
                    int32_t stages);

// What an evaluation needs to know of a pass.
struct pass_cost {
    double duration[DYNAPIPE_RECOMPUTE_TYPES];
    double transfer; // of its result; < 0: nothing is sent
    int32_t to;      // the pass that gets its result; -1: none
    int32_t device;  // of that pass
};

// One thread. The fields are to be read only.
struct pass_orders {
    const struct dynapipe_pipeline *pipeline;
    const struct micro_batches *of[DYNAPIPE_RECOMPUTE_TYPES];
    int32_t count, stages, devices, passes;
    int32_t *first;          // [devices + 1]: places of a device
    struct pass_cost *costs; // [passes]
    int32_t *position;       // [count], of pass_orders_write
    // Of an evaluation:
    double *ready;            // [passes]: when the input has arrived; < 0: it has not
    double *ends;             // [passes]
    double *computes, *sends; // [devices]: until then the lanes are busy
    int32_t *next, *waiting;  // [devices]
    bool *is_waiting;
};

struct pass_orders *pass_orders_take(int32_t devices, int32_t stages, int32_t count,
                                     struct room *room);

// Opens a pipeline for evaluations. of[]: as for linear_open. The caller keeps all arguments valid until its last evaluation.
void pass_orders_open(struct pass_orders *orders, const struct dynapipe_pipeline *pipeline,
                      const struct micro_batches *const of[DYNAPIPE_RECOMPUTE_TYPES]);

static inline int32_t pass_number(int32_t cell, bool backward)
{
    return 2 * cell + backward;
}

static inline int32_t pass_cell(int32_t pass)
{
    return pass >> 1;
}

static inline bool pass_is_backward(int32_t pass)
{
    return (pass & 1) != 0;
}

// Returns the makespan of a plan, whose types are allowed; INFINITY: its devices wait for each other forever.
double pass_orders_evaluate(struct pass_orders *orders, const struct pass_plan *plan);

// Lists the passes on a longest path of the plan that was evaluated last, the last one first. Returns their number. A transfer
// counts as a part of the pass whose result it is.
int32_t pass_orders_critical(const struct pass_orders *orders, const struct pass_plan *plan,
                             int32_t *passes);

// The largest memory of a device and the place of the pass that needs it.
struct pass_peak {
    double memory;
    int32_t place; // -1: the state alone
};

struct pass_peak pass_orders_peak(const struct pass_orders *orders,
                                  const struct pass_plan *plan, int32_t device);

// Reads a plan from lanes over the positions of an order.
void pass_orders_read(const struct pass_orders *orders, const struct lanes *lanes,
                      const int32_t *order, const uint8_t *recompute, struct pass_plan *plan);

// Writes the order of the micro-batches, as they run at the first stage, the micro-batches in this order with their
// recomputation, and the lanes.
void pass_orders_write(const struct pass_orders *orders, const struct pass_plan *plan,
                       int32_t *order, struct micro_batches *batches, struct lanes *lanes);
