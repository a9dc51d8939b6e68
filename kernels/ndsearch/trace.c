// SPDX-License-Identifier: Apache-2.0
// The step of a strategy as a trace: passes of every stage, memory over time.
#include "face.h"
#include "point.h"

#include "kernels/common/units.h"
#include "kernels/ndsearch/estimate/steptimes.h"

#include <math.h>

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
};

// A unit of time is a microsecond. Labels count passes of a kind: micro-batches chunk by chunk.
static void tell_pass(const struct nd_steptimes *times,
                      const struct nd_pass *pass,
                      bool recomputes,
                      const struct pps_trace_sink *sink)
{
    const bool backward = pass->task.kind == ORDERS_BACKWARD;
    const double time = backward ? pass->end : pass->start;
    sink->piece(sink->self,
                &(struct pps_piece){.group = pass->stage,
                                    .kind = backward,
                                    .item = pass->task.micro_batch,
                                    .ordinal = pass->task.chunk * times->shape.micro_batches +
                                               pass->task.micro_batch,
                                    .start = pass->start * 1e6,
                                    .end = pass->end * 1e6,
                                    .rate = 1,
                                    .flag = backward && recomputes});
    sink->level(sink->self,
                &(struct pps_level){pass->stage, 0, time * 1e6, units_to_gib(pass->held)});
}

enum pps_outcome nd_trace(const double *value,
                          const struct pps_worker *worker,
                          const struct pps_trace_sink *sink)
{
    const struct nd_shared *shared = worker->shared;
    struct nd_worker *w = worker->scratch;
    double modes[LAYERCOST_MODES];
    struct nd_steptimes times;
    const struct nd_estimate *e = nd_worker_estimate(w, shared, value);
    struct nd_point point = nd_point_of(value);
    const double limit = nd_limit_of(shared, value);
    const bool any_mode = value[P_RECOMPUTE] == RECOMPUTE_AUTO;
    point.strategy.recompute = nd_estimate_fitting(
        e, nd_worker_cache(w), &point, any_mode ? limit : (double)NAN, modes, NULL, NULL);
    const bool done =
        nd_steptimes_of(&times, e, nd_worker_cache(w), &point) == ND_STEPTIMES_DONE;
    for (int32_t i = 0; done && i < times.shape.stages; i++) {
        if (isfinite(limit))
            sink->limit(sink->self, &(struct pps_limit){i, 0, units_to_gib(limit)});
        sink->level(sink->self, &(struct pps_level){i, 0, 0, units_to_gib(times.fixed[i])});
    }
    for (int32_t p = 0; done && p < times.n; p++)
        tell_pass(&times, &times.passes[p], point.strategy.recompute != ND_RECOMPUTE_NONE,
                  sink);
    nd_steptimes_free(&times);
    return done ? PPS_DONE : PPS_FAILED;
}
