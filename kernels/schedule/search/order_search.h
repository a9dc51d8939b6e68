// SPDX-License-Identifier: Apache-2.0
// Improves an order of operations by local search: moves along the critical path, moves of W's and of
// whole windows. The memory limits are kept. Works for all placements, directions and pairs.
#pragma once

#include "kernels/schedule/families/family.h"

struct order_search;

// Takes a search for pipelines of at most this shape and orders of at most `operations` per device. NULL:
// the room only counts.
struct order_search *order_search_take(const struct pipeline_shape *most, int32_t operations,
                                       struct room *room);

// Sets *value to the makespan or span of an order. Returns false if the order cannot run or exceeds a
// limit of memory, or the poll ended the run.
bool order_search_value(struct order_search *search, const struct pipeline *pipeline,
                        const struct order *order, enum family_objective objective,
                        struct poll *poll, double *value);

struct order_search_options {
    enum family_objective objective;
    uint64_t seed;
    uint32_t stream; // of the random numbers: another number, another search
    bool
        fine_ends; // of two orders of one makespan, prefer the one with earlier ends on average
    int64_t budget; // orders evaluated at most
    double bound;   // no order has a smaller objective; 0: not known
};

// Improves `order` in place and sets *value to its makespan or span. Adds the orders that it looked at
// to *evaluations. Returns false, and leaves the order as it is, if the order cannot run or exceeds a
// limit of memory. When the poll ends the search, the order is the best one so far.
bool order_search_improve(struct order_search *search, const struct pipeline *pipeline,
                          const struct order_search_options *options, struct poll *poll,
                          struct order *order, double *value, int64_t *evaluations);
