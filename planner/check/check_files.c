// SPDX-License-Identifier: Apache-2.0
// Writes plans and timelines of an evaluated training.
#include "planner/check/check_files.h"

#include "base/math/units.h"
#include "base/text/say.h"
#include "base/write/gate.h"
#include "engine/trace/trace_write.h"
#include "kernels/common/executor/step_trace.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/document.h"
#include "planner/shared/files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum pps_status check_files_check(const struct pps_args *args, struct pps_error *err)
{
    const char *plan = pps_arg(args, "plan"), *trace = pps_arg(args, "trace");
    enum pps_trace_form form;
    enum pps_status status = PPS_OK;
    if (trace != NULL && (!pps_trace_form_of(trace, &form) || strcmp(trace, "-") == 0))
        return pps_fail(err, PPS_E_INPUT,
                        "--trace %s: end the name in .json, .svg, .png or .csv", trace);
    if (plan != NULL && strcmp(plan, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--plan: write the name of a file");
    if (plan != NULL)
        status = plan_check_file(plan, pps_arg_gate(args), err);
    if (status == PPS_OK && trace != NULL)
        status = plan_check_file(trace, pps_arg_gate(args), err);
    return status;
}

static enum pps_status write_plan(const struct checked *checked,
                                  const char *path,
                                  const struct pps_gate *gate,
                                  struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    struct plan *plan = configuration_plan(&checked->plan.configuration, &checked->step);
    if (plan == NULL)
        return pps_fail_memory(err, "the plan");
    plan_json_write(plan, &text);
    plan_free(plan);
    const enum pps_status status = plan_write_text(path, &text, gate, err);
    if (status == PPS_OK)
        pps_say(stderr, "wrote     %s", path);
    return status;
}

static enum pps_status tell(void *self,
                            const struct pps_trace_sink *sink,
                            struct pps_error *err)
{
    const struct configuration_step *step = &((const struct checked *)self)->step;
    const struct step_trace trace = {.pipeline = step->work,
                                     .order = step->order,
                                     .starts = step->starts,
                                     .ends = step->ends,
                                     .time = 1e6,
                                     .memory = units_to_gib(1)};
    return step_trace_send(&trace, sink) == PPS_DONE ? PPS_OK
                                                     : pps_fail_memory(err, "the trace");
}

static enum pps_status write_trace(const struct checked *checked,
                                   const char *path,
                                   const struct pps_gate *gate,
                                   struct pps_error *err)
{
    struct checked told = *checked;
    char title[200];
    struct pps_tracewrite write = {.path = path,
                                   .gate = gate,
                                   .title = title,
                                   .window = {0, (double)INFINITY},
                                   .names = &step_trace_names_us,
                                   .tell = tell,
                                   .self = &told};
    snprintf(title, sizeof title, "%s: pipeline of %.6g s",
             checked->plan.configuration.model.name, checked->step.pipeline);
    pps_trace_form_of(path, &write.form);
    const enum pps_status status = pps_tracewrite(&write, err);
    if (status == PPS_OK)
        pps_say(stderr, "wrote     %s", path);
    return status;
}

enum pps_status check_files_write(const struct checked *checked,
                                  const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *plan = pps_arg(args, "plan"), *trace = pps_arg(args, "trace");
    const struct pps_gate *gate = pps_arg_gate(args);
    enum pps_status status = plan != NULL ? write_plan(checked, plan, gate, err) : PPS_OK;
    if (status == PPS_OK && trace != NULL)
        status = write_trace(checked, trace, gate, err);
    return status;
}
