// SPDX-License-Identifier: Apache-2.0
// Evaluates batches of points and writes their rows.
#include "kernels/common/rows/row_put.h"
#include "kernels/dynapipe/point.h"
#include "kernels/dynapipe/reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Writes an order as "3 0 2 1"; a long one ends with "...".
static void put_order(const struct pps_batch *batch, size_t i, const int32_t *order,
                      int32_t count)
{
    char *to = row_text(batch, dynapipe_columns, i, C_ORDER);
    size_t n = 0;
    for (int32_t k = 0; to != NULL && k < count; k++) {
        char number[16];
        const size_t length =
            (size_t)snprintf(number, sizeof number, "%s%d", k > 0 ? " " : "", (int)order[k]);
        if (n + length + 3 > ORDER_TEXT) {
            memcpy(to + n, "...", 4);
            return;
        }
        memcpy(to + n, number, length + 1);
        n += length;
    }
}

static void put_figures(const struct pps_batch *batch, size_t i,
                        const struct dynapipe_scratch *s, const struct dynapipe_figures *f)
{
    const double devices = s->point->setup.pipeline.devices,
                 replicas = s->point->setup.replicas;
    row_put(batch, i, C_MAKESPAN, f->makespan / 1000);
    row_put(batch, i, C_UTILISATION,
            f->makespan > 0 ? 100 * f->busy / (devices * replicas * f->makespan) : 0);
    row_put(batch, i, C_PEAK, f->peak);
    row_put(batch, i, C_WORST_DEVICE, f->worst_device);
    row_put_text(batch, dynapipe_columns, i, C_METHOD, f->method);
    row_put_text(batch, dynapipe_columns, i, C_MODE, f->mode);
    row_put(batch, i, C_EVALUATIONS, (double)f->evaluations);
    row_put(batch, i, C_FIRST_FIT, (double)f->first_fit);
    row_put(batch, i, C_BOUND, f->bound / 1000);
    row_put(batch, i, C_GAP, f->bound > 0 ? 100 * (f->makespan - f->bound) / f->bound : 0);
    row_put(batch, i, C_FULL, (double)f->full);
    row_put(batch, i, C_SELECTIVE, (double)f->selective);
    row_put(batch, i, C_SPEEDUP,
            f->plain < HUGE_VAL && f->makespan > 0 ? f->plain / f->makespan : (double)NAN);
    row_put(batch, i, C_MICRO_BATCHES, (double)f->micro_batches);
    put_order(batch, i, s->order, f->count);
    if (s->point->batch == NULL)
        return;
    row_put(batch, i, C_PADDING,
            f->padded > 0 ? 100 * (1 - (double)f->tokens / (double)f->padded) : 0);
    row_put(batch, i, C_TOKENS, f->makespan > 0 ? (double)f->tokens / (f->makespan / 1e6) : 0);
    row_put(batch, i, C_OBJECTIVE, f->objective);
}

// Replaces the makespan by that of a replay of the slowest replica. Returns false if the replay fails: it needs memory of its own.
static bool refer(struct dynapipe_scratch *s, struct poll *poll, struct dynapipe_figures *f)
{
    struct step_replica replica;
    if (f->makespan == 0 || strcmp(f->method, method_names[METHOD_CYCLIC]) == 0)
        return true; // the times of the cyclic method are its own
    if (dynapipe_plan(s, f->slowest, s->replica, &replica, poll) != PLAN_FOUND)
        return false;
    const struct rule *rule = replica.answer.rule;
    f->makespan = dynapipe_replay(&s->point->setup.pipeline, &rule->ordered, &rule->lanes);
    return !isnan(f->makespan);
}

static enum pps_outcome run_point(const struct pps_batch *batch, size_t i, const double *value,
                                  const struct pps_worker *worker, bool plain)
{
    struct dynapipe_scratch scratch;
    struct dynapipe_figures figures;
    struct step_caution caution = {.round = 0};
    struct poll poll = poll_until(worker->stop);
    dynapipe_scratch_open(&scratch, value, worker);
    row_put_empty(batch, dynapipe_columns, N_COLUMNS, i);
    const enum pps_outcome outcome = dynapipe_evaluate(&scratch, &poll, &figures, &caution);
    if (outcome == PPS_INFEASIBLE) {
        row_put(batch, i, C_PEAK, figures.needs);
        row_put(batch, i, C_WORST_DEVICE, figures.worst_device);
    }
    if (outcome != PPS_DONE)
        return outcome;
    if (plain && !refer(&scratch, &poll, &figures))
        return PPS_STOPPED;
    put_figures(batch, i, &scratch, &figures);
    return PPS_DONE;
}

void dynapipe_run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    row_run_points(batch, N_PARAMS, worker, run_point, false);
}

void dynapipe_run_reference(const struct pps_batch *batch, const struct pps_worker *worker)
{
    row_run_points(batch, N_PARAMS, worker, run_point, true);
}
