// SPDX-License-Identifier: Apache-2.0
// The timeline of a split, as a file.
#include "toolpipe.h"

#include "kernels/common/units.h"
#include "kernels/ndsearch/passtrace.h"
#include "kernels/ndsearch/program/playback.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct telling {
    const struct nd_pipe *pipe;
    const struct nd_program *program;
    const struct nd_choice *choice;
};

enum pps_status nd_pipe_check_trace(const char *path, bool force, struct pps_error *err)
{
    enum pps_trace_form form;
    const bool known = pps_trace_form_of(path, &form);
    if (!known || strcmp(path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--trace %s: end the name in .json, .svg or .csv",
                        path);
    return pps_textfile_check(path, force, err);
}

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
    return played == ND_DONE ? PPS_OK : pps_fail(err, PPS_E_MACHINE, "no memory for the trace");
}

static void name(const struct nd_pipe *pipe, char *title, size_t size)
{
    const struct nd_strategy *s = &pipe->strategy;
    const char *model = pipe->input->job.model.name;
    snprintf(title, size, "%s: dp=%d tp=%d cp=%d pp=%d ep=%d vp=%lld%s",
             model[0] != '\0' ? model : "pipeline", s->dp, s->tp, s->cp, s->pp, s->ep,
             (long long)pipe->key.vp,
             isnan(pipe->layer_ms) ? " (a unit is the forward of a layer)" : "");
}

enum pps_status nd_pipe_trace(const struct nd_pipe *pipe,
                              const struct nd_program *program,
                              const struct nd_choice *choice,
                              const char *path,
                              struct pps_error *err)
{
    char title[512];
    struct telling telling = {pipe, program, choice};
    struct pps_tracewrite write = {.path = path,
                                   .force = pipe->input->force,
                                   .title = title,
                                   .window = {0, (double)INFINITY},
                                   .names = &nd_trace_names,
                                   .tell = tell,
                                   .self = &telling};
    name(pipe, title, sizeof title);
    pps_trace_form_of(path, &write.form);
    const enum pps_status status = pps_tracewrite(&write, err);
    if (status == PPS_OK)
        printf("wrote %s\n", path);
    return status;
}
