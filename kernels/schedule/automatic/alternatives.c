// SPDX-License-Identifier: Apache-2.0
// Compares the order of a family with placement V with orders from dispatch.
#include "kernels/schedule/automatic/alternatives.h"

#include <math.h>

void alternatives_take(struct alternatives *alternatives,
                       const struct pipeline_shape *shape,
                       const struct family_options *options,
                       int32_t operations,
                       struct room *room)
{
    struct alternatives *a = alternatives;
    choice_take(&a->choice, shape, operations, room);
    if (options->published)
        return;
    a->greedy = greedy_take(shape, room);
    order_take(&a->order, shape->devices, operations, room);
    a->limit = room_take(room, (size_t)shape->devices, sizeof(double));
}

static enum greedy_status offer(struct alternatives *a,
                                const struct pipeline *pipeline,
                                const struct greedy_rule *rule,
                                struct poll *poll)
{
    order_clear(&a->order);
    const enum greedy_status status = greedy_build(a->greedy, pipeline, rule, poll, &a->order);
    if (status == GREEDY_DONE)
        (void)choice_offer(&a->choice, &a->order);
    return status;
}

enum family_status alternatives_offer(struct alternatives *alternatives,
                                      const struct pipeline *pipeline,
                                      bool whole_backward,
                                      struct poll *poll)
{
    static const double thresholds[] = {0, 0.5, 1};
    struct alternatives *a = alternatives;
    struct pipeline limited = *pipeline;
    limited.limit = a->limit;
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        a->limit[d] =
            fmin(pipeline->limit[d], a->choice.found ? a->choice.peak : (double)INFINITY);
    for (int k = 0; k < (whole_backward ? 4 : 12); k++) {
        const struct greedy_rule rule = {.whole_backward = whole_backward,
                                         .early_chunk = k & 1,
                                         .forward_first = k & 2,
                                         .threshold = thresholds[k / 4],
                                         .cap = (double)INFINITY};
        if (offer(a, &limited, &rule, poll) == GREEDY_STOPPED)
            return FAMILY_STOPPED;
    }
    return choice_status(&a->choice);
}

enum family_status alternatives_choose(struct alternatives *alternatives,
                                       const struct pipeline *pipeline,
                                       const struct family_options *options,
                                       bool whole_backward,
                                       struct poll *poll,
                                       struct order *order)
{
    struct choice *choice = &alternatives->choice;
    choice_open(choice, pipeline, options->objective, poll, order);
    if (!choice_offer(choice, order) || options->published)
        return choice_status(choice);
    choice_keep_level(choice, true);
    return alternatives_offer(alternatives, pipeline, whole_backward, poll);
}
