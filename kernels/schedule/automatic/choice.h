// SPDX-License-Identifier: Apache-2.0
// Chooses the best of several orders for one pipeline: executes each order, and refuses those that
// cannot run, exceed a limit of memory, or are worse than the published order.
#pragma once

#include "kernels/common/executor/executor.h"
#include "kernels/schedule/families/family.h"

struct choice {
    const struct pipeline *pipeline;
    enum family_objective objective;
    struct poll *poll;
    struct executor *executor;
    struct order *best; // of the caller
    bool found, stopped;
    double makespan, span, peak; // of `best`; the highest peak of a device, with its fixed part
    double most_makespan, most_span, most_peak; // orders above are refused
};

// Takes the executor for orders of at most `operations` per device.
void choice_take(struct choice *choice, const struct pipeline_shape *shape, int32_t operations,
                 struct room *room);

// Starts without an order. best: receives the best order.
void choice_open(struct choice *choice, const struct pipeline *pipeline,
                 enum family_objective objective, struct poll *poll, struct order *best);

// Executes an order and copies it to `best` if it is better than the orders before. Returns whether it
// is. order: may be `best` itself for the first offer.
bool choice_offer(struct choice *choice, const struct order *order);

// From now on, refuses orders with a later makespan or a longer span than the best order; with_peak: or
// a higher peak of memory.
void choice_keep_level(struct choice *choice, bool with_peak);

enum family_status choice_status(const struct choice *choice);
