// SPDX-License-Identifier: Apache-2.0
// Evaluates plans by running methods.
#include "kernels/dynapipe/search/rule.h"

#include <string.h>

void rule_plan_take(struct rule_plan *plan, const struct plan_size *size, struct room *room)
{
    const size_t count = (size_t)size->count, stages = (size_t)size->stages;
    plan->order = room_take(room, count, sizeof *plan->order);
    plan->in_flight = room_take(room, (size_t)size->devices, sizeof *plan->in_flight);
    plan->recompute = room_take(room, count * stages, sizeof *plan->recompute);
}

void rule_plan_copy(struct rule_plan *to, const struct rule_plan *from,
                    const struct plan_size *size)
{
    const size_t count = (size_t)size->count, stages = (size_t)size->stages;
    to->method = from->method;
    to->by_memory = from->by_memory;
    memcpy(to->order, from->order, count * sizeof *to->order);
    memcpy(to->in_flight, from->in_flight, (size_t)size->devices * sizeof *to->in_flight);
    memcpy(to->recompute, from->recompute, count * stages);
}

void rule_take(struct rule *rule, const struct plan_size *size, struct room *room)
{
    const int32_t lanes = 2 * size->widest * size->count;
    micro_batches_take(&rule->ordered, size->count, size->stages, room);
    lanes_take(&rule->lanes, size->devices, lanes, room);
    rule->times = lanes_times_take(size->devices, size->stages, size->count, room);
    rule->peaks = room_take(room, (size_t)size->devices, sizeof *rule->peaks);
    rule->room = method_room_take(size->devices, size->stages, lanes, room);
}

// Writes one micro-batch to its position.
static void write(struct micro_batches *to, const struct plan_task *task,
                  const struct rule_plan *plan, int32_t position, bool mirrors)
{
    const struct micro_batches *keep = task->of[DYNAPIPE_KEEP];
    const int32_t last = to->stages - 1;
    const int64_t first = micro_batches_at(keep, plan->order[position], 0);
    for (int32_t s = 0; s <= last; s++) {
        const int64_t from = first + s, at = micro_batches_at(to, position, s);
        const struct micro_batches *own = task->of[plan->recompute[from]],
                                   *back = mirrors ? task->of[plan->recompute[first + last - s]]
                                                   : own;
        micro_batches_copy(to, at, own, keep, from);
        to->backward[at] = back->backward[from];
    }
}

void rule_weigh(struct rule *rule, const struct plan_task *task)
{
    const struct dynapipe_pipeline *p = task->pipeline;
    rule->excess = 0;
    rule->fits = true;
    for (int32_t d = 0; d < p->devices; d++) {
        rule->peaks[d] = lanes_peak(&rule->lanes, p, &rule->ordered, d);
        if (plan_fits(rule->peaks[d], p->limit[d]))
            continue;
        const double room = p->limit[d] - p->state[d];
        rule->fits = false;
        rule->excess += (rule->peaks[d] - p->limit[d]) / (room > 1 ? room : 1);
    }
}

void rule_evaluate(struct rule *rule, const struct plan_task *task,
                   const struct rule_plan *plan, bool mirrors, struct poll *poll)
{
    const struct method_limits limits = {.by_memory = plan->by_memory,
                                         .in_flight_of = plan->in_flight};
    for (int32_t i = 0; i < rule->ordered.count; i++)
        write(&rule->ordered, task, plan, i, mirrors);
    rule->makespan = HUGE_VAL;
    rule->excess = 0;
    rule->fits = false;
    if (method_run(plan->method, task->pipeline, &rule->ordered, &limits, rule->room,
                   &rule->lanes, rule->times, poll) != METHOD_DONE)
        return;
    rule->makespan = lanes_makespan(rule->times);
    rule_weigh(rule, task);
}
