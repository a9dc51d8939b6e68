// SPDX-License-Identifier: Apache-2.0
// Writes the timeline and the plan of a split to files.
#include "base/text/say.h"
#include "base/write/gate.h"
#include "engine/trace/trace_write.h"
#include "planner/nd/commands/pipeline_report.h"

#include "planner/exchange/plan_file.h"
#include "planner/shared/files.h"

#include "base/math/units.h"
#include "kernels/common/plan/plan_json.h"
#include "kernels/common/split/playback.h"
#include "kernels/configuration/document.h"
#include "kernels/ndsearch/trace.h"
#include "planner/nd/input/choice_price.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- checks -------------------------------------------------------------------------------------

// The path may not be a folder that --output creates, and its folder must accept a file now.
static enum pps_status check_place(const struct nd_pipe *pipe,
                                   const struct nd_pipe_files *files,
                                   const char *option,
                                   const char *path,
                                   struct pps_error *err)
{
    const enum pps_status status = pps_gate_check(pipe->input->gate, path, err);
    if (status != PPS_OK)
        return status;
    if (nd_pipe_makes_folder(files, path))
        return pps_fail(err, PPS_E_INPUT, "%s %s: --output creates a folder with this name",
                        option, path);
    return plan_check_file(path, pipe->input->gate, err);
}

enum pps_status nd_pipe_check_trace(const struct nd_pipe *pipe,
                                    const struct nd_pipe_files *files,
                                    const char *path,
                                    struct pps_error *err)
{
    enum pps_trace_form form;
    if (!pps_trace_form_of(path, &form) || strcmp(path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--trace %s: end the name in .json, .svg or .csv",
                        path);
    return check_place(pipe, files, "--trace", path, err);
}

enum pps_status nd_pipe_check_plan(const struct nd_pipe *pipe,
                                   const struct nd_pipe_files *files,
                                   const char *path,
                                   struct pps_error *err)
{
    if (isnan(pipe->layer_ms))
        return pps_fail(err, PPS_E_INPUT,
                        "--plan %s: the time of a layer is not known; give a profile with its "
                        "column moe_bw (--parser-result)",
                        path);
    if (strcmp(path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--plan: write the name of a file");
    return check_place(pipe, files, "--plan", path, err);
}

// ---- writing ------------------------------------------------------------------------------------

struct telling {
    const struct nd_pipe *pipe;
    const struct nd_program *program;
    const struct nd_choice *choice;
};

static enum pps_status tell(void *self,
                            const struct pps_trace_sink *sink,
                            struct pps_error *err)
{
    const struct telling *t = self;
    const double layer_us = isnan(t->pipe->layer_ms) ? 1.0 : t->pipe->layer_ms * 1e3;
    const struct orders_shape shape = nd_program_shape(t->program);
    struct passes passes;
    const enum nd_outcome played = nd_play(t->program, t->choice, &shape, &passes);
    if (played == ND_DONE)
        nd_trace_passes(&passes, layer_us, 1 / UNITS_KIB, sink);
    passes_free(&passes);
    return played == ND_DONE ? PPS_OK : pps_fail_memory(err, "the trace");
}

static void name(const struct nd_pipe *pipe, char *title, size_t size)
{
    const struct nd_strategy *s = &pipe->strategy;
    const char *model = pipe->input->job.run.model.name;
    snprintf(title, size, "%s: dp=%d tp=%d cp=%d pp=%d ep=%d vp=%lld",
             model[0] != '\0' ? model : "pipeline", s->dp, s->tp, s->cp, s->pp, s->ep,
             (long long)pipe->key.vp);
}

enum pps_status nd_pipe_trace(const struct nd_pipe *pipe,
                              const struct nd_program *program,
                              const struct nd_choice *choice,
                              const char *path,
                              struct pps_error *err)
{
    char title[512];
    struct pps_trace_names names = nd_trace_names;
    struct telling telling = {pipe, program, choice};
    struct pps_tracewrite write = {.path = path,
                                   .gate = pipe->input->gate,
                                   .title = title,
                                   .window = {0, (double)INFINITY},
                                   .names = &names,
                                   .tell = tell,
                                   .self = &telling};
    if (isnan(pipe->layer_ms))
        names.time_unit = "layer forwards";
    name(pipe, title, sizeof title);
    pps_trace_form_of(path, &write.form);
    const enum pps_status status = pps_tracewrite(&write, err);
    if (status != PPS_OK)
        return status;
    pps_say(stdout, "wrote %s", path);
    pps_trace_say_next(stdout, write.form);
    return PPS_OK;
}

// ---- the plan -----------------------------------------------------------------------------------

// Returns the plan of the evaluated training where there is one. NULL: out of memory.
static struct plan *plan_of(const struct nd_pipe *pipe,
                            const struct nd_program *program,
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

enum pps_status nd_pipe_write_plan(const struct nd_pipe *pipe,
                                   struct plan *plan,
                                   const char *path,
                                   struct pps_error *err)
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

enum pps_status nd_pipe_plan(const struct nd_pipe *pipe,
                             const struct nd_program *program,
                             const struct nd_choice *choice,
                             const char *path,
                             struct pps_error *err)
{
    return nd_pipe_write_plan(pipe, plan_of(pipe, program, choice), path, err);
}
