// SPDX-License-Identifier: Apache-2.0
// Chooses the best of several orders for one pipeline.
#include "kernels/schedule/automatic/choice.h"

#include <math.h>

void choice_take(struct choice *choice,
                 const struct pipeline_shape *shape,
                 int32_t operations,
                 struct room *room)
{
    *choice = (struct choice){.executor = executor_take(shape, operations, room)};
}

void choice_open(struct choice *choice,
                 const struct pipeline *pipeline,
                 enum family_objective objective,
                 struct poll *poll,
                 struct order *best)
{
    *choice = (struct choice){.pipeline = pipeline,
                              .objective = objective,
                              .poll = poll,
                              .executor = choice->executor,
                              .best = best,
                              .most_makespan = (double)INFINITY,
                              .most_span = (double)INFINITY,
                              .most_peak = (double)INFINITY};
}

// Returns the largest memory of a device, without its fixed part; INFINITY: a device exceeds its limit.
static double peak_of(const struct pipeline *p, const struct order *order)
{
    double most = 0;
    for (int32_t d = 0; d < order->devices; d++) {
        double held = 0, peak = 0;
        for (int32_t i = 0; i < order->n[d]; i++) {
            const struct operation *op = &order->operations[order_at(order, d, i)];
            const struct pipeline_stage *stage = &p->stage[op->stage];
            if (op->type == OPERATION_F)
                held += stage->kept_until_b + stage->kept_until_w;
            peak = held > peak ? held : peak;
            if (op->type == OPERATION_B || op->type == OPERATION_BW)
                held -= stage->kept_until_b;
            if (op->type == OPERATION_W || op->type == OPERATION_BW)
                held -= stage->kept_until_w;
        }
        if (p->fixed[d] + peak > p->limit[d] + 1e-9 * fabs(p->limit[d]))
            return (double)INFINITY;
        most = peak > most ? peak : most;
    }
    return most;
}

static bool is_more(double a, double most)
{
    return a > most * (1 + 1e-9);
}

bool choice_offer(struct choice *choice, const struct order *order)
{
    struct choice *c = choice;
    const double peak = peak_of(c->pipeline, order);
    if (c->stopped || isinf(peak) || is_more(peak, c->most_peak))
        return false;
    const enum executor_status status =
        executor_run(c->executor, c->pipeline, order, NULL, c->poll);
    c->stopped = status == EXECUTOR_STOPPED;
    if (status != EXECUTOR_DONE)
        return false;
    const double makespan = executor_makespan(c->executor), span = executor_span(c->executor);
    if (is_more(makespan, c->most_makespan) || is_more(span, c->most_span))
        return false;
    const bool by_span = c->objective == FAMILY_SPAN;
    const double value = by_span ? span : makespan, other = by_span ? makespan : span,
                 best = by_span ? c->span : c->makespan,
                 best_other = by_span ? c->makespan : c->span;
    if (c->found && !is_more(best, value) &&
        (is_more(value, best) || !is_more(best_other, other)))
        return false;
    c->found = true;
    c->makespan = makespan;
    c->span = span;
    c->peak = peak;
    if (order != c->best)
        order_copy(c->best, order);
    return true;
}

void choice_keep_level(struct choice *choice, bool with_peak)
{
    choice->most_makespan = choice->makespan;
    choice->most_span = choice->span;
    if (with_peak)
        choice->most_peak = choice->peak;
}

enum family_status choice_status(const struct choice *choice)
{
    if (choice->stopped)
        return FAMILY_STOPPED;
    return choice->found ? FAMILY_DONE : FAMILY_NO_ROOM;
}
