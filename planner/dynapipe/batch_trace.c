// SPDX-License-Identifier: Apache-2.0
// Sends the slowest replica of a plan to the writer of timelines.
#include "planner/dynapipe/batch_trace.h"

#include "base/text/human.h"
#include "kernels/dynapipe/output/timeline.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

static enum pps_status tell(void *self, const struct pps_trace_sink *sink,
                            struct pps_error *err)
{
    const struct planned *p = self;
    const struct step_replica *slowest = &p->step.replicas[p->figures.slowest];
    const struct plan_answer *a = &slowest->answer;
    const struct timeline timeline = {
        &p->step.setup->pipeline, &a->rule->ordered, &a->rule->lanes,
        a->rule->times,           a->order,          a->recompute};
    return timeline_send(&timeline, sink) ? PPS_OK : pps_fail_memory(err, "the timeline");
}

enum pps_status batch_trace_write(const struct dynaplan_request *request,
                                  const struct planned *planned, const char *name,
                                  const char *path, enum pps_trace_form form,
                                  const struct pps_gate *gate, struct pps_error *err)
{
    char title[512];
    snprintf(title, sizeof title, "%s; batch %s, replica %d of %d: %s, %s, peak %s MB",
             request->name, name, (int)planned->figures.slowest, (int)planned->step.n,
             planned->method, pps_time_text(planned->figures.makespan / 1e6).text,
             pps_count_text(planned->figures.peak).text);
    const struct pps_tracewrite write = {
        .path = path,
        .form = form,
        .gate = gate,
        .title = title,
        .names = &timeline_names,
        .window = {0, (double)INFINITY},
        .tell = tell,
        .self = (void *)(uintptr_t)planned,
    };
    return pps_tracewrite(&write, err);
}
