// SPDX-License-Identifier: Apache-2.0
// ppsweep schedule check: checks an order of operations and executes it.
#include "planner/schedule/commands.h"

#include "base/text/say.h"
#include "planner/schedule/compare.h"
#include "planner/schedule/show.h"
#include "planner/schedule/units.h"

#include "engine/command/signals.h"

#include <stdio.h>
#include <stdlib.h>

static const struct pps_opt options[] = {
    {"plan", 0, "FILE", "plan with the times and memory of every stage, in s and bytes"},
    SCHEDULE_PIPELINE_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "ORDER is a text with one line per device (F0.0 F1.0 BW0.0 ...: type, micro-batch, stage), the\n"
    "CSV of torch.distributed.pipelining (0F0,0F1,0B0 ...), or JSON with these texts.\n"
    "\n"
    "If an operation is missing, appears twice or runs on a wrong device, or if the order\n"
    "deadlocks, the command names the device and the operation and ends with exit status 2.\n"
    "Otherwise it prints the times of every device.\n"
    "\n"
    "If the CSV lists sends and receives, they are executed as blocking ones, too: a message\n"
    "occupies both ends until both have come to it, as in NCCL. An order whose ranks list\n"
    "messages in different orders hangs then; the command names what each rank waits at.\n"
    "\n"
    "  ppsweep schedule --family zb_h1 -o zb && ppsweep schedule check zb/order.txt\n";

static const char *placement_name(const struct pipeline_shape *shape)
{
    return shape->directions > 1 ? ", two directions" : "";
}

static enum pps_status fail_limit(const struct schedule_inputs *inputs,
                                  const double value[N_PARAMS],
                                  const struct schedule_candidate *candidate,
                                  struct pps_error *err)
{
    const double least = candidate->figures.least_limit;
    if (value[P_LIMIT] < 0)
        return pps_fail(err, PPS_E_INFEASIBLE,
                        "%s: does not fit in the memory of the plan: it needs a limit of %s",
                        inputs->order_path, schedule_memory_text(inputs->plan, least).text);
    return pps_fail(err, PPS_E_INFEASIBLE,
                    "%s: does not fit: it needs a limit of %.10g, --limit is %.10g",
                    inputs->order_path, least, value[P_LIMIT]);
}

// Executes the order with blocking messages, and prints what that costs.
static void show_blocking(const struct schedule_inputs *inputs,
                          const struct schedule_candidate *candidate)
{
    const struct schedule_scratch *scratch = &candidate->scratch;
    const double makespan = candidate->figures.metrics.makespan;
    struct metrics m;
    if (executor_run_blocking(scratch->executor, &scratch->pipeline, &scratch->order,
                              &inputs->order.messages, NULL) != EXECUTOR_DONE)
        return;
    metrics_of(&scratch->pipeline, &scratch->order, executor_starts(scratch->executor),
               executor_ends(scratch->executor), &m, NULL, NULL);
    printf("\nblocking messages (both ends wait for each other): makespan %s (%+.2f %%), span "
           "%s, bubble %.2f %%\n",
           schedule_time_text(inputs->plan, m.makespan).text,
           makespan > 0 ? 100 * (m.makespan / makespan - 1) : 0,
           schedule_time_text(inputs->plan, m.span).text, 100 * m.bubble_ratio);
}

// Prints the figures of the order, without and with blocking messages.
static enum pps_status show(struct schedule_inputs *inputs, const double value[N_PARAMS],
                            const struct schedule_candidate *candidate, struct pps_error *err)
{
    const struct pipeline_shape *shape = &inputs->order.shape;
    const enum pps_status status = schedule_inputs_messages(inputs, err);
    pps_say(stdout, "%-9s %s: %d devices, %d stages, %d micro-batches%s",
            status == PPS_OK ? "OK" : "DEADLOCK", inputs->order_path, shape->devices,
            shape->stages, shape->micro_batches, placement_name(shape));
    if (candidate->outcome == CANDIDATE_OVER_LIMIT && status == PPS_OK)
        return fail_limit(inputs, value, candidate, err);
    if (candidate->outcome == CANDIDATE_OVER_LIMIT)
        return status;
    if (status != PPS_OK)
        pps_say(stdout, "with blocking messages; without:");
    schedule_show_one(candidate);
    if (status == PPS_OK && inputs->order.messages.first != NULL)
        show_blocking(inputs, candidate);
    return status;
}

static enum pps_status report(struct schedule_inputs *inputs, const double value[N_PARAMS],
                              struct pps_error *err)
{
    struct schedule_candidate candidate = {.label = inputs->order_path,
                                           .point = schedule_point_of(value, &inputs->shared)};
    if (candidate.point.messages != NULL) { // first without them
        candidate.point.messages = NULL;
        candidate.point.links.channels = PIPELINE_LINKS;
    }
    struct schedule_comparison comparison = {.list = &candidate,
                                             .n = 1,
                                             .stop = pps_signals_install()};
    enum pps_status status = schedule_compare(&comparison, 1, err);
    if (status == PPS_OK)
        status = show(inputs, value, &candidate, err);
    free(candidate.memory);
    free(comparison.known);
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
        status = schedule_inputs_plan(&inputs, pps_arg(args, "plan"), NULL, err);
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
