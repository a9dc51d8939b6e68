// SPDX-License-Identifier: Apache-2.0
// Evaluates batches of points and writes their rows.
#include "kernels/common/executor/reference.h"
#include "kernels/common/rows/row_put.h"
#include "kernels/schedule/family_names.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/replicates.h"
#include "kernels/schedule/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- reference ---------------------------------------------------------------------------------

// Replaces metrics and idle time of the figures by those of the simulation. The order is that of the point in
// schedule_evaluate (PPS_DONE). Allocates; PPS_FAILED if memory runs out,
// PPS_STOPPED by the poll.
static enum pps_outcome schedule_refer(struct schedule_scratch *scratch,
                                       const struct schedule_point *point, struct poll *poll,
                                       struct schedule_figures *figures)
{
    const struct order *order = &scratch->order;
    const size_t n = (size_t)order->devices * (size_t)order->room;
    double *times = malloc(2 * n * sizeof *times + 1);
    enum executor_status status = EXECUTOR_DEADLOCK;
    const bool done =
        times != NULL &&
        (point->messages != NULL
             ? reference_run_blocking(&scratch->pipeline, order, point->messages, times,
                                      times + n, &status)
             : reference_run(&scratch->pipeline, order, NULL, poll, times, times + n, &status));
    if (done && status == EXECUTOR_DONE) {
        metrics_of(&scratch->pipeline, order, times, times + n, &figures->metrics,
                   scratch->busy, scratch->peak);
        metrics_idle_of(&scratch->pipeline, order, times, times + n, &figures->idle);
    }
    free(times);
    if (!done || status == EXECUTOR_DONE)
        return done ? PPS_DONE : PPS_FAILED;
    return status == EXECUTOR_STOPPED ? PPS_STOPPED : PPS_FAILED;
}

// ---- rows ---------------------------------------------------------------------------------------

// Writes the utilisation of every device, with one decimal, from tenths of a percent: the same text in
// every locale.
static void put_utilisation(const struct pps_batch *batch, size_t i,
                            const struct schedule_scratch *scratch, double makespan)
{
    if (batch->text[C_UTILISATION] == NULL)
        return;
    char *text =
        batch->text[C_UTILISATION] + i * (UTILISATION_BYTES * SCHEDULE_DEVICES_MAX + 1);
    size_t n = 0;
    text[0] = '\0';
    for (int32_t d = 0; d < scratch->pipeline.shape.devices; d++) {
        const double part = makespan > 0 ? scratch->busy[d] / makespan : 0;
        const int tenths = (int)floor(part * 1000 + 0.5);
        n += (size_t)snprintf(text + n, UTILISATION_BYTES + 1, "%s%d.%d", d > 0 ? ";" : "",
                              tenths / 10, tenths % 10);
    }
}

static void put_idle(const struct pps_batch *batch, size_t i, const struct metrics_idle *idle)
{
    row_put(batch, i, C_IDLE_WARM_UP, idle->warm_up);
    row_put(batch, i, C_IDLE_FORWARD, idle->forward);
    row_put(batch, i, C_IDLE_GRADIENT, idle->gradient);
    row_put(batch, i, C_IDLE_CHANNEL, idle->channel);
    row_put(batch, i, C_IDLE_COOL_DOWN, idle->cool_down);
}

static bool has_column(const struct pps_batch *batch, int first, int last)
{
    for (int c = first; c <= last; c++)
        if (batch->column[c] != NULL)
            return true;
    return false;
}

// Returns false if the poll ends the search for the path.
static bool put_critical(const struct pps_batch *batch, size_t i,
                         const struct schedule_scratch *scratch, struct poll *poll)
{
    struct critical path;
    if (!has_column(batch, C_CRITICAL_F, C_CRITICAL_MESSAGES))
        return true;
    if (!schedule_find_critical(scratch, poll, &path))
        return false;
    row_put(batch, i, C_CRITICAL_F, path.f + path.r);
    row_put(batch, i, C_CRITICAL_B, path.b);
    row_put(batch, i, C_CRITICAL_W, path.w);
    row_put(batch, i, C_CRITICAL_MESSAGES, path.messages);
    return true;
}

static void put_bound(const struct pps_batch *batch, size_t i,
                      const struct schedule_point *point,
                      const struct schedule_figures *figures)
{
    const struct family_result *found = &figures->found;
    const double value = point->options.objective == FAMILY_SPAN ? figures->metrics.span
                                                                 : figures->metrics.makespan;
    row_put(batch, i, C_BOUND, found->bound);
    row_put(batch, i, C_GAP,
            found->bound > 0 ? 100 * (value - found->bound) / found->bound : 0);
    row_put_text(batch, schedule_columns, i, C_PROVEN, found->proven ? "yes" : "no");
}

