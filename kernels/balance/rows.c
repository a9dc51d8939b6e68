// SPDX-License-Identifier: Apache-2.0
// Evaluates batches of points and writes their rows.
#include "kernels/balance/point.h"
#include "kernels/common/executor/reference.h"
#include "kernels/common/rows/row_put.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- reference ---------------------------------------------------------------------------------

static void set_times(struct pipeline *pipeline, const struct balance_point *point,
                      const struct balance_strategy *strategy)
{
    pipeline->links.latency = point->task.shape.transfer;
    for (int32_t k = 0; k < pipeline->shape.stages; k++) {
        const struct balance_chunk chunk = balance_chunk_of(
            &point->layers, strategy, k / strategy->stages, k % strategy->stages);
        pipeline->stage[k].f = chunk.forward;
        pipeline->stage[k].b = chunk.backward;
    }
}

// Returns the peak of a stage, by the order of its operations.
static double peak_of(const struct order *order, const struct balance_point *point,
                      const struct balance_strategy *strategy, int32_t stage)
{
    double now = balance_static_mb(&point->layers, strategy, stage), most = now;
    for (int32_t i = 0; i < order->n[stage]; i++) {
        const struct operation *op = &order->operations[order_at(order, stage, i)];
        const double mb =
            balance_chunk_of(&point->layers, strategy, op->stage / strategy->stages, stage)
                .activation_mb;
        now += op->type == OPERATION_F ? mb : -mb;
        most = fmax(most, now);
    }
    return most;
}

static double last_end(const struct order *order, const double *ends)
{
    double last = 0;
    for (int32_t s = 0; s < order->devices; s++)
        for (int32_t i = 0; i < order->n[s]; i++)
            last = fmax(last, ends[order_at(order, s, i)]);
    return last;
}

// Replaces the makespan, the peaks and the worst stage of the chosen strategy. Allocates. Returns false if the
// poll ended the simulation, or without memory.
static bool balance_refer(struct balance_scratch *scratch, const struct balance_point *point,
                          struct poll *poll, struct balance_figures *figures)
{
    const struct order *order = balance_replay_order(balance_search_replay(scratch->search));
    const struct balance_strategy *strategy = &figures->chosen->strategy;
    const struct pipeline_shape shape = balance_pipeline(&point->task.shape);
    struct balance_result *result = &figures->result;
    struct pipeline *pipeline = pipeline_new(&shape);
    const size_t n = (size_t)order->devices * (size_t)order->room;
    double *times = calloc(2 * n, sizeof *times);
    enum executor_status status;
    bool done = pipeline != NULL && times != NULL;
    if (done) {
        pipeline_place(pipeline, PIPELINE_LOOP);
        set_times(pipeline, point, strategy);
        done = reference_run(pipeline, order, NULL, poll, times, times + n, &status) &&
               status == EXECUTOR_DONE;
    }
    if (done) {
        result->makespan = last_end(order, times + n);
        result->worst = 0;
        for (int32_t s = 0; s < strategy->stages; s++) {
            result->peak_mb[s] = peak_of(order, point, strategy, s);
            if (result->peak_mb[s] > result->peak_mb[result->worst])
                result->worst = s;
        }
    }
    free(times);
    if (pipeline != NULL)
        pipeline_free(pipeline);
    return done;
}

// ---- rows ---------------------------------------------------------------------------------------

// Writes a list as "a b;c d": stages of a chunk, chunk after chunk.
static void put_list(const struct pps_batch *batch, size_t i, int column,
                     const struct balance_shape *shape, const int32_t *list)
{
    char *to = row_text(batch, balance_columns, i, column);
    size_t n = 0;
    for (int32_t k = 0; to != NULL && k < shape->stages * shape->chunks; k++) {
        char number[16];
        const char *before = k == 0 ? "" : k % shape->stages == 0 ? ";" : " ";
        const size_t length = (size_t)snprintf(number, sizeof number, "%s%d", before, list[k]);
        if (n + length + 3 > BALANCE_LIST_BYTES) {
            memcpy(to + n, "...", 4);
            return;
        }
        memcpy(to + n, number, length + 1);
        n += length;
    }
}

