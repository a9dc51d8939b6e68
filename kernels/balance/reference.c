// SPDX-License-Identifier: Apache-2.0
// Simulates a strategy event by event.
#include "kernels/balance/reference.h"

#include "kernels/common/executor/reference.h"

#include <math.h>
#include <stdlib.h>

static void set_times(struct pipeline *pipeline,
                      const struct balance_point *point,
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
static double peak_of(const struct order *order,
                      const struct balance_point *point,
                      const struct balance_strategy *strategy,
                      int32_t stage)
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

bool balance_refer(struct balance_scratch *scratch,
                   const struct balance_point *point,
                   struct poll *poll,
                   struct balance_figures *figures)
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
