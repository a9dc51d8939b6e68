// SPDX-License-Identifier: Apache-2.0
// Writes the files of a comparison of schedules.
#include "planner/schedule/output.h"

#include "base/math/units.h"
#include "base/system/disk.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "engine/trace/trace_write.h"
#include "kernels/common/executor/step_trace.h"
#include "kernels/schedule/orders/pytorch_csv.h"
#include "kernels/schedule/timeline.h"
#include "planner/schedule/show.h"
#include "planner/shared/files.h"
#include "planner/shared/plan_trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const form_words[] =
    {[ORDER_FORM_TEXT] = "text", [ORDER_FORM_PYTORCH] = "pytorch", [ORDER_FORM_JSON] = "json"};
static const char *const form_names[] = {[ORDER_FORM_TEXT] = "order.txt",
                                         [ORDER_FORM_PYTORCH] = "order.csv",
                                         [ORDER_FORM_JSON] = "order.json"};
static const char table_name[] = "schedules.csv", timeline_name[] = "timeline.svg",
                  plan_name[] = "plan.json";

// ---- options ------------------------------------------------------------------------------------

static enum pps_status read_form(struct schedule_output *output, const struct pps_args *args,
                                 struct pps_error *err)
{
    const char *word = pps_arg(args, "to");
    output->messages = pps_arg(args, "messages") != NULL;
    for (int i = 0; word != NULL; i++) {
        if (i > ORDER_FORM_JSON)
            return pps_fail(err, PPS_E_INPUT, "--to %s: expected text, pytorch or json", word);
        if (strcmp(form_words[i], word) == 0) {
            output->form = (enum order_form)i;
            break;
        }
    }
    if (word != NULL && output->folder == NULL)
        return pps_fail(err, PPS_E_INPUT, "--to %s: add -o DIR, the folder to write to", word);
    if (output->messages && output->form != ORDER_FORM_PYTORCH)
        return pps_fail(err, PPS_E_INPUT, "--messages: add --to pytorch");
    return PPS_OK;
}

static enum pps_status path_of(const struct schedule_output *output, const char *name,
                               char path[PLAN_PATH], struct pps_error *err)
{
    if (snprintf(path, PLAN_PATH, "%s/%s", output->folder, name) < PLAN_PATH)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--output: the name is too long");
}

static enum pps_status check_files(const struct schedule_output *output, struct pps_error *err)
{
    const char *const names[] = {table_name, timeline_name, plan_name,
                                 form_names[output->form]};
    char room[4][PLAN_PATH];
    const char *paths[5] = {[4] = output->trace};
    enum pps_status status =
        output->folder != NULL ? plan_check_folder(output->folder, err) : PPS_OK;
    for (int i = 0; i < 4 && status == PPS_OK && output->folder != NULL; i++) {
        status = path_of(output, names[i], room[i], err);
        paths[i] = room[i];
    }
    return status == PPS_OK ? pps_gate_check_all(output->gate, paths, 5, err) : status;
}

enum pps_status schedule_read_output(struct schedule_output *output,
                                     const struct pps_args *args, struct pps_error *err)
{
    enum pps_trace_form form;
    *output = (struct schedule_output){.folder = pps_arg(args, "output"),
                                       .trace = pps_arg(args, "trace"),
                                       .gate = pps_arg_gate(args)};
    enum pps_status status = read_form(output, args, err);
    if (status == PPS_OK && output->trace != NULL &&
        (!pps_trace_form_of(output->trace, &form) || strcmp(output->trace, "-") == 0))
        return pps_fail(err, PPS_E_INPUT,
                        "--trace %s: end the name in .json, .svg, .png or .csv", output->trace);
    if (status == PPS_OK)
        status = check_files(output, err);
    return status == PPS_OK && output->trace != NULL
               ? plan_check_file(output->trace, output->gate, err)
               : status;
}

// ---- forms --------------------------------------------------------------------------------------

bool schedule_output_holds(const struct schedule_output *output,
                           const struct schedule_candidate *candidate, struct pps_fault *fault)
{
    return output->form != ORDER_FORM_PYTORCH ||
           pytorch_csv_holds(&candidate->point.shape, candidate->point.order, fault);
}

enum pps_status schedule_fail_form(const struct schedule_output *output,
                                   const struct schedule_candidate *candidate,
                                   struct pps_error *err)
{
    struct pps_fault fault = {.document = 0};
    (void)schedule_output_holds(output, candidate, &fault);
    return pps_fail(err, PPS_E_INPUT, "--to %s: %s: %s", form_words[output->form],
                    candidate->label, fault.text);
}

// ---- files --------------------------------------------------------------------------------------

static struct step_trace trace_of(const struct schedule_candidate *candidate)
{
    struct step_trace trace = schedule_timeline(&candidate->scratch);
    if (candidate->point.plan != NULL) {
        trace.time = 1e6;
        trace.memory = units_to_gib(1);
    }
    return trace;
}

