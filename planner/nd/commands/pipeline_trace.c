// SPDX-License-Identifier: Apache-2.0
// Writes the timeline and the plan of a split to files.
#include "base/text/say.h"
#include "base/write/gate.h"
#include "engine/trace/trace_write.h"
#include "planner/nd/commands/pipeline_report.h"

#include "planner/exchange/plan_file.h"
#include "planner/shared/files.h"
#include "planner/shared/plan_trace.h"

#include "base/math/units.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/common/split/playback.h"
#include "kernels/configuration/document.h"
#include "planner/nd/input/choice_price.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- checks -------------------------------------------------------------------------------------

// The path may not be a folder that --output creates.
static enum pps_status check_place(const struct nd_pipe *pipe,
                                   const struct nd_pipe_files *files, const char *option,
                                   const char *path, struct pps_error *err)
{
    const enum pps_status status = pps_gate_check(pipe->input->gate, path, err);
    if (status != PPS_OK)
        return status;
    if (nd_pipe_makes_folder(files, path))
        return pps_fail(err, PPS_E_INPUT, "%s %s: --output creates a folder with this name",
                        option, path);
    return PPS_OK;
}

enum pps_status nd_pipe_check_trace(const struct nd_pipe *pipe,
                                    const struct nd_pipe_files *files, const char *path,
                                    struct pps_error *err)
{
    const enum pps_status status = check_place(pipe, files, "--trace", path, err);
    return status == PPS_OK ? plan_trace_check(path, pipe->input->gate, err) : status;
}

enum pps_status nd_pipe_check_plan(const struct nd_pipe *pipe,
                                   const struct nd_pipe_files *files, const char *path,
                                   struct pps_error *err)
{
    if (isnan(pipe->layer_ms))
        return pps_fail(err, PPS_E_INPUT,
                        "--plan %s: the time of a layer is not known; give a profile with its "
                        "column moe_bw (--parser-result)",
                        path);
    if (strcmp(path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--plan: write the name of a file");
    const enum pps_status status = check_place(pipe, files, "--plan", path, err);
    return status == PPS_OK ? plan_check_file(path, pipe->input->gate, err) : status;
}

// ---- writing ------------------------------------------------------------------------------------

enum pps_status nd_pipe_write_trace(const struct nd_pipe *pipe, const struct step_trace *trace,
                                    const char *path, struct pps_error *err)
{
    char title[512];
    enum pps_trace_form form;
    const struct plan_run *run = &pipe->input->job.run;
    plan_trace_name(title, sizeof title, &run->model, &run->cluster, &pipe->strategy,
                    pipe->key.vp);
    const enum pps_status status = plan_trace_write(
        path, pipe->input->gate, title, trace, isnan(pipe->layer_ms) ? "layer forwards" : NULL,
        (double)INFINITY, err);
    if (status != PPS_OK)
        return status;
    pps_trace_form_of(path, &form);
    pps_say(stdout, "wrote %s", path);
    pps_trace_say_next(stdout, form);
    return PPS_OK;
}

// Draws the program with its own times, where figures are not those of the evaluator.
static enum pps_status trace_program(const struct nd_pipe *pipe,
                                     const struct nd_program *program,
                                     const struct nd_choice *choice, const char *path,
                                     struct pps_error *err)
{
    const struct orders_shape shape = nd_program_shape(program);
    struct passes passes;
    enum pps_status status = PPS_OK;
    if (nd_play(program, choice, &shape, &passes) == ND_DONE) {
        struct pipeline *pipeline = &passes.timed.pipeline;
        for (int32_t k = 0; k < pipeline->shape.stages; k++)
            pipeline->stage[k].kept_until_b = passes.kept[k] / program->splits;
        const struct step_trace trace = {.pipeline = pipeline,
                                         .order = &passes.timed.order,
                                         .starts = executor_starts(passes.timed.executor),
                                         .ends = executor_ends(passes.timed.executor),
                                         .time =
                                             isnan(pipe->layer_ms) ? 1 : pipe->layer_ms * 1e3,
                                         .memory = 1 / UNITS_KIB};
        status = nd_pipe_write_trace(pipe, &trace, path, err);
    } else {
        status = pps_fail_memory(err, "the trace");
    }
    passes_free(&passes);
    return status;
}

enum pps_status nd_pipe_trace(const struct nd_pipe *pipe, const struct nd_program *program,
                              const struct nd_choice *choice, const char *path,
                              struct pps_error *err)
{
    struct configuration_step step;
    if (!pipe->priced)
        return trace_program(pipe, program, choice, path, err);
    const bool has = nd_pipe_step(pipe, program, choice, &step);
    const struct step_trace trace = plan_trace_of(&step);
    const enum pps_status status =
        has ? nd_pipe_write_trace(pipe, &trace, path, err) : pps_fail_memory(err, "the trace");
    configuration_step_free(&step);
    return status;
}

// ---- the plan -----------------------------------------------------------------------------------

// Returns the plan of the evaluated training where there is one. NULL: out of memory.
static struct plan *plan_of(const struct nd_pipe *pipe, const struct nd_program *program,
                            const struct nd_choice *choice)
{
    const struct nd_plan_units units = {.layer_s = pipe->layer_ms / 1e3,
                                        .weights_time = pipe->weights_time,
                                        .weights_memory = pipe->weights_memory,
                                        .times = nd_ratio_source_name(pipe->source)};
    struct configuration c = {.parts = NULL};
    struct configuration_step step;
    struct plan *plan = NULL;
    if (!pipe->priced)
        return nd_plan_of_choice(program, choice, &units);
    if (nd_pipe_step(pipe, program, choice, &step) &&
        (pipe->written->parts != NULL
             ? configuration_copy(&c, pipe->written)
             : nd_choice_configuration(&c, &pipe->input->job.run, &pipe->strategy, program,
                                       choice)))
        plan = configuration_plan(&c, &step);
    configuration_free(&c);
    configuration_step_free(&step);
    return plan;
}

enum pps_status nd_pipe_write_plan(const struct nd_pipe *pipe, struct plan *plan,
                                   const char *path, struct pps_error *err)
{
    struct text_buffer text = {.text = NULL};
    if (plan == NULL)
        return pps_fail_memory(err, "the plan");
    plan_json_write(plan, &text);
    plan_free(plan);
    const enum pps_status status = plan_write_text(path, &text, pipe->input->gate, err);
    text_buffer_free(&text);
    if (status == PPS_OK)
        pps_say(stdout, "wrote %s", path);
    return status;
}

enum pps_status nd_pipe_plan(const struct nd_pipe *pipe, const struct nd_program *program,
                             const struct nd_choice *choice, const char *path,
                             struct pps_error *err)
{
    return nd_pipe_write_plan(pipe, plan_of(pipe, program, choice), path, err);
}