static void put_lists(const struct pps_batch *batch, size_t i,
                      const struct balance_point *point,
                      const struct balance_strategy *strategy, int32_t *lists)
{
    const struct balance_shape *shape = &point->task.shape;
    const size_t n = (size_t)shape->stages * (size_t)shape->chunks;
    balance_to_lists(&point->layers, strategy, lists, lists + n, lists + 2 * n, lists + 3 * n);
    for (int k = 0; k < 4; k++)
        put_list(batch, i, C_OFFSET + k, shape, lists + (size_t)k * n);
}

static void put_result(const struct pps_batch *batch, size_t i,
                       const struct balance_result *result)
{
    row_put(batch, i, C_STEP_TIME, result->makespan);
    row_put(batch, i, C_BUBBLE, result->bubble.real);
    row_put(batch, i, C_BUBBLE_IDEAL, result->bubble.ideal);
    row_put(batch, i, C_BUBBLE_IMBALANCE, result->bubble.imbalance);
    row_put(batch, i, C_BUBBLE_RECOMPUTE, result->bubble.recompute);
    row_put(batch, i, C_BUBBLE_TRANSFER, result->bubble.transfer);
    row_put(batch, i, C_PEAK, result->peak_mb[result->worst]);
    row_put(batch, i, C_WORST_STAGE, result->worst);
}

static void put_search(const struct pps_batch *batch, size_t i,
                       const struct balance_answer *answer, double step_time)
{
    const double bound = fmin(answer->bound, step_time);
    row_put(batch, i, C_BOUND, bound);
    row_put(batch, i, C_GAP, 100 * (step_time - bound) / step_time);
    row_put_text(batch, balance_columns, i, C_PROVEN,
                 answer->is_proven && step_time <= answer->best.makespan ? "yes" : "no");
    row_put(batch, i, C_EVALUATIONS, (double)answer->evaluations);
    if (!answer->proxy.is_known)
        return;
    row_put(batch, i, C_PROXY, answer->proxy_value);
    row_put(batch, i, C_PROXY_TIME, answer->proxy.makespan);
}

static enum pps_outcome run_point(const struct pps_batch *batch, size_t i, const double *value,
                                  const struct pps_worker *worker, bool plain)
{
    struct balance_point point;
    struct balance_scratch scratch;
    struct balance_figures figures;
    struct room room = {worker->scratch, 0};
    struct poll poll = poll_until(worker->stop);
    balance_point_set(&point, value, worker->shared);
    balance_scratch_take(&scratch, &point, &room);
    row_put_empty(batch, balance_columns, N_COLUMNS, i);
    const enum pps_outcome outcome = balance_evaluate(&scratch, &point, &poll, &figures);
    if (outcome == PPS_INFEASIBLE) {
        row_put(batch, i, C_PEAK, scratch.answer.lack.least_limit_mb);
        row_put(batch, i, C_WORST_STAGE, scratch.answer.lack.stage);
    }
    if (outcome != PPS_DONE)
        return outcome;
    if (plain && !balance_refer(&scratch, &point, &poll, &figures))
        return PPS_STOPPED;
    put_result(batch, i, &figures.result);
    put_search(batch, i, &scratch.answer, figures.result.makespan);
    row_put(batch, i, C_MANUAL_TIME, figures.manual_time);
    put_lists(batch, i, &point, &figures.chosen->strategy, scratch.lists);
    return PPS_DONE;
}

void balance_run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    row_run_points(batch, N_PARAMS, worker, run_point, false);
}

void balance_run_reference(const struct pps_batch *batch, const struct pps_worker *worker)
{
    row_run_points(batch, N_PARAMS, worker, run_point, true);
}
