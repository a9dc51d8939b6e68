// SPDX-License-Identifier: Apache-2.0
// Chooses the best of several orders for one pipeline.
#include "kernels/schedule/automatic/choice.h"

#include "kernels/common/executor/metrics.h"

#include <math.h>

void choice_take(struct choice *choice, const struct pipeline_shape *shape, int32_t operations,
                 struct room *room)
{
    *choice = (struct choice){.executor = executor_take(shape, operations, room)};
}

void choice_open(struct choice *choice, const struct pipeline *pipeline,
                 enum family_objective objective, struct poll *poll, struct order *best)
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

static bool is_more(double a, double most)
{
    return a > most * (1 + 1e-9);
}

bool choice_offer(struct choice *choice, const struct order *order)
{
    struct choice *c = choice;
    struct metrics_excess excess;
    struct metrics metrics;
    if (c->stopped || metrics_over_limit(c->pipeline, order, &excess))
        return false;
    const enum executor_status status =
        executor_run(c->executor, c->pipeline, order, NULL, c->poll);
    c->stopped = status == EXECUTOR_STOPPED;
    if (status != EXECUTOR_DONE)
        return false;
    metrics_of(c->pipeline, order, executor_starts(c->executor), executor_ends(c->executor),
               &metrics, NULL, NULL);
    const double makespan = metrics.makespan, span = metrics.span, peak = metrics.peak_most;
    if (is_more(makespan, c->most_makespan) || is_more(span, c->most_span) ||
        is_more(peak, c->most_peak))
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
