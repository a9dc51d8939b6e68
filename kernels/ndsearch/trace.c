// SPDX-License-Identifier: Apache-2.0
// Sends the memory limits and the memory held before the first pass, then one pass after another.
#include "kernels/ndsearch/trace.h"

#include "base/math/units.h"
#include "kernels/common/executor/step_trace.h"
#include "kernels/configuration/step.h"
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

// Returns the recomputation of a point; auto: the least that fits.
static enum nd_recompute recompute_of(struct nd_worker *w,
                                      const struct nd_shared *shared,
                                      const double *value,
                                      const struct nd_point *point)
{
    double modes[LAYERCOST_MODES];
    const bool any_mode = value[P_RECOMPUTE] == RECOMPUTE_AUTO;
    return nd_estimate_fitting(nd_worker_estimate(w, shared, value), nd_worker_cache(w), point,
                               any_mode ? nd_limit_of(shared, value) : (double)NAN, modes, NULL,
                               NULL);
}

static bool configure(struct configuration *c,
                      struct nd_worker *w,
                      const struct nd_shared *shared,
                      const double *value)
{
    struct nd_point point = nd_point_of(value);
    const struct nd_setting setting = nd_setting_of(shared, value);
    *c = (struct configuration){.model = *setting.model,
                                .cluster = setting.cluster,
                                .training = setting.training,
                                .recompute_group = 1};
    c->model.seq_length = point.seq_length;
    c->training.gbs = point.gbs;
    c->cluster.memory_limit = nd_limit_of(shared, value);
    c->strategy = point.strategy;
    configuration_set_schedule(c);
    if (!configuration_spread(c))
        return false;
    configuration_recompute(c, recompute_of(w, shared, value, &point));
    return true;
}

enum pps_outcome nd_trace(const double *value,
                          const struct pps_worker *worker,
                          const struct pps_trace_sink *sink)
{
    struct configuration c;
    struct configuration_step step = {.work = NULL};
    char why[256];
    enum pps_outcome outcome = PPS_FAILED;
    if (configure(&c, worker->scratch, worker->shared, value) &&
        configuration_has_order(&c, why, sizeof why) &&
        configuration_step_brief(&step, &c, NULL) == CONFIGURATION_DONE) {
        const struct step_trace trace = {.pipeline = step.work,
                                         .order = step.order,
                                         .starts = step.starts,
                                         .ends = step.ends,
                                         .time = 1e6,
                                         .memory = units_to_gib(1)};
        outcome = step_trace_send(&trace, sink);
    }
    configuration_step_free(&step);
    configuration_free(&c);
    return outcome;
}
