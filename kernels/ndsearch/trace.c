// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of the step of a strategy.
#include "base/math/units.h"
#include "kernels/common/executor/step_trace.h"
#include "kernels/configuration/step.h"
#include "kernels/ndsearch/point.h"
#include "kernels/ndsearch/table.h"

#include <math.h>

// Returns the recomputation of a point; auto: the least that fits.
static enum nd_recompute recompute_of(struct nd_worker *w, const struct nd_shared *shared,
                                      const double *value, const struct nd_point *point)
{
    double modes[LAYERCOST_MODES];
    const bool any_mode = value[P_RECOMPUTE] == RECOMPUTE_AUTO;
    return nd_estimate_fitting(nd_worker_estimate(w, shared, value), nd_worker_cache(w), point,
                               any_mode ? nd_limit_of(shared, value) : (double)NAN, modes, NULL,
                               NULL);
}

static bool configure(struct configuration *c, struct nd_worker *w,
                      const struct nd_shared *shared, const double *value)
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

enum pps_outcome nd_trace(const double *value, const struct pps_worker *worker,
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
