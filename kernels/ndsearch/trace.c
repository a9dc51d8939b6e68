// SPDX-License-Identifier: Apache-2.0
// Sends the memory limits and the memory held before the first pass, then one pass after another.
#include "kernels/ndsearch/trace.h"

#include "base/math/units.h"
#include "kernels/common/estimate/step_times.h"
#include "kernels/ndsearch/point.h"
#include "kernels/ndsearch/table.h"

#include <math.h>

// ---- passes -------------------------------------------------------------------------------------

static const char *const track_names[] = {"compute", NULL};
static const char *const kind_names[] = {"forward", "backward", NULL};
static const char *const counter_names[] = {"memory_gib", NULL};

const struct pps_trace_names nd_trace_names = {
    .group = "stage",
    .item = "micro_batch",
    .flag = "recomputes",
    .tracks = track_names,
    .kinds = kind_names,
    .counters = counter_names,
    .time_unit = "us",
};

// Labels number the passes of a kind: micro-batches, chunk by chunk.
static void send_pass(const struct passes *passes,
                      const struct pass *pass,
                      double us,
                      double gib,
                      const struct pps_trace_sink *sink)
{
    const struct orders_shape *shape = &passes->shape;
    const bool backward = pass->operation.type != OPERATION_F;
    const int32_t micro_batch = orders_micro_batch(shape, &pass->operation);
    const double time = backward ? pass->end : pass->start;
    sink->piece(sink->self,
                &(struct pps_piece){
                    .group = pass->stage,
                    .kind = backward,
                    .item = micro_batch,
                    .ordinal = orders_chunk(shape, &pass->operation) * shape->micro_batches +
                               micro_batch,
                    .start = pass->start * us,
                    .end = pass->end * us,
                    .rate = 1,
                    .flag = backward && passes->recomputes[pass->operation.stage]});
    sink->level(sink->self, &(struct pps_level){pass->stage, 0, time * us, pass->held * gib});
}

void nd_trace_passes(struct passes *passes,
                     double us,
                     double gib,
                     const struct pps_trace_sink *sink)
{
    passes_sort(passes);
    for (int32_t i = 0; i < passes->shape.stages; i++) {
        if (isfinite(passes->timed.pipeline.limit[i]))
            sink->limit(sink->self,
                        &(struct pps_limit){i, 0, passes->timed.pipeline.limit[i] * gib});
        sink->level(sink->self,
                    &(struct pps_level){i, 0, 0, passes->timed.pipeline.fixed[i] * gib});
    }
    for (int32_t p = 0; p < passes->n; p++)
        send_pass(passes, &passes->list[p], us, gib, sink);
}

// ---- the step of a strategy ---------------------------------------------------------------------

enum pps_outcome nd_trace(const double *value,
                          const struct pps_worker *worker,
                          const struct pps_trace_sink *sink)
{
    const struct nd_shared *shared = worker->shared;
    struct nd_worker *w = worker->scratch;
    double modes[LAYERCOST_MODES];
    struct passes passes;
    const struct nd_estimate *e = nd_worker_estimate(w, shared, value);
    struct nd_point point = nd_point_of(value);
    const double limit = nd_limit_of(shared, value);
    const bool any_mode = value[P_RECOMPUTE] == RECOMPUTE_AUTO;
    point.strategy.recompute = nd_estimate_fitting(
        e, nd_worker_cache(w), &point, any_mode ? limit : (double)NAN, modes, NULL, NULL);
    const bool done =
        nd_steptimes_of(&passes, e, nd_worker_cache(w), &point) == ND_STEPTIMES_DONE;
    for (int32_t i = 0; done && i < passes.shape.stages; i++)
        passes.timed.pipeline.limit[i] = limit;
    if (done)
        nd_trace_passes(&passes, 1e6, units_to_gib(1), sink);
    passes_free(&passes);
    return done ? PPS_DONE : PPS_FAILED;
}
