// SPDX-License-Identifier: Apache-2.0
// The metrics of a point: what the event loop adds up for them, and what they are in the end. Part
// of model.c.
#ifndef PPS_CONTENTION_METRICS_H
#define PPS_CONTENTION_METRICS_H

#include "state.h"

// ---- while events go by ---------------------------------------------------------------------

// A task of the kind, ready since then, has finished.
ALWAYS_INLINE void count_latency(struct sim *s, int kind, double ready)
{
    s->latency[kind] += clock_time(s) - ready;
}

// Stage j waits for something that is on its way.
static bool exposed(const struct sim *s, int32_t j)
{
    const struct stage *st = &s->stages[j];
    return st->computing == 0 && ((j > 0 && class_count(st - 1, FWD) > 0) ||
                                  (j < s->p->gpus - 1 && class_count(st + 1, GRAD) > 0));
}

// The stage may wait, or no longer, from now on.
static void watch_exposed(struct sim *s, int32_t j)
{
    if (j < 0 || j >= s->p->gpus)
        return;
    struct stage_metrics *m = &s->metrics[j];
    bool now = exposed(s, j);
    if (now && !m->exposed)
        m->exposed_since = clock_time(s);
    if (!now && m->exposed)
        s->exposed += clock_time(s) - m->exposed_since;
    m->exposed = now;
}

// ---- in the end -----------------------------------------------------------------------------

// Number of synchronisations of a stage.
static double sync_count(const struct contention_point *p)
{
    return (double)((p->n - 1) / p->sync_freq + 1);
}

// All transfers' work over the time of all ports: a task's shares add up to its work.
static double port_utilization(const struct contention_point *p, double total_time)
{
    static const double ports[] =
        {[CONTENTION_SHARED] = 1, [CONTENTION_DUPLEX] = 2, [CONTENTION_IDEAL] = 3};
    double work =
        2 * (p->gpus - 1.0) * p->n * p->prop_len + (double)p->gpus * p->n * p->sync_base_len;
    return work / (ports[p->channels] * p->gpus * total_time);
}

static void summarise(const struct sim *s, struct contention_result *result)
{
    const struct contention_point *p = s->p;
    double area = p->gpus * result->total_time;
    double props = (p->gpus - 1.0) * p->n;
    double counts[CONTENTION_N_SHARING] = {props, props, p->gpus * sync_count(p)};
    result->bubble_ratio = 1 - s->busy / area;
    result->compute_slowdown = s->busy / ((double)p->gpus * p->n * (p->fwd_len + p->bwd_len));
    result->port_utilization = port_utilization(p, result->total_time);
    result->exposed_comm = s->exposed / area;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        result->latency[k] = counts[k] > 0 ? s->latency[k] / counts[k] : 0;
    result->throttled_tasks = s->throttled_tasks;
    result->peak_in_flight = s->peak_in_flight;
}

#endif
