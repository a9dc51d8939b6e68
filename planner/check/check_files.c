// SPDX-License-Identifier: Apache-2.0
// Writes plans and timelines of an evaluated training.
#include "planner/check/check_files.h"

#include "base/text/human.h"
#include "base/text/say.h"
#include "base/write/gate.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/configuration/document.h"
#include "planner/shared/files.h"
#include "planner/shared/plan_trace.h"

#include <stdio.h>
#include <string.h>

enum pps_status check_files_check(const struct pps_args *args, struct pps_error *err)
{
    const char *plan = pps_arg(args, "plan"), *trace = pps_arg(args, "trace");
    enum pps_status status = PPS_OK;
    if (plan != NULL && strcmp(plan, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--plan: write the name of a file");
    if (plan != NULL)
        status = plan_check_file(plan, pps_arg_gate(args), err);
    if (status == PPS_OK && trace != NULL)
        status = plan_trace_check(trace, pps_arg_gate(args), err);
    return status;
}

enum pps_status checked_write_plan(const struct checked *checked, const char *path,
                                   const struct pps_gate *gate, struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    struct plan *plan = configuration_plan(&checked->plan.configuration, &checked->step);
    if (plan == NULL)
        return pps_fail_memory(err, "the plan");
    plan_json_write(plan, &text);
    plan_free(plan);
    return plan_write_text(path, &text, gate, err);
}

enum pps_status checked_write_trace(const struct checked *checked, const char *path,
                                    const struct pps_gate *gate, struct pps_error *err)
{
    const struct step_trace trace = plan_trace_of(&checked->step);
    const char *model = checked->plan.configuration.model.name;
    char title[200];
    snprintf(title, sizeof title, "%s%spipeline of %s", model, model[0] != '\0' ? ": " : "",
             pps_time_text(checked->step.pipeline).text);
    return plan_trace_write(path, gate, title, &trace, NULL, err);
}

enum pps_status check_files_write(const struct checked *checked, const struct pps_args *args,
                                  struct pps_error *err)
{
    const char *plan = pps_arg(args, "plan"), *trace = pps_arg(args, "trace");
    const struct pps_gate *gate = pps_arg_gate(args);
    enum pps_status status =
        plan != NULL ? checked_write_plan(checked, plan, gate, err) : PPS_OK;
    if (status == PPS_OK && plan != NULL)
        pps_say(stderr, "wrote     %s", plan);
    if (status == PPS_OK && trace != NULL)
        status = checked_write_trace(checked, trace, gate, err);
    if (status == PPS_OK && trace != NULL)
        pps_say(stderr, "wrote     %s", trace);
    return status;
}
