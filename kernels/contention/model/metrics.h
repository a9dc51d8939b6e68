// SPDX-License-Identifier: Apache-2.0
// Sums of the metrics of a point in the event loop. Part of events.c.
#pragma once

#include "kernels/contention/model/shares.h"

// ---- while events go by ---------------------------------------------------------------------

// A task of the kind, ready since then, has finished.
ALWAYS_INLINE void count_latency(struct sim *s, int kind, double ready)
{
    s->latency[kind] += clock_time(s) - ready;
}

// A task of the stage has finished.
ALWAYS_INLINE void count_end(struct sim *s, int32_t j)
{
    s->metrics[j].end = clock_time(s);
}

// A compute task of the stage has finished.
ALWAYS_INLINE void count_compute(struct sim *s, int32_t j)
{
    struct stage_metrics *m = &s->metrics[j];
    m->last = m->end = clock_time(s);
    m->busy += m->last - m->started;
    s->busy += m->last - m->started;
}

// The stage from which transfers of class c come to stage j.
ALWAYS_INLINE int32_t sender_to(int32_t j, int c)
{
    return c == FWD ? j - 1 : j + 1;
}

// KIND_BITs of the transfers on their way to stage j.
static unsigned coming_to(const struct sim *s, int32_t j)
{
    unsigned coming = 0;
    for (int c = 0; c < 2; c++) {
        const int32_t from = sender_to(j, c);
        if (from >= 0 && from < s->p->gpus && class_count(&s->stages[from], c) > 0)
            coming |= KIND_BIT(c);
    }
    return coming;
}

// Returns the share of synchronisations in the port of the next transfer of class c to stage j;
// 0 if the receiver throttles that transfer.
static double sync_in_the_way(const struct sim *s, int32_t j, int c)
{
    const struct stage *from = &s->stages[sender_to(j, c)];
    const bool one_port = s->p->channels == CONTENTION_SHARED ||
                          (s->p->channels == CONTENTION_DUPLEX && c == GRAD);
    return one_port && from->throttled[c] == 0 ? from->rate[SYNC] + from->rate[LEFT] : 0;
}

// Adds `time` that the stage waited for transfers of kind c; synchronisations caused `sync` of
// it.
ALWAYS_INLINE void count_wait(struct stage_metrics *m, int c, double time, double sync)
{
    m->waits[c] += time - sync;
    m->waits[CONTENTION_GRAD_SYNC] += sync;
}

// Adds the waiting time of the stage since the last call. While both kinds are on their way,
// the stage waits for the kind of its next compute task.
static void end_wait(const struct sim *s, int32_t j)
{
    const struct stage *st = &s->stages[j];
    struct stage_metrics *m = &s->metrics[j];
    const double time = clock_time(s) - m->wait_since;
    if (m->coming == (KIND_BIT(FWD) | KIND_BIT(GRAD))) {
        m->unsettled += time;
        for (int c = 0; c < 2; c++)
            m->unsettled_sync[c] += time * m->sync[c];
    } else if (m->coming != 0) {
        const int c = m->coming == KIND_BIT(FWD) ? FWD : GRAD;
        count_wait(m, c, time, time * m->sync[c]);
    }
    if (st->computing != 0 && m->unsettled > 0) {
        const int c = st->computing - 1;
        count_wait(m, c, m->unsettled, m->unsettled_sync[c]);
        m->unsettled = m->unsettled_sync[0] = m->unsettled_sync[1] = 0;
    }
}

// Starts a new interval: the reason why the stage waits may change now.
static void watch_wait(struct sim *s, int32_t j)
{
    if (j < 0 || j >= s->p->gpus)
        return;
    struct stage_metrics *m = &s->metrics[j];
    const double now = clock_time(s);
    const unsigned coming = s->stages[j].computing == 0 ? coming_to(s, j) : 0;
    end_wait(s, j);
    if (coming != 0 && m->coming == 0)
        m->exposed_since = now;
    if (coming == 0 && m->coming != 0)
        s->exposed += now - m->exposed_since;
    m->wait_since = now;
    m->coming = coming;
    for (int c = 0; c < 2; c++)
        if (m->coming & KIND_BIT(c))
            m->sync[c] = sync_in_the_way(s, j, c);
}

// ---- in the end -----------------------------------------------------------------------------

// Returns the GPU whose last task ends last; of GPUs that end together, the lowest number.
static int32_t critical_gpu(const struct sim *s, double total_time)
{
    int32_t j = 0;
    while (s->metrics[j].end < total_time * (1 - CONTENTION_CRITICAL_SLACK))
        j++;
    return j;
}

static void summarise(const struct sim *s, struct contention_result *result)
{
    const int32_t critical = critical_gpu(s, result->total_time);
    const struct stage_metrics *m = &s->metrics[critical];
    struct contention_watch watched = {
        .busy = s->busy,
        .exposed = s->exposed,
        .throttled_tasks = (double)s->throttled_tasks,
        .peak_in_flight = s->peak_in_flight,
        .critical_gpu = critical,
        .critical_busy = m->busy,
        .critical_last = m->last,
    };
    for (int k = 0; k < CONTENTION_N_SHARING; k++) {
        watched.latency[k] = s->latency[k];
        watched.critical_waits[k] = m->waits[k];
    }
    contention_summarise(s->p, &watched, result);
}
