// SPDX-License-Identifier: Apache-2.0
// Finishes tasks at an event and makes ready the tasks that waited for them, steps (a) and (b)
// of the definition. Part of events.c.
#pragma once

#include "kernels/contention/model/metrics.h"
#include "kernels/contention/model/shares.h"

// Input for a forward (c = FWD) or backward has come to stage j.
ALWAYS_INLINE void receive(struct sim *s, int32_t j, int c)
{
    s->stages[j].in[c]++;
    if (s->stages[j].computing == 0)
        touch(s, j);
}

// The derivatives of the work of a transfer that starts behind others, or alone.
static void start_transfer_slope(struct sim *s, int32_t j, int32_t i, int c)
{
    struct stage_slopes *slopes = &s->slopes[j];
    const bool alone = class_count(&s->stages[j], c) == 1;
    struct slope *slope = alone ? &slopes->rem[c] : &s->target_slope[(uint32_t)i & s->ring];
    contention_slope_start(slope, PARAM_PROP_LEN, 1);
    if (alone)
        slopes->served[c] = (struct slope){.by = {0}};
    else
        contention_slopes_add(slope, &slopes->served[c], 1);
}

// The forward or backward i of stage j has something to send, to stage j + 1 or j - 1.
ALWAYS_INLINE void send(struct sim *s, struct stage *st, int32_t j, int32_t i, int c,
                        enum observe observe)
{
    int32_t to = c == FWD ? j + 1 : j - 1;
    if (to < 0 || to >= s->p->gpus) {
        st->sent[c]++;
        return;
    }
    if (s->instant_prop) {
        st->sent[c]++;
        receive(s, to, c);
        return;
    }
    if (class_count(st, c) == 1) {
        st->rem[c] = s->p->prop_len;
        st->served[c] = 0;
    } else {
        s->target[(uint32_t)i & s->ring] = s->p->prop_len + st->served[c];
    }
    if (observe == METRICS)
        s->ready[(uint32_t)i & s->ring] = clock_time(s);
    if (observe == SLOPES)
        start_transfer_slope(s, j, i, c);
    st->port_changed = true;
}

// Starts the next regular synchronisation of the stage that is due, if none is active.
ALWAYS_INLINE void start_sync(struct sim *s, struct stage *st, int32_t j, enum observe observe)
{
    if (st->sync_pending == 0 || slot_active(st, SYNC))
        return;
    if (s->instant_sync) { // then none is ever active
        st->sync_pending = 0;
        return;
    }
    st->sync_pending--;
    st->sync_at += s->p->sync_freq;
    st->rem[SYNC] = s->sync_work;
    st->port_changed = true;
    if (observe == SLOPES)
        contention_slope_start(&s->slopes[j].rem[SYNC], PARAM_SYNC_BASE_LEN, s->p->sync_freq);
    if (observe == METRICS)
        s->metrics[j].ready[0] = clock_time(s);
}

ALWAYS_INLINE void synchronise(struct sim *s, struct stage *st, int32_t j, int32_t i,
                               enum observe observe)
{
    if (i + 1 == st->next_sync) {
        st->next_sync += s->p->sync_freq;
        st->sync_pending++;
        start_sync(s, st, j, observe);
    } else if (i == s->p->n - 1 && !s->instant_left) {
        st->rem[LEFT] = s->left_work;
        st->port_changed = true;
        if (observe == SLOPES)
            contention_slope_start(&s->slopes[j].rem[LEFT], PARAM_SYNC_BASE_LEN,
                                   s->p->n % s->p->sync_freq);
        if (observe == METRICS)
            s->metrics[j].ready[1] = clock_time(s);
    }
}

ALWAYS_INLINE void finish_compute(struct sim *s, struct stage *st, int32_t j,
                                  enum observe observe)
{
    int c = st->computing - 1;
    int32_t i = st->done[c]++;
    if (observe == TRACE)
        contention_tracer_finish(s, j, COMPUTE, i);
    st->computing = 0;
    st->rem[COMPUTE] = HUGE_VAL;
    if (observe == METRICS) {
        count_compute(s, j);
        if (st->done[FWD] - st->done[GRAD] > s->peak_in_flight)
            s->peak_in_flight = st->done[FWD] - st->done[GRAD];
    }
    if (c == FWD && i == s->p->n - 1 && j == s->p->gpus - 1)
        st->in[GRAD] = s->p->n; // what gpipe's backwards wait for
    send(s, st, j, i, c, observe);
    if (c == GRAD)
        synchronise(s, st, j, i, observe);
}

