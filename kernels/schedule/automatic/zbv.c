// SPDX-License-Identifier: Apache-2.0
// The ZB-V scheduler: placement V, zero bubble within the memory of 1F1B.
//
// The published rule tries four settings of its switches, and repeats each while the greatest idle time
// of a device shrinks. Beyond it, the family drops settings that break down, judges all attempts by the
// executed makespan and span, and also tries dispatch.
#include "kernels/schedule/automatic/alternatives.h"
#include "kernels/schedule/automatic/automatic.h"
#include "kernels/schedule/automatic/vee_attempt.h"
#include "kernels/schedule/families/shapes.h"

#include <math.h>

enum { SETTINGS = 4 };

struct zbv_memory {
    struct vee_attempt attempt;
    struct order tried, best; // of a setting
    double *limit;            // [devices]: of the pipeline, or the default
    struct alternatives alternatives;
};

static void *zbv_take(const struct pipeline_shape *shape, const struct family_options *options,
                      struct room *room)
{
    struct zbv_memory *memory = room_take(room, 1, sizeof *memory), counted;
    struct zbv_memory *m = memory != NULL ? memory : &counted;
    const int32_t operations = 6 * shape->micro_batches;
    vee_attempt_take(&m->attempt, shape, room);
    order_take(&m->tried, shape->devices, operations, room);
    order_take(&m->best, shape->devices, operations, room);
    m->limit = room_take(room, (size_t)shape->devices, sizeof(double));
    alternatives_take(&m->alternatives, shape, options, operations, room);
    return memory;
}

// Repeats a setting while the greatest idle time shrinks. Leaves the best order in m->best and its idle
// time in *idle; offers every order to `choice`, unless NULL. Returns the status of the first attempt.
static enum family_status run_setting(struct zbv_memory *m, int setting, struct choice *choice,
                                      struct poll *poll, double *idle)
{
    struct vee_attempt *a = &m->attempt;
    a->fill_backward = !(setting & 2);
    a->fill_forward = !(setting & 1);
    for (bool again = false;; again = true) {
        const enum family_status status = vee_attempt_run(a, again, poll, &m->tried);
        if (status != FAMILY_DONE)
            return again && status != FAMILY_STOPPED ? FAMILY_DONE : status;
        if (choice != NULL)
            (void)choice_offer(choice, &m->tried);
        if (again && a->most_idle >= *idle)
            return FAMILY_DONE;
        *idle = a->most_idle;
        order_copy(&m->best, &m->tried);
    }
}

// Writes the order of the setting with the least idle time. Returns the status of the setting that
// failed worst; *found: whether a setting has an order.
static enum family_status run_settings(struct zbv_memory *m, struct poll *poll,
                                       struct order *order, bool *found)
{
    enum family_status worst = FAMILY_DONE;
    double least = (double)INFINITY, idle = 0;
    for (int k = 0; k < SETTINGS; k++) {
        const enum family_status status = run_setting(m, k, NULL, poll, &idle);
        if (status == FAMILY_STOPPED)
            return status;
        if (status != FAMILY_DONE) {
            worst = worst == FAMILY_FAILED ? worst : status;
            continue;
        }
        if (idle < least) {
            least = idle;
            order_copy(order, &m->best);
        }
    }
    *found = !isinf(least);
    return worst;
}

// Offers what the published rule does not choose; the choice holds the published order, if any.
static enum family_status improve(struct zbv_memory *m, const struct pipeline *pipeline,
                                  struct poll *poll)
{
    double idle = 0;
    for (int k = 0; k < SETTINGS; k++)
        if (run_setting(m, k, &m->alternatives.choice, poll, &idle) == FAMILY_STOPPED)
            return FAMILY_STOPPED;
    return alternatives_offer(&m->alternatives, pipeline, &alternatives_vee, poll);
}

// Copies the limits; devices without a limit get the default, the memory of 1F1B. Returns whether a device
// had none.
static bool set_limits(const struct pipeline *pipeline, double *limit)
{
    const int32_t devices = pipeline->shape.devices;
    bool any = false;
    for (int32_t d = 0; d < devices; d++) {
        const struct pipeline_stage *first = &pipeline->stage[d],
                                    *second = &pipeline->stage[2 * devices - 1 - d];
        limit[d] = pipeline->limit[d];
        if (!isinf(limit[d]))
            continue;
        any = true;
        limit[d] = pipeline->fixed[d] + devices * (first->kept_until_b + first->kept_until_w +
                                                   second->kept_until_b + second->kept_until_w);
    }
    return any;
}

static enum family_status zbv_build(const struct family_task *task)
{
    struct zbv_memory *m = task->memory;
    const bool is_default = set_limits(task->pipeline, m->limit);
    struct pipeline limited = *task->pipeline;
    bool found;
    limited.limit = m->limit;
    if (!costs_set(&m->attempt.costs, &limited))
        return FAMILY_NO_ROOM;
    const enum family_status status = run_settings(m, task->poll, task->order, &found);
    if (task->options->published || status == FAMILY_STOPPED)
        return status;
    choice_open(&m->alternatives.choice, &limited, task->options->objective, task->poll,
                task->order);
    if (found && choice_offer(&m->alternatives.choice, task->order))
        choice_keep_level(&m->alternatives.choice, is_default);
    return improve(m, &limited, task->poll);
}

const struct family family_zbv = {
    .name = "zbv",
    .summary = "placement V, zero bubble within the memory of 1F1B",
    .source = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
    .kind = FAMILY_AUTOMATIC,
    .uses = FAMILY_USES_PUBLISHED,
    .placement = PIPELINE_VEE,
    .directions = 1,
    .misfit = shapes_misfit_vee,
    .chunks = shapes_two_chunks,
    .take = zbv_take,
    .build = zbv_build,
};