static void put_row(const struct pps_batch *batch, size_t i, const struct schedule_point *point,
                    const struct schedule_scratch *scratch,
                    const struct schedule_figures *figures)
{
    const struct metrics *m = &figures->metrics;
    const struct family *chosen = figures->found.chosen;
    row_put(batch, i, C_MAKESPAN, m->makespan);
    row_put(batch, i, C_SPAN, m->span);
    row_put(batch, i, C_BUBBLE, 100 * m->bubble_ratio);
    row_put(batch, i, C_BUBBLE_SPAN, 100 * m->bubble_ratio_span);
    row_put(batch, i, C_BUBBLE_IDEAL, 100 * m->bubble_to_ideal);
    row_put(batch, i, C_THROUGHPUT, m->throughput);
    row_put(batch, i, C_PEAK, m->peak_most);
    row_put(batch, i, C_EVALUATIONS, (double)figures->found.evaluations);
    row_put(batch, i, C_BUBBLE_TIME, m->bubble_time);
    put_bound(batch, i, point, figures);
    put_idle(batch, i, &figures->idle);
    put_utilisation(batch, i, scratch, m->makespan);
    row_put_text(batch, schedule_columns, i, C_CHOSEN,
                 chosen != NULL          ? chosen->name
                 : point->family != NULL ? point->family->name
                                         : "order");
}

static void put_replicates(const struct pps_batch *batch, size_t i,
                           const struct replicates_figures *figures)
{
    row_put(batch, i, C_MEAN, figures->mean);
    row_put(batch, i, C_MEAN_HALF, figures->half);
    row_put(batch, i, C_P50, figures->p50);
    row_put(batch, i, C_P95, figures->p95);
    row_put(batch, i, C_P99, figures->p99);
    row_put(batch, i, C_VS_STATIC, figures->vs_static);
    row_put(batch, i, C_VS_STATIC_HALF, figures->vs_static_half);
    row_put(batch, i, C_WON, 100 * figures->won);
    if (figures->clairvoyant == 0 && figures->mean > 0)
        return; // no bound is known: durations depend on the start
    row_put(batch, i, C_CLAIRVOYANT, figures->clairvoyant);
    row_put(batch, i, C_MEMORY_BOUND, figures->memory);
    row_put(batch, i, C_MEAN_GAP,
            figures->mean > 0 ? 100 * (figures->mean / figures->clairvoyant - 1) : 0);
}

// Takes the memory of all replicates of the point. NULL: one step with the nominal times tells all.
static double *take_samples(struct replicates *r, const struct schedule_point *point,
                            struct room *room)
{
    const bool equal = replicates_are_equal(point);
    const size_t n = equal ? 1 : point->n_replicates;
    if (equal && point->rule == RULE_STATIC)
        return NULL;
    replicates_take(r, point, room);
    return room_take(room, 2 * n, sizeof(double));
}

// Runs the replicates, if a column of them is wanted.
static enum pps_outcome run_replicates(const struct pps_batch *batch, size_t i,
                                       const struct schedule_point *point,
                                       const struct schedule_scratch *scratch,
                                       struct room *room, struct poll *poll, bool plain)
{
    struct replicates replicates;
    struct replicates_figures figures;
    if (!has_column(batch, C_MEAN, C_MEAN_GAP))
        return PPS_DONE;
    double *samples = take_samples(&replicates, point, room);
    if (samples == NULL) {
        replicates_plain(&scratch->pipeline, scratch->peak,
                         executor_makespan(scratch->executor), &figures);
        put_replicates(batch, i, &figures);
        return PPS_DONE;
    }
    if (replicates_open(&replicates, point, &scratch->pipeline, &scratch->order,
                        scratch->executor, scratch->peak) != NULL)
        return PPS_DONE; // family best has chosen an order with pairs: empty columns
    replicates.without_bounds = !has_column(batch, C_CLAIRVOYANT, C_MEAN_GAP);
    if (!replicates_measure(&replicates, plain, samples, poll, &figures))
        return PPS_STOPPED;
    put_replicates(batch, i, &figures);
    return PPS_DONE;
}

_Static_assert((int)N_PARAMS <= (int)ROW_PARAMS_MAX, "values of a row");

