// SPDX-License-Identifier: Apache-2.0
// ppsweep schedule check: checks an order of operations and executes it.
#include "planner/schedule/commands.h"

#include "base/text/say.h"
#include "planner/schedule/compare.h"
#include "planner/schedule/show.h"

#include "engine/command/signals.h"

#include <stdio.h>
#include <stdlib.h>

static const struct pps_opt options[] = {
    {"plan", 0, "FILE", "plan with the times and memory of every stage, in s and bytes"},
    SCHEDULE_PIPELINE_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "ORDER is a text with one line per device (F0.0 F1.0 BW0.0 ...: type, micro-batch, stage), "
    "the\n"
    "CSV of torch.distributed.pipelining (0F0,0F1,0B0 ...), or JSON with these texts.\n"
    "\n"
    "If an operation is missing, appears twice or runs on a wrong device, or if the order\n"
    "deadlocks, the command names the device and the operation and ends with exit status 2.\n"
    "Otherwise it prints the times of every device.\n"
    "\n"
    "  ppsweep schedule --family zb_h1 -o zb && ppsweep schedule check zb/order.txt\n";

static const char *placement_name(const struct pipeline_shape *shape)
{
    return shape->directions > 1 ? ", two directions" : "";
}

static enum pps_status report(const struct schedule_inputs *inputs,
                              const double value[N_PARAMS],
                              struct pps_error *err)
{
    struct schedule_candidate candidate = {.label = inputs->order_path,
                                           .point = schedule_point_of(value, &inputs->shared)};
    struct schedule_comparison comparison = {.list = &candidate,
                                             .n = 1,
                                             .stop = pps_signals_install()};
    const struct pipeline_shape *shape = &inputs->order.shape;
    enum pps_status status = schedule_compare(&comparison, 1, err);
    if (status != PPS_OK) {
        free(candidate.memory);
        return status;
    }
    pps_say(stdout, "OK        %s: %d devices, %d stages, %d micro-batches%s",
            inputs->order_path, shape->devices, shape->stages, shape->micro_batches,
            placement_name(shape));
    if (candidate.outcome == CANDIDATE_OVER_LIMIT)
        status =
            value[P_LIMIT] < 0
                ? pps_fail(err, PPS_E_INFEASIBLE,
                           "%s: does not fit in the memory of the plan: it needs a limit of "
                           "%.10g",
                           inputs->order_path, candidate.figures.least_limit)
                : pps_fail(err, PPS_E_INFEASIBLE,
                           "%s: does not fit: it needs a limit of %.10g, --limit is %.10g",
                           inputs->order_path, candidate.figures.least_limit, value[P_LIMIT]);
    else
        schedule_show_one(&candidate);
    free(candidate.memory);
    return status;
}

// Prints every device that waits, if the order deadlocks.
static void explain(const struct schedule_inputs *inputs)
{
    struct text_buffer text = {.text = NULL};
    if (inputs->order.order != NULL && order_document_explain(&inputs->order, &text) &&
        text.n > 0)
        fputs(text.text, stdout);
    text_buffer_free(&text);
}

static enum pps_status check_main(const struct pps_args *args, struct pps_error *err)
{
    double value[N_PARAMS];
    struct schedule_inputs inputs = {.plan_path = NULL};
    enum pps_status status = PPS_OK;
    if (pps_arg(args, "plan") != NULL)
        status = schedule_inputs_plan(&inputs, pps_arg(args, "plan"), err);
    if (status == PPS_OK)
        status = schedule_inputs_order(&inputs, pps_arg_word(args, 0), err);
    if (status == PPS_E_INPUT)
        explain(&inputs);
    if (status == PPS_OK)
        status = schedule_read_values(value, &inputs, args, err);
    if (status == PPS_OK)
        status = report(&inputs, value, err);
    schedule_inputs_free(&inputs);
    return status;
}

const struct pps_command schedule_check_command = {
    .name = "schedule check",
    .summary = "check an order of operations: missing operations, deadlocks, times, memory",
    .usage = "[options] ORDER",
    .details = details,
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .main = check_main,
};
