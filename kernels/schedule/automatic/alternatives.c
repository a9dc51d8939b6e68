// SPDX-License-Identifier: Apache-2.0
// Compares the order of a family with orders from dispatch and with other places of weight gradients.
#include "kernels/schedule/automatic/alternatives.h"

#include <math.h>

// The rules that were best in most of 300 random pipelines: forwards first, and weight gradients that wait
// for longer gaps.
static const struct greedy_rule vee_rules[] = {
    {.cap = (double)INFINITY},
    {.cap = (double)INFINITY, .forward_first = true},
    {.cap = (double)INFINITY, .threshold = 0.5},
    {.cap = (double)INFINITY, .forward_first = true, .threshold = 0.5},
};

static const struct greedy_rule whole_rules[] = {
    {.cap = (double)INFINITY, .whole_backward = true},
    {.cap = (double)INFINITY, .whole_backward = true, .forward_first = true},
};

static const double vee_thresholds[] = {0, 0.25, 0.5, 0.75, 1};

const struct alternatives_plan alternatives_vee = {4, 5, vee_rules, vee_thresholds};
const struct alternatives_plan alternatives_vee_whole = {2, 0, whole_rules, NULL};

void alternatives_take(struct alternatives *alternatives, const struct pipeline_shape *shape,
                       const struct family_options *options, int32_t operations,
                       struct room *room)
{
    struct alternatives *a = alternatives;
    choice_take(&a->choice, shape, operations, room);
    if (options->published)
        return;
    a->greedy = greedy_take(shape, room);
    a->refill = refill_take(shape, room);
    order_take(&a->order, shape->devices, operations, room);
    a->limit = room_take(room, (size_t)shape->devices, sizeof(double));
}

// Returns false if the poll ended it.
static bool offer_dispatch(struct alternatives *a, const struct pipeline *pipeline,
                           const struct greedy_rule *rule, struct poll *poll)
{
    order_clear(&a->order);
    const enum greedy_status status = greedy_build(a->greedy, pipeline, rule, poll, &a->order);
    if (status == GREEDY_DONE)
        (void)choice_offer(&a->choice, &a->order);
    return status != GREEDY_STOPPED;
}

// Places the weight gradients of the best order anew. Returns false if the poll ended it.
static bool offer_refills(struct alternatives *a, const struct pipeline *pipeline,
                          const struct alternatives_plan *plan, struct poll *poll)
{
    for (int k = 0; k < plan->thresholds && a->choice.found; k++) {
        order_clear(&a->order);
        const enum refill_status status = refill_build(a->refill, pipeline, a->choice.best,
                                                       plan->threshold[k], poll, &a->order);
        if (status == REFILL_DONE)
            (void)choice_offer(&a->choice, &a->order);
        if (status == REFILL_STOPPED)
            return false;
    }
    return true;
}

enum family_status alternatives_offer(struct alternatives *alternatives,
                                      const struct pipeline *pipeline,
                                      const struct alternatives_plan *plan, struct poll *poll)
{
    struct alternatives *a = alternatives;
    struct pipeline limited = *pipeline;
    limited.limit = a->limit;
    for (int32_t d = 0; d < pipeline->shape.devices; d++)
        a->limit[d] = fmin(pipeline->limit[d], a->choice.most_peak);
    if (!offer_refills(a, &limited, plan, poll))
        return FAMILY_STOPPED;
    const double makespan = a->choice.makespan, span = a->choice.span;
    for (int k = 0; k < plan->rules; k++)
        if (!offer_dispatch(a, &limited, &plan->rule[k], poll))
            return FAMILY_STOPPED;
    const bool is_new = makespan != a->choice.makespan || span != a->choice.span;
    if (is_new && !offer_refills(a, &limited, plan, poll))
        return FAMILY_STOPPED;
    return choice_status(&a->choice);
}

enum family_status alternatives_choose(struct alternatives *alternatives,
                                       const struct pipeline *pipeline,
                                       const struct family_options *options,
                                       const struct alternatives_plan *plan, struct poll *poll,
                                       struct order *order)
{
    struct choice *choice = &alternatives->choice;
    choice_open(choice, pipeline, options->objective, poll, order);
    if (!choice_offer(choice, order) || options->published)
        return choice_status(choice);
    choice_keep_level(choice, true);
    return alternatives_offer(alternatives, pipeline, plan, poll);
}