static enum pps_outcome run_point(const struct pps_batch *batch, size_t i, const double *value,
                                  const struct pps_worker *worker, bool plain)
{
    struct schedule_evaluated at;
    row_put_empty(batch, schedule_columns, N_COLUMNS, i);
    enum pps_outcome outcome = schedule_evaluate_at(&at, value, worker);
    if (outcome == PPS_DONE && plain)
        outcome = schedule_refer(&at.scratch, &at.point, &at.poll, &at.figures);
    row_put(batch, i, C_CHUNKS, at.scratch.pipeline.shape.stages / at.point.shape.devices);
    if (outcome == PPS_DONE) {
        put_row(batch, i, &at.point, &at.scratch, &at.figures);
        if (!put_critical(batch, i, &at.scratch, &at.poll))
            return PPS_STOPPED;
        outcome = run_replicates(batch, i, &at.point, &at.scratch, &at.room, &at.poll, plain);
    }
    if (outcome == PPS_INFEASIBLE)
        row_put(batch, i, C_PEAK, at.figures.least_limit);
    return outcome;
}

void schedule_run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    row_run_points(batch, N_PARAMS, worker, run_point, false);
}

void schedule_run_reference(const struct pps_batch *batch, const struct pps_worker *worker)
{
    row_run_points(batch, N_PARAMS, worker, run_point, true);
}

// ---- scratch and cost ---------------------------------------------------------------------------

// Returns the scratch of a point; 0: no such point.
static size_t scratch_of(const double *value, const void *shared)
{
    const struct schedule_point point = schedule_point_of(value, shared);
    struct schedule_scratch scratch;
    struct replicates replicates;
    struct room room = {NULL, 0};
    if (point.shape.devices == 0 || // no order
        (point.family != NULL && !family_is_in_reach(point.family, &point.shape)))
        return 0;
    if (!schedule_is_small(&point.shape))
        return SIZE_MAX;
    schedule_scratch_take(&scratch, &point, &room);
    take_samples(&replicates, &point, &room);
    return room.used;
}

// Returns the largest scratch of points up to the highest in which `limited`, a family with forwards_most,
// takes part: alone or in the portfolio.
static size_t scratch_with(const struct family *limited, const double *highest,
                           const void *shared)
{
    const double chunks = fmax(1, limited->chunks((int32_t)highest[P_V]));
    size_t most = 0;
    double value[N_PARAMS];
    memcpy(value, highest, sizeof value);
    for (int32_t p = 1; p <= highest[P_P]; p++) {
        value[P_P] = p;
        value[P_M] = fmin(highest[P_M], floor((double)limited->forwards_most / (p * chunks)));
        if (value[P_M] < 1)
            break;
        const size_t bytes = scratch_of(value, shared);
        most = bytes > most ? bytes : most;
    }
    return most;
}

// The largest scratch of the families up to the highest.
static size_t scratch_of_families(const double *highest, const void *shared)
{
    size_t most = 0;
    double value[N_PARAMS];
    memcpy(value, highest, sizeof value);
    for (int i = 0; i <= (int)highest[P_FAMILY]; i++) {
        const struct family *family = schedule_family_at(i);
        value[P_FAMILY] = i;
        size_t bytes = scratch_of(value, shared);
        most = bytes > most ? bytes : most;
        for (int k = 0; family != NULL && family->kind == FAMILY_SEARCH && families[k] != NULL;
             k++) {
            if (families[k]->forwards_most == 0)
                continue;
            bytes = scratch_with(families[k], value, shared);
            most = bytes > most ? bytes : most;
        }
    }
    return most;
}

// Schedules as published try no alternatives and need less memory than the others.
size_t schedule_scratch_bytes(const double *highest, const void *shared)
{
    size_t most = 0;
    double value[N_PARAMS];
    memcpy(value, highest, sizeof value);
    for (int compat = 0; compat <= (int)highest[P_COMPAT]; compat++) {
        value[P_COMPAT] = compat;
        const size_t bytes = scratch_of_families(value, shared);
        most = bytes > most ? bytes : most;
    }
    return most;
}

// Operations take about 30 ns each, and as long in every replicate; searches evaluate an order up to `budget` times.
double schedule_cost(const double *value, const void *shared)
{
    const struct schedule_point point = schedule_point_of(value, shared);
    const double operations =
        3.0 * point.shape.stages * point.shape.micro_batches * point.shape.slices;
    const double runs = point.family == NULL || point.family->kind == FAMILY_RULE ? 1
                        : point.family->kind == FAMILY_AUTOMATIC                  ? 10
                                                                 : 10 + value[P_BUDGET];
    const double replicates = replicates_are_equal(&point) ? 0 : point.n_replicates;
    return 1000 + 30 * operations * (runs + replicates);
}
