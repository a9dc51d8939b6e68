// SPDX-License-Identifier: Apache-2.0
// Divides samples into micro-batches: tries orders, limits of memory and types of recomputation.
#include "kernels/dynapipe/split/split_private.h"

#include <math.h>
#include <string.h>

static void take_result(struct split_result *result, int32_t samples, struct room *room)
{
    const size_t n = (size_t)samples;
    result->order = room_take(room, n, sizeof *result->order);
    result->start = room_take(room, n + 1, sizeof *result->start);
    result->row = room_take(room, n, sizeof *result->row);
    result->groups = room_take(room, n, sizeof *result->groups);
}

struct split_memory *split_memory_take(int32_t samples, int32_t width, struct room *room)
{
    struct split_memory counted, *memory = room_take(room, 1, sizeof *memory),
                                 *into = memory != NULL ? memory : &counted;
    const size_t n = (size_t)samples;
    split_groups_take(&into->groups, samples, width, room);
    split_divider_take(&into->divider, samples, room);
    into->division.start = room_take(room, n + 1, sizeof *into->division.start);
    split_path_order_take(&into->path, samples, room);
    into->keys = room_take(room, n, sizeof *into->keys);
    for (int k = 0; k < 2; k++)
        into->orders[k] = room_take(room, n, sizeof *into->orders[k]);
    into->sorted_input = room_take(room, n, sizeof *into->sorted_input);
    into->sorted_target = room_take(room, n, sizeof *into->sorted_target);
    take_result(&into->best, samples, room);
    take_result(&into->trial, samples, room);
    return memory;
}

static struct split_rules rules_of(const struct split_task *task, enum split_limit limit,
                                   enum dynapipe_recompute recompute)
{
    struct split_rules rules = {.pipeline = task->pipeline,
                                .costs = task->costs,
                                .recompute = recompute,
                                .stored_limit = task->available,
                                .peak_limit = task->available,
                                .pack = task->pack};
    if (limit == SPLIT_LIMIT_MICRO_BATCH)
        rules.stored_limit = task->fraction > 0 ? task->fraction * task->available
                                                : task->available / task->pipeline.devices;
    return rules;
}

bool split_attempt(const struct split_task *task, int attempt, struct split_rules *rules,
                   enum split_limit *limit)
{
    static const enum dynapipe_recompute types[] = {DYNAPIPE_KEEP, DYNAPIPE_SELECTIVE,
                                                    DYNAPIPE_FULL};
    const enum dynapipe_recompute type = types[attempt % DYNAPIPE_RECOMPUTE_TYPES];
    *limit = (enum split_limit)(attempt / DYNAPIPE_RECOMPUTE_TYPES);
    *rules = rules_of(task, *limit, type);
    return !task->is_barred[type];
}

// Describes the division that was found as a result.
static void describe(struct split_memory *m, const struct split_task *task,
                     const struct split_rules *rules, const int32_t *order,
                     struct split_result *r)
{
    const struct split_division *d = &m->division;
    r->count = d->count;
    memcpy(r->order, order, (size_t)task->samples->count * sizeof *order);
    memcpy(r->start, d->start, ((size_t)d->count + 1) * sizeof *d->start);
    r->objective = d->objective;
    r->longest = d->longest;
    r->sum = d->sum;
    r->recompute = rules->recompute;
    r->stored_limit = rules->stored_limit;
    r->peak_limit = rules->peak_limit;
    for (int32_t g = 0; g < d->count; g++)
        split_groups_one(&m->groups, task->samples, order, rules, d->start[g],
                         d->start[g + 1] - d->start[g], &r->groups[g], r->row + d->start[g]);
}

// Divides one order: the first limit and recompute type with a division are taken.
static enum split_outcome divide_order(struct split_memory *m, const struct split_task *task,
                                       const int32_t *order, struct poll *poll,
                                       struct split_result *result)
{
    struct split_rules rules;
    for (int k = 0; k < SPLIT_ATTEMPTS; k++) {
        if (!split_attempt(task, k, &rules, &result->limit))
            continue;
        if (!split_groups_fill(&m->groups, task->samples, order, &rules, poll))
            return SPLIT_STOPPED;
        const enum split_outcome outcome =
            split_divide(&m->divider, &m->groups, &task->pipeline, poll, &m->division);
        if (outcome == SPLIT_FOUND)
            describe(m, task, &rules, order, result);
        if (outcome != SPLIT_INFEASIBLE)
            return outcome;
    }
    return SPLIT_INFEASIBLE;
}