// A class that never empties would let `served` grow without limit, and lose digits.
static void restart_served(struct sim *s, struct stage *st, int c)
{
    for (int32_t i = st->sent[c] + 1; i < st->done[c]; i++) {
        s->target[(uint32_t)i & s->ring] -= st->served[c];
        if (s->slopes != NULL)
            contention_slopes_add(&s->target_slope[(uint32_t)i & s->ring],
                                  &s->slopes[st - s->stages].served[c], -1);
    }
    if (s->slopes != NULL)
        s->slopes[st - s->stages].served[c] = (struct slope){.by = {0}};
    st->served[c] = 0;
}

// The head of class c has finished.
ALWAYS_INLINE void finish_transfer(struct sim *s, struct stage *st, int32_t j, int c,
                                   enum observe observe)
{
    int32_t i = st->sent[c]++;
    if (observe == METRICS) {
        count_latency(s, c, s->ready[(uint32_t)i & s->ring]);
        count_end(s, j);
    }
    if (observe == TRACE)
        contention_tracer_finish(s, j, (enum slot)c, i);
    if (observe == SLOPES) {
        s->slopes[j].rem[c] = s->target_slope[(uint32_t)(i + 1) & s->ring];
        contention_slopes_add(&s->slopes[j].rem[c], &s->slopes[j].served[c], -1);
    }
    if (class_count(st, c) > 0)
        st->rem[c] = s->target[(uint32_t)(i + 1) & s->ring] - st->served[c];
    else
        st->rem[c] = HUGE_VAL;
    if (st->served[c] > 256 * s->p->prop_len)
        restart_served(s, st, c);
    st->port_changed = true;
    receive(s, c == FWD ? j + 1 : j - 1, c);
}

ALWAYS_INLINE void finish_sync(struct sim *s, struct stage *st, int32_t j, enum slot slot,
                               enum observe observe)
{
    if (observe == METRICS) {
        count_latency(s, CONTENTION_GRAD_SYNC, s->metrics[j].ready[slot - SYNC]);
        count_end(s, j);
    }
    if (observe == TRACE)
        contention_tracer_finish(s, j, slot, slot == SYNC ? st->sync_at : s->p->n - 1);
    st->rem[slot] = HUGE_VAL;
    st->port_changed = true;
    if (slot == SYNC)
        start_sync(s, st, j, observe);
}

// Finishes the tasks of the stage with at most eps_work left; returns whether there was any.
// Transfers go first: the transfers that the compute task starts have all their work left.
ALWAYS_INLINE bool finish_tasks(struct sim *s, struct stage *st, int32_t j,
                                enum observe observe)
{
    const double eps = s->eps_work;
    bool any = false;
    for (int c = 0; c < 2; c++)
        for (; st->rem[c] <= eps; any = true)
            finish_transfer(s, st, j, c, observe);
    if (st->rem[LEFT] <= eps) {
        finish_sync(s, st, j, LEFT, observe);
        any = true;
    }
    if (st->rem[SYNC] <= eps) {
        finish_sync(s, st, j, SYNC, observe);
        any = true;
    }
    if (st->rem[COMPUTE] <= eps) {
        finish_compute(s, st, j, observe);
        any = true;
    }
    return any;
}

// The task that ends now by the clock has more than eps_work left: the clock is too coarse for
// it. It has ended all the same.
static void end_first(struct stage *st)
{
    int first = 0;
    double least = HUGE_VAL;
    for (int k = 0; k <= COMPUTE; k++)
        if (st->rem[k] < HUGE_VAL && st->rate[k] > RATE_MIN &&
            st->rem[k] / st->rate[k] < least) {
            first = k;
            least = st->rem[k] / st->rate[k];
        }
    st->rem[first] = 0;
}

ALWAYS_INLINE void finish_stage(struct sim *s, int32_t j, enum observe observe)
{
    struct stage *st = &s->stages[j];
    advance(s, st);
    touch(s, j);
    st->changed = true;
    if (!finish_tasks(s, st, j, observe) && s->times[0][j].finish <= s->now) {
        end_first(st);
        finish_tasks(s, st, j, observe);
    }
}
