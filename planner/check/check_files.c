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

#include <math.h>
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

enum { DRAWN = 16 }; // passes of a stage after the fill of the pipeline that a page can show

// Returns the share of the pipeline's time that fits on a page.
static double share_of_page(const struct configuration *c)
{
    const double fill = c->strategy.pp, n = configuration_run_micro_batches(c);
    return fmin(1, (fill + DRAWN / (double)c->strategy.vp) / (fill + n));
}

enum pps_status checked_write_trace(const struct checked *checked, const char *path, bool page,
                                    const struct pps_gate *gate, struct pps_error *err)
{
    const double share = page ? share_of_page(&checked->plan.configuration) : 1;
    const double until = checked->step.pipeline * share;
    const struct step_trace trace = plan_trace_of(&checked->step);
    const struct configuration *c = &checked->plan.configuration;
    char title[512];
    plan_trace_name(title, sizeof title, &c->model, &c->cluster, &c->strategy, c->strategy.vp);
    const size_t n = strlen(title);
    snprintf(title + n, sizeof title - n, ", pipeline of %s%s%s",
             pps_time_text(checked->step.pipeline).text, share < 1 ? ", the first " : "",
             share < 1 ? pps_time_text(until).text : "");
    return plan_trace_write(path, gate, title, &trace, NULL,
                            share < 1 ? until * trace.time : (double)INFINITY, err);
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
        status = checked_write_trace(checked, trace, false, gate, err);
    if (status == PPS_OK && trace != NULL)
        pps_say(stderr, "wrote     %s", trace);
    return status;
}
