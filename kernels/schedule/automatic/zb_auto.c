// SPDX-License-Identifier: Apache-2.0
// The automatic zero-bubble scheduler for one stage per device, and dispatch.
//
// The published rule tries eight settings of its switches and keeps the shortest span. Beyond it, the
// family drops settings that break down, also looks at the makespan, and falls back to dispatch, which
// is better where a device cannot hold a micro-batch for each stage behind it.
#include "kernels/schedule/automatic/alternatives.h"
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/automatic/zb_attempt.h"
#include "kernels/schedule/families/shapes.h"

#include <math.h>

enum { SETTINGS = 8 };

static const struct greedy_rule dispatch = {.cap = (double)INFINITY};
static const double thresholds[] = {0, 0.5};
static const struct alternatives_plan plan = {1, 2, &dispatch, thresholds};

struct zb_memory {
    struct zb_attempt attempt;
    struct alternatives alternatives;
    struct order order;
};

static void *zb_take(const struct pipeline_shape *shape,
                     const struct family_options *options,
                     struct room *room)
{
    struct zb_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct zb_memory *m = memory != NULL ? memory : &counted;
    const int32_t operations = 3 * shape->micro_batches;
    zb_attempt_take(&m->attempt, shape, room);
    alternatives_take(&m->alternatives, shape, options, operations, room);
    if (!options->published)
        order_take(&m->order, shape->devices, operations, room);
    return memory;
}

static struct zb_switches setting(int k)
{
    return (struct zb_switches){!(k & 4), !(k & 2), !(k & 1)};
}

// Writes the order of the setting with the shortest span; by_makespan: among equal spans, the one with the
// earliest makespan, otherwise the first. Returns the status of the setting that failed worst; *found:
// whether a setting has an order.
static enum zb_status run_settings(struct zb_attempt *attempt,
                                   bool by_makespan,
                                   struct poll *poll,
                                   struct order *order,
                                   bool *found)
{
    enum zb_status worst = ZB_DONE;
    int best = -1;
    double makespan = 0, span = 0;
    for (int k = 0; k < SETTINGS; k++) {
        const struct zb_switches on = setting(k);
        const enum zb_status status = zb_attempt_run(attempt, &on, poll, order);
        if (status == ZB_STOPPED)
            return status;
        if (status != ZB_DONE) {
            worst = worst == ZB_BROKEN ? worst : status;
            continue;
        }
        if (best >= 0 && attempt->span >= span &&
            !(by_makespan && attempt->span == span && attempt->makespan < makespan))
            continue;
        best = k;
        makespan = attempt->makespan;
        span = attempt->span;
    }
    *found = best >= 0;
    const struct zb_switches on = setting(best < 0 ? 0 : best);
    if (*found && best != SETTINGS - 1 &&
        zb_attempt_run(attempt, &on, poll, order) == ZB_STOPPED)
        return ZB_STOPPED;
    return worst;
}

static enum family_status build_published(struct zb_memory *m,
                                          struct poll *poll,
                                          struct order *order)
{
    bool found;
    switch (run_settings(&m->attempt, false, poll, order, &found)) {
    case ZB_DONE:
        return FAMILY_DONE;
    case ZB_BROKEN:
        return FAMILY_FAILED;
    case ZB_NO_ROOM:
        return FAMILY_NO_ROOM;
    case ZB_STOPPED:
        break;
    }
    return FAMILY_STOPPED;
}

static enum family_status zb_build(const struct family_task *task)
{
    struct zb_memory *m = task->memory;
    bool found;
    if (!costs_set(&m->attempt.costs, task->pipeline))
        return FAMILY_NO_ROOM;
    if (task->options->published)
        return build_published(m, task->poll, task->order);
    struct choice *choice = &m->alternatives.choice;
    choice_open(choice, task->pipeline, task->options->objective, task->poll, task->order);
    if (run_settings(&m->attempt, true, task->poll, &m->order, &found) == ZB_STOPPED)
        return FAMILY_STOPPED;
    if (found && choice_offer(choice, &m->order))
        choice_keep_level(choice, false);
    return alternatives_offer(&m->alternatives, task->pipeline, &plan, task->poll);
}

const struct family family_zb_auto = {
    .name = "zb_auto",
    .summary = "zero bubble, scheduled for the times and the memory limit",
    .source = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
    .kind = FAMILY_AUTOMATIC,
    .uses = FAMILY_USES_PUBLISHED,
    .placement = PIPELINE_LOOP,
    .directions = 1,
    .misfit = shapes_misfit_one,
    .chunks = shapes_one_chunk,
    .take = zb_take,
    .build = zb_build,
};
