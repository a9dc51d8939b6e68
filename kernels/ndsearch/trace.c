// SPDX-License-Identifier: Apache-2.0
// The step of a strategy as a trace: passes of every stage, memory over time.
#include "kernels/ndsearch/pass_trace.h"
#include "kernels/ndsearch/point.h"
#include "kernels/ndsearch/table.h"

#include "base/math/units.h"
#include "kernels/ndsearch/estimate/step_times.h"

#include <math.h>

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
        passes.limit[i] = limit;
    if (done)
        nd_trace_passes(&passes, 1e6, units_to_gib(1), sink);
    passes_free(&passes);
    return done ? PPS_DONE : PPS_FAILED;
}
