// SPDX-License-Identifier: Apache-2.0
// The times of an order that a search changes: when every operation starts, and the longest path from its
// end to the end of the step. A change costs the operations whose times change, and ends early when the
// step becomes too long.
#pragma once

#include "kernels/common/executor/executor.h"
#include "kernels/schedule/families/family.h"

struct order_times;

// Takes the times of orders of at most `operations` per device, on pipelines of at most this shape. executor:
// for such orders; it may run others between two calls. NULL: the room only counts.
struct order_times *order_times_take(const struct pipeline_shape *most, int32_t operations,
                                     struct executor *executor, struct room *room);

// Executes an order, which the caller changes afterwards as the functions below allow. Returns false if the
// poll ended the execution or the order cannot run.
bool order_times_set(struct order_times *times, const struct pipeline *pipeline,
                     const struct order *order, enum family_objective objective,
                     struct poll *poll);

// Says that operations of positions from ... end - 1 of a device have changed places.
void order_times_changed(struct order_times *times, int32_t device, int32_t from, int32_t end);

// Computes the times after changes. Returns false if the order cannot run, or if its objective exceeds
// `most`; with pairs, channels or times of 0, `most` does not matter.
bool order_times_update(struct order_times *times, double most);

// After order_times_update, one of two: the order stays, or the caller has put the operations that changed
// back, says so for each part with order_times_changed, and ends with order_times_back.
void order_times_stay(struct order_times *times);
void order_times_back(struct order_times *times);

double order_times_objective(const struct order_times *times);
double order_times_mean_end(const struct order_times *times); // of all operations

double order_times_start(const struct order_times *times, const struct operation *op);
double order_times_end(const struct order_times *times, const struct operation *op);

// Time from the end of an operation to the arrival of its message.
double order_times_delay(const struct order_times *times, const struct operation *op);

// Returns whether an operation is on the critical path, one of the longest: to shorten the step, one of these
// has to start earlier. The order has stayed.
bool order_times_is_critical(struct order_times *times, const struct operation *op);
