// SPDX-License-Identifier: Apache-2.0
// Hands timelines of steps to the writer of timelines.
#include "planner/shared/plan_trace.h"

#include "base/math/units.h"
#include "engine/trace/trace_write.h"
#include "planner/shared/files.h"

#include <stdio.h>
#include <string.h>

enum pps_status plan_trace_check(const char *path, const struct pps_gate *gate,
                                 struct pps_error *err)
{
    enum pps_trace_form form;
    if (!pps_trace_form_of(path, &form) || strcmp(path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--trace %s: end the name in .json, .svg, .png or .csv", path);
    return plan_check_file(path, gate, err);
}

struct step_trace plan_trace_of(const struct configuration_step *step)
{
    return (struct step_trace){.pipeline = step->work,
                               .order = step->order,
                               .starts = step->starts,
                               .ends = step->ends,
                               .time = 1e6,
                               .memory = units_to_gib(1)};
}

void plan_trace_name(char *title, size_t size, const struct modeldesc *model,
                     const struct cluster *cluster, const struct nd_strategy *strategy,
                     int64_t vp)
{
    const char *device = cluster->hardware.name;
    snprintf(title, size, "%s on %lld %s: dp=%d tp=%d cp=%d pp=%d ep=%d vp=%lld",
             model->name[0] != '\0' ? model->name : "pipeline", (long long)cluster->world_size,
             device[0] != '\0' ? device : "devices", strategy->dp, strategy->tp, strategy->cp,
             strategy->pp, strategy->ep, (long long)vp);
}

static enum pps_status tell(void *self, const struct pps_trace_sink *sink,
                            struct pps_error *err)
{
    return step_trace_send(self, sink) == PPS_DONE ? PPS_OK : pps_fail_memory(err, "the trace");
}

enum pps_status plan_trace_write(const char *path, const struct pps_gate *gate,
                                 const char *title, const struct step_trace *trace,
                                 const char *time_unit, double until, struct pps_error *err)
{
    struct step_trace told = *trace;
    struct pps_trace_names names = trace->time > 0 ? step_trace_names_us : step_trace_names;
    struct pps_tracewrite write = {.path = path,
                                   .gate = gate,
                                   .title = title,
                                   .window = {0, until},
                                   .names = &names,
                                   .tell = tell,
                                   .self = &told};
    if (time_unit != NULL)
        names.time_unit = time_unit;
    pps_trace_form_of(path, &write.form);
    return pps_tracewrite(&write, err);
}