// Finds what the sample at a place of the order needs alone. Returns whether it fits.
static bool needs(struct split_memory *m, const struct split_task *task, const int32_t *order,
                  int32_t place, struct split_lack *lack)
{
    *lack = (struct split_lack){.sample = order[place],
                                .is_outside = true,
                                .available = task->available};
    for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
        if (task->is_barred[type])
            continue;
        const struct split_rules rules =
            rules_of(task, SPLIT_LIMIT_AVAILABLE, (enum dynapipe_recompute)type);
        struct split_group group;
        if (split_groups_one(&m->groups, task->samples, order, &rules, place, 1, &group, NULL))
            return true;
        const double most = fmax(group.stored, group.peak);
        if (isnan(group.time) || (!lack->is_outside && most >= lack->needed))
            continue;
        lack->is_outside = false;
        lack->needed = most;
        lack->recompute = rules.recompute;
    }
    return false;
}

// Finds the first sample that does not fit with any recompute type.
static struct split_lack lack_of(struct split_memory *m, const struct split_task *task,
                                 const int32_t *order)
{
    struct split_lack lack;
    for (int32_t place = 0; place < task->samples->count; place++)
        if (!needs(m, task, order, place, &lack))
            return lack;
    return (struct split_lack){.sample = -1, .available = task->available};
}

// Orders the samples along the path. Clusters and the order inside them depend on the numbers of samples: the places
// by length are used, so that the numbers that the caller gives make no difference.
static bool order_by_path(struct split_memory *m, const struct split_task *task,
                          struct poll *poll)
{
    const struct split_samples *s = task->samples;
    for (int32_t p = 0; p < s->count; p++) {
        m->sorted_input[p] = s->input[m->orders[0][p]];
        m->sorted_target[p] = s->target[m->orders[0][p]];
    }
    const struct split_samples sorted = {s->count, m->sorted_input, m->sorted_target, s->offset,
                                         NULL};
    if (!split_path_order(&m->path, &sorted, task->measure, task->total, poll, m->orders[1]))
        return false;
    for (int32_t p = 0; p < s->count; p++)
        m->orders[1][p] = m->orders[0][m->orders[1][p]];
    return true;
}

enum split_outcome split_run(struct split_memory *memory, const struct split_task *task,
                             struct poll *poll, struct split_result *result)
{
    const bool has_path = task->samples->target != NULL;
    enum split_outcome best = SPLIT_INFEASIBLE;
    split_sort(task->samples, memory->keys, memory->orders[0]);
    if (has_path && task->order != SPLIT_ORDER_LENGTH && !order_by_path(memory, task, poll))
        return SPLIT_STOPPED;
    for (int k = 0; k < 2; k++) {
        const enum split_order order = k == 0 ? SPLIT_ORDER_LENGTH : SPLIT_ORDER_PATH;
        if ((order == SPLIT_ORDER_PATH && !has_path) ||
            (task->order != SPLIT_ORDER_BEST && task->order != order && (has_path || k > 0)))
            continue;
        const enum split_outcome outcome =
            divide_order(memory, task, memory->orders[k], poll, &memory->trial);
        if (outcome == SPLIT_STOPPED)
            return outcome;
        memory->trial.ordered = order;
        if (outcome == SPLIT_FOUND &&
            (best != SPLIT_FOUND || memory->trial.objective < memory->best.objective)) {
            const struct split_result swap = memory->best;
            memory->best = memory->trial;
            memory->trial = swap;
            best = SPLIT_FOUND;
        }
    }
    if (best == SPLIT_FOUND)
        *result = memory->best;
    else
        *result = (struct split_result){.lack = lack_of(memory, task, memory->orders[0])};
    return best;
}