static enum pps_status write_timeline(const struct schedule_output *output,
                                      const struct schedule_candidate *candidate,
                                      const char *path, struct pps_error *err)
{
    char title[512];
    enum pps_trace_form form;
    const struct pipeline_shape *shape = &candidate->point.shape;
    const double makespan = candidate->figures.metrics.makespan;
    const struct step_trace trace = trace_of(candidate);
    snprintf(title, sizeof title, "%s: %d devices, %s micro-batches, makespan %s",
             candidate->label, shape->devices, pps_count_text(shape->micro_batches).text,
             candidate->point.plan != NULL ? pps_time_text(makespan).text
                                           : pps_digits_text(makespan, 6).text);
    const enum pps_status status =
        plan_trace_write(path, output->gate, title, &trace, NULL, (double)INFINITY, err);
    if (status != PPS_OK)
        return status;
    pps_say(stdout, "wrote     %s", path);
    pps_trace_form_of(path, &form);
    pps_trace_say_next(stdout, form);
    return PPS_OK;
}

static enum pps_status write_text(const struct schedule_output *output, const char *path,
                                  struct text_buffer *text, struct pps_error *err)
{
    const enum pps_status status = plan_write_text(path, text, output->gate, err);
    if (status == PPS_OK)
        pps_say(stdout, "wrote     %s", path);
    return status;
}

static enum pps_status write_order(const struct schedule_output *output,
                                   const struct schedule_candidate *candidate,
                                   struct pps_error *err)
{
    char path[PLAN_PATH];
    struct pps_fault fault = {.document = 0};
    struct text_buffer text = {0};
    const struct schedule_scratch *scratch = &candidate->scratch;
    const enum pps_status status = path_of(output, form_names[output->form], path, err);
    if (status != PPS_OK)
        return status;
    const bool made =
        output->messages
            ? pytorch_csv_write(&scratch->pipeline, &scratch->order, true, &text, &fault)
            : order_write(output->form, &scratch->pipeline, &scratch->order, &text, &fault);
    if (made)
        return write_text(output, path, &text, err);
    text_buffer_free(&text);
    return fault.text[0] == '\0'
               ? pps_fail_memory(err, "%s", path)
               : pps_fail(err, PPS_E_INPUT, "--to %s: %s: %s", form_words[output->form],
                          candidate->label, fault.text);
}

static enum pps_status write_table(const struct schedule_output *output,
                                   const struct schedule_comparison *comparison,
                                   const struct schedule_candidate *base, struct pps_error *err)
{
    char path[PLAN_PATH];
    struct text_buffer text = {0};
    const enum pps_status status = path_of(output, table_name, path, err);
    if (status != PPS_OK)
        return status;
    schedule_show_csv(comparison, base, &text);
    return write_text(output, path, &text, err);
}

static enum pps_status write_plan(const struct schedule_output *output,
                                  const struct schedule_candidate *candidate,
                                  struct pps_error *err)
{
    char path[PLAN_PATH];
    struct text_buffer text = {0};
    const enum pps_status status = path_of(output, plan_name, path, err);
    if (status != PPS_OK)
        return status;
    if (schedule_write_plan(&candidate->scratch, &candidate->point, &candidate->figures, &text))
        return write_text(output, path, &text, err);
    text_buffer_free(&text);
    return pps_fail_memory(err, "%s", path);
}

static enum pps_status write_picture(const struct schedule_output *output,
                                     const struct schedule_candidate *chosen,
                                     struct pps_error *err)
{
    char path[PLAN_PATH];
    const enum pps_status status = path_of(output, timeline_name, path, err);
    return status == PPS_OK ? write_timeline(output, chosen, path, err) : status;
}

enum pps_status schedule_write_output(const struct schedule_output *output,
                                      const struct schedule_comparison *comparison,
                                      const struct schedule_candidate *base,
                                      const struct schedule_candidate *chosen,
                                      struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (output->folder == NULL && output->trace == NULL)
        return PPS_OK;
    if (chosen == NULL)
        return pps_fail(err, PPS_E_INFEASIBLE,
                        "nothing was written: the order to write does not fit");
    printf("\n");
    pps_say(stdout, "order     %s", chosen->label);
    if (output->folder != NULL) {
        status = pps_disk_make_folder(output->folder, err);
        if (status == PPS_OK)
            status = write_order(output, chosen, err);
        if (status == PPS_OK)
            status = write_plan(output, chosen, err);
        if (status == PPS_OK)
            status = write_table(output, comparison, base, err);
        if (status == PPS_OK)
            status = write_picture(output, chosen, err);
    }
    if (status == PPS_OK && output->trace != NULL)
        status = write_timeline(output, chosen, output->trace, err);
    return status;
}
