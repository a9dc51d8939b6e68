// SPDX-License-Identifier: Apache-2.0
// Makes simple plans from which a search starts.
#include "kernels/dynapipe/search/linear_private.h"

#include <string.h>

enum start_order {
    ORDER_GIVEN,
    ORDER_LONG_FIRST,
    ORDER_SHORT_FIRST,
    ORDER_ALTERNATING, // long, short, long, ...
    ORDER_JOHNSON, // Johnson, Naval Research Logistics Quarterly 1, 1954: first and last stage as two machines
    START_ORDERS,
};

enum {
    START_TYPES = DYNAPIPE_RECOMPUTE_TYPES + 1
}; // all stages keep or recompute the same, or keep the least

static double time_of(const struct linear_search *s, int32_t m, int32_t from, int32_t to)
{
    const struct micro_batches *b = s->task->of[DYNAPIPE_KEEP];
    double sum = 0;
    for (int32_t stage = from; stage < to; stage++)
        sum += b->forward[micro_batches_at(b, m, stage)] +
               b->backward[micro_batches_at(b, m, stage)];
    return sum;
}

// Sorts the order of the trial plan by descending key; equal ones stay in their order.
static void sort(struct linear_search *s)
{
    int32_t *order = s->trial.order;
    for (int32_t i = 1; i < s->count; i++) {
        const int32_t m = order[i];
        int32_t k = i;
        for (; k > 0 && s->key[order[k - 1]] < s->key[m]; k--)
            order[k] = order[k - 1];
        order[k] = m;
    }
}

// Jobs that are shorter at the first stage come first, the shortest of them first; then the others, the shortest at the
// last stage last.
static double johnson_key(const struct linear_search *s, int32_t m)
{
    const double first = time_of(s, m, 0, 1), last = time_of(s, m, s->stages - 1, s->stages);
    return first < last ? 1 / (1e-300 + first) + 1e30 : last;
}

static void alternate(struct linear_search *s)
{
    int32_t *from = s->current.order, *to = s->trial.order;
    memcpy(from, to, (size_t)s->count * sizeof *from);
    for (int32_t i = 0; i < s->count; i++)
        to[i] = i % 2 == 0 ? from[i / 2] : from[s->count - 1 - i / 2];
}

static void write_order(struct linear_search *s, enum start_order which)
{
    for (int32_t m = 0; m < s->count; m++) {
        const double time = time_of(s, m, 0, s->stages);
        s->trial.order[m] = m;
        s->key[m] = which == ORDER_GIVEN         ? 0
                    : which == ORDER_SHORT_FIRST ? -time
                    : which == ORDER_JOHNSON     ? johnson_key(s, m)
                                                 : time;
    }
    sort(s);
    if (which == ORDER_ALTERNATING)
        alternate(s);
}

static bool write_recompute(struct linear_search *s, int type)
{
    if (type < DYNAPIPE_RECOMPUTE_TYPES && s->task->of[type] == NULL)
        return false;
    for (int32_t at = 0; at < s->count * s->stages; at++)
        s->trial.recompute[at] = type < DYNAPIPE_RECOMPUTE_TYPES
                                     ? (uint8_t)type
                                     : (uint8_t)plan_leanest(s->task, at);
    return true;
}

static void start(struct linear_search *s, enum linear_warm_ups warm_ups, int type, bool fewer)
{
    if (!write_recompute(s, type))
        return;
    for (int32_t stage = 0; stage < s->stages; stage++)
        s->trial.warm_up[stage] = linear_warm_up(s, warm_ups, stage);
    if (linear_fit(s, fewer))
        linear_try(s);
}

void linear_starts(struct linear_search *s)
{
    const int orders = s->task->keeps_order ? 1 : START_ORDERS;
    for (int order = 0; order < orders; order++)
        for (int warm_ups = LINEAR_ANY_WARM_UP; warm_ups <= LINEAR_WARM_UP_CYCLIC; warm_ups++)
            for (int type = 0; type < START_TYPES; type++)
                for (int fewer = 0; fewer < 2; fewer++) {
                    if (s->warm_ups != LINEAR_ANY_WARM_UP && warm_ups != (int)s->warm_ups)
                        continue;
                    if ((s->is_over =
                             s->is_over || poll_over_after(s->poll, POLL_STEPS / 16)) ||
                        (s->makespan < HUGE_VAL && s->evaluations >= s->task->budget))
                        return;
                    write_order(s, (enum start_order)order);
                    start(s, (enum linear_warm_ups)warm_ups, type, fewer == 1);
                }
}
