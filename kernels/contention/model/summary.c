// SPDX-License-Identifier: Apache-2.0
// Computes the metrics of a point from what was watched while it was simulated.
#include "kernels/contention/model/model.h"

#include <math.h>

// Number of synchronisations of a stage.
static double sync_count(const struct contention_point *p)
{
    return (double)((p->n - 1) / p->sync_freq + 1);
}

double contention_port_utilization(const struct contention_point *p, double total_time)
{
    static const double ports[] =
        {[CONTENTION_SHARED] = 1, [CONTENTION_DUPLEX] = 2, [CONTENTION_IDEAL] = 3};
    double work = 2 * (p->gpus - 1.0) * p->n * p->prop_len + contention_all_sync_work(p);
    return work / (ports[p->channels] * p->gpus * total_time);
}

static void set_critical(const struct contention_point *p, const struct contention_watch *w,
                         struct contention_result *result)
{
    struct contention_parts *parts = &result->critical;
    double wait = 0;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        wait += w->critical_waits[k];
    parts->gpu = w->critical_gpu;
    // Tasks may end by eps_work early: then they take less than all their work.
    parts->slowdown = fmax(w->critical_busy - p->n * (p->fwd_len + p->bwd_len), 0);
    parts->compute = w->critical_busy - parts->slowdown;
    parts->bubble = fmax(w->critical_last - w->critical_busy - wait, 0);
    parts->final_sync = fmax(result->total_time - w->critical_last, 0);
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        parts->waits[k] = fmax(w->critical_waits[k], 0);
}

void contention_summarise(const struct contention_point *p, const struct contention_watch *w,
                          struct contention_result *result)
{
    const double area = p->gpus * result->total_time;
    const double props = (p->gpus - 1.0) * p->n;
    const double counts[CONTENTION_N_SHARING] = {props, props, p->gpus * sync_count(p)};
    result->bubble_ratio = 1 - w->busy / area;
    result->compute_slowdown = w->busy / ((double)p->gpus * p->n * (p->fwd_len + p->bwd_len));
    result->port_utilization = contention_port_utilization(p, result->total_time);
    result->exposed_comm = w->exposed / area;
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        result->latency[k] = counts[k] > 0 ? w->latency[k] / counts[k] : 0;
    result->throttled_tasks = (int64_t)w->throttled_tasks;
    result->peak_in_flight = w->peak_in_flight;
    set_critical(p, w, result);
}
