// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of a point.
#include "kernels/schedule/timeline.h"

#include "kernels/schedule/replicates.h"
#include "kernels/schedule/table.h"

#include <stdlib.h>

struct step_trace schedule_timeline(const struct schedule_scratch *scratch)
{
    return (struct step_trace){.pipeline = &scratch->pipeline,
                               .order = &scratch->order,
                               .starts = executor_starts(scratch->executor),
                               .ends = executor_ends(scratch->executor)};
}

// Runs the first replicate of the point, under its rule, and sends its timeline.
static enum pps_outcome send_replicate(const struct schedule_point *point,
                                       const struct schedule_scratch *scratch,
                                       struct room *room, const struct pps_trace_sink *sink)
{
    struct replicates r;
    struct step_trace step = {.pipeline = &scratch->pipeline};
    replicates_take(&r, point, room);
    if (replicates_open(&r, point, &scratch->pipeline, &scratch->order, scratch->executor,
                        scratch->peak) != NULL)
        return PPS_FAILED;
    const size_t n = (size_t)scratch->order.devices * (size_t)scratch->order.room;
    double *lines = aligned_alloc(ROOM_ALIGNMENT, 2 * n * EXECUTOR_LANES * sizeof *lines);
    double *times = calloc(2 * n, sizeof *times);
    enum pps_outcome outcome = PPS_NO_MEMORY;
    if (lines != NULL && times != NULL) {
        replicates_draw(&r, point->first);
        step.times = &r.times;
        step.order = replicates_step(&r, lines, times, times + n);
        step.starts = times;
        step.ends = times + n;
        outcome = step.order != NULL ? step_trace_send(&step, sink) : PPS_FAILED;
    }
    free(lines);
    free(times);
    return outcome;
}

enum pps_outcome schedule_trace(const double *value, const struct pps_worker *worker,
                                const struct pps_trace_sink *sink)
{
    struct schedule_evaluated at;
    const enum pps_outcome outcome = schedule_evaluate_at(&at, value, worker);
    if (outcome != PPS_DONE)
        return outcome;
    if (at.point.rule != RULE_STATIC || !replicates_are_equal(&at.point))
        return send_replicate(&at.point, &at.scratch, &at.room, sink);
    const struct step_trace step = schedule_timeline(&at.scratch);
    return step_trace_send(&step, sink);
}
