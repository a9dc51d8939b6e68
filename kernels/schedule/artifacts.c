// SPDX-License-Identifier: Apache-2.0
// Writes what the kernel knows of a point besides its row: the order of operations, and the plan.
#include "kernels/common/plan/plan_json.h"
#include "kernels/schedule/orders/order_document.h"
#include "kernels/schedule/table.h"
#include "kernels/schedule/timeline.h"

#include <math.h>
#include <stdio.h>

enum { ARTIFACT_ORDER, ARTIFACT_PYTORCH, ARTIFACT_PLAN };

const struct pps_artifact schedule_artifacts[] = {
    [ARTIFACT_ORDER] = {"order", "the order of operations as text", ".txt"},
    [ARTIFACT_PYTORCH] = {"pytorch", "the order as CSV of torch.distributed.pipelining",
                          ".csv"},
    [ARTIFACT_PLAN] = {"plan", "times, memory and order as a plan", ".json"},
    {NULL, NULL, NULL},
};

// The stages of an order consist of the layers of its plan, unless parameters have changed their costs.
static bool add_layers(struct plan *plan, const struct schedule_point *point)
{
    const struct plan_scale *scale = &point->scale;
    if (point->plan == NULL || point->plan->layers == NULL || scale->f != 1 || scale->b != 1 ||
        scale->w != 1 || scale->memory_b != 1 || scale->memory_w != 1)
        return true;
    return plan_set_layers(plan, point->plan->layers);
}

bool schedule_write_plan(const struct schedule_scratch *scratch,
                         const struct schedule_point *point,
                         const struct schedule_figures *figures, struct text_buffer *text)
{
    const bool span = point->options.objective == FAMILY_SPAN;
    struct plan *plan = plan_new(&scratch->pipeline, &scratch->order);
    if (plan == NULL || !add_layers(plan, point)) {
        plan_free(plan);
        return false;
    }
    for (int part = 0; point->plan != NULL && part < PLAN_PARTS; part++)
        plan->makers[part] = point->plan->makers[part];
    plan_made_by(plan, PLAN_ORDER, point->family != NULL ? point->family->name : "order",
                 span ? "span" : "makespan",
                 span ? figures->metrics.span : figures->metrics.makespan,
                 figures->found.bound > 0 ? figures->found.bound : (double)NAN);
    plan_json_write(plan, text);
    plan_free(plan);
    return !text->failed;
}

static bool write_artifact(const struct schedule_scratch *scratch,
                           const struct schedule_point *point,
                           const struct schedule_figures *figures, int which,
                           struct text_buffer *text, struct pps_fault *fault)
{
    if (which == ARTIFACT_PLAN)
        return schedule_write_plan(scratch, point, figures, text);
    return order_write(which == ARTIFACT_PYTORCH ? ORDER_FORM_PYTORCH : ORDER_FORM_TEXT,
                       &scratch->pipeline, &scratch->order, text, fault) &&
           !text->failed;
}

enum pps_outcome schedule_artifact(const double *value, int which,
                                   const struct pps_worker *worker,
                                   const struct pps_text_sink *sink, struct pps_fault *fault)
{
    struct schedule_evaluated at;
    struct text_buffer text = {0};
    const enum pps_outcome outcome = schedule_evaluate_at(&at, value, worker);
    if (outcome == PPS_INFEASIBLE)
        snprintf(fault->text, sizeof fault->text, "does not fit: it needs a limit of %.10g",
                 at.figures.least_limit);
    if (outcome == PPS_FAILED)
        snprintf(fault->text, sizeof fault->text, "the family has no order for these times");
    if (outcome != PPS_DONE)
        return outcome;
    const bool done = write_artifact(&at.scratch, &at.point, &at.figures, which, &text, fault);
    if (done)
        sink->write(sink->self, text.text, text.n);
    text_buffer_free(&text);
    return done ? PPS_DONE : PPS_FAILED;
}
