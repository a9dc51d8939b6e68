// SPDX-License-Identifier: Apache-2.0
// Chooses the order with the least mean makespan over replicates: among the orders of all families of a
// placement and of dispatch rules, and their neighbours. The order runs as it is, or a rule moves its W. All
// orders meet the same times.
//
// Lies in a room and allocates nothing afterwards.
#pragma once

#include "kernels/schedule/families/family.h"
#include "kernels/schedule/noise/noise.h"
#include "kernels/schedule/online/pull.h"

struct robust;

struct robust_options {
    uint32_t first; // the first replicate; training takes 0, 1, ...
    int32_t
        replicates; // rounded up to a multiple of EXECUTOR_LANES; at most that of robust_take
    const struct pull_rule *rule; // NULL: the order runs as it is
    uint64_t seed;                // of the neighbours
    int64_t budget;               // moves that are tried
};

// Takes memory for pipelines of this shape and orders with room for `operations` per device: at least
// order_room. NULL: the room only counts.
struct robust *robust_take(const struct pipeline_shape *shape, int32_t operations,
                           int32_t replicates, struct room *room);

// Draws the replicates and starts without an order. pipeline and noise must outlive
// the last call.
void robust_open(struct robust *robust, const struct pipeline *pipeline,
                 const struct noise *noise, const struct robust_options *options,
                 struct poll *poll);

// Offers an order. Returns its mean makespan; INFINITY if it cannot run, exceeds a limit of memory, does
// not suit the rule (pull_misfit), or is clearly worse than the best order.
double robust_offer(struct robust *robust, const struct order *order,
                    const struct family *from);

// Offers the orders of all families that place stages as the pipeline does, without those that search; of
// automatic families, with every setting. Offers the orders of dispatch rules.
void robust_offer_families(struct robust *robust);

// Moves operations of the best order until the budget is used, and offers the orders.
void robust_improve(struct robust *robust);

// Returns the best order; NULL: no order within the limits. *mean: its mean makespan. *from: its family, or the
// family of the order that it was improved from; NULL: a dispatch rule.
const struct order *robust_best(const struct robust *robust, double *mean,
                                const struct family **from);
