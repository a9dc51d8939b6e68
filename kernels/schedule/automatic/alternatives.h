// SPDX-License-Identifier: Apache-2.0
// Compares the order of a family with orders from dispatch, and with the same order after its weight
// gradients are placed anew, within the same memory.
#pragma once

#include "kernels/schedule/automatic/choice.h"
#include "kernels/schedule/automatic/greedy.h"
#include "kernels/schedule/automatic/refill.h"

struct alternatives {
    struct choice choice;
    struct greedy *greedy;
    struct refill *refill;
    struct order order;
    double *limit; // [devices]
};

// Takes the memory for orders of at most `operations` per device.
void alternatives_take(struct alternatives *alternatives, const struct pipeline_shape *shape,
                       const struct family_options *options, int32_t operations,
                       struct room *room);

// What to offer beside the order of the family.
struct alternatives_plan {
    int rules, thresholds; // numbers of entries
    const struct greedy_rule *rule;
    const double *threshold; // of refills; none for orders with whole backwards
};

// For placement V: with B and W, and with whole backwards.
extern const struct alternatives_plan alternatives_vee, alternatives_vee_whole;

// Offers orders to alternatives->choice, which is open. If the choice refuses higher peaks than that of an
// order, that peak limits the memory of every device. Returns the status of the choice.
enum family_status alternatives_offer(struct alternatives *alternatives,
                                      const struct pipeline *pipeline,
                                      const struct alternatives_plan *plan, struct poll *poll);

// Keeps the order if its memory is within the limits, and, unless options->published, replaces it by an
// order that is better and needs no more memory. FAMILY_NO_ROOM: the order exceeds a limit.
enum family_status alternatives_choose(struct alternatives *alternatives,
                                       const struct pipeline *pipeline,
                                       const struct family_options *options,
                                       const struct alternatives_plan *plan, struct poll *poll,
                                       struct order *order);
