// SPDX-License-Identifier: Apache-2.0
// Between two events (steps c and d of model.md) free stages start compute tasks, and then all
// rates are set. Included in events.c only.
#pragma once

#include "kernels/contention/model/metrics.h"
#include "kernels/contention/model/shares.h"
#include "kernels/contention/model/times.h"

ALWAYS_INLINE int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

// A free stage takes a ready forward, or else a ready backward.
ALWAYS_INLINE void pick_compute(struct sim *s, struct stage *st, int32_t j,
                                enum observe observe)
{
    int c;
    if (st->computing != 0)
        return;
    if (st->done[FWD] < least(st->in[FWD], st->done[GRAD] + st->window))
        c = FWD;
    else if (st->done[GRAD] < least(st->in[GRAD], st->done[FWD]))
        c = GRAD;
    else
        return;
    if (!st->changed)
        advance(s, st);
    st->changed = true;
    st->computing = (uint8_t)(c + 1);
    st->rem[COMPUTE] = s->compute_len[c];
    if (observe == SLOPES)
        contention_slope_start(&s->slopes[j].rem[COMPUTE],
                               c == FWD ? PARAM_FWD_LEN : PARAM_BWD_LEN, 1);
    if (observe == METRICS)
        s->metrics[j].started = clock_time(s);
}

// Sets the rate that the synchronisations of the stage leave its compute task.
ALWAYS_INLINE void set_compute_rate(const struct sim *s, struct stage *st)
{
    st->rate[COMPUTE] = 1 - (st->rate[SYNC] + st->rate[LEFT]) * s->impact[st->computing];
}

ALWAYS_INLINE void update_stage(struct sim *s, int32_t j, enum observe observe)
{
    struct stage *st = &s->stages[j];
    st->touched = false;
    if (!st->changed)
        return;
    set_compute_rate(s, st);
    set_times(s, st, j);
    st->changed = st->port_changed = false;
    if (observe == TRACE)
        contention_tracer_rates(s, j);
    if (observe == METRICS)
        for (int32_t k = j - 1; k <= j + 1; k++)
            watch_wait(s, k);
}

// Returns whether a receiver one or two stages from j gets transfers from both sides.
ALWAYS_INLINE bool may_congest(const struct sim *s, int32_t j)
{
    const struct stage *st = &s->stages[j];
    return (j >= 2 && class_count(st, GRAD) > 0 && class_count(st - 2, FWD) > 0) ||
           (j + 2 < s->p->gpus && class_count(st, FWD) > 0 && class_count(st + 2, GRAD) > 0);
}

// Starts tasks and sets rates at the touched stages, for the time until the next event.
ALWAYS_INLINE void update_stages(struct sim *s, enum observe observe)
{
    bool congested = s->n_regions > 0;
    for (int32_t k = 0; k < s->n_touched; k++) {
        int32_t j = s->touched[k];
        struct stage *st = &s->stages[j];
        pick_compute(s, st, j, observe);
        if (!st->port_changed)
            continue;
        share_port(s, st);
        congested |= may_congest(s, j);
    }
    if (s->congestion && congested)
        contention_congest(s);
    for (int32_t k = 0; k < s->n_touched; k++)
        update_stage(s, s->touched[k], observe);
    s->n_touched = 0;
}
