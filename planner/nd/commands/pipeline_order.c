// SPDX-License-Identifier: Apache-2.0
// Splits a model in the placement and order of the user's training, where the exact solver knows only loops
// with 1F1B.
#include "base/math/units.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "kernels/common/split/chunk.h"
#include "kernels/configuration/document.h"
#include "planner/nd/commands/pipeline_report.h"
#include "planner/nd/commands/search_report.h"
#include "planner/nd/launch/configuration.h"
#include "planner/nd/rank/ordered_split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool nd_pipe_is_ordered(const struct nd_pipe *pipe)
{
    const struct configuration *c = &pipe->mine.plan.configuration;
    return pipe->mine.has && pipe->at == pipe->of_document &&
           (configuration_is_ordered(c) || configuration_run_batch(c) > 0);
}

// ---- the report ---------------------------------------------------------------------------------

static void print_head(const struct nd_pipe *pipe, const struct configuration *c, bool given)
{
    const struct nd_strategy *s = &c->strategy;
    const char *name = c->model.name;
    pps_say(stdout,
            "%s: dp %d, tp %d, cp %d, pp %d, ep %d; %lld layers, %d chunk%s per stage, %d "
            "micro-batches",
            name[0] != '\0' ? name : "the model", s->dp, s->tp, s->cp, s->pp, s->ep,
            (long long)modeldesc_layers(&c->model), s->vp, s->vp == 1 ? "" : "s",
            configuration_micro_batches(c));
    printf("schedule  %s: %s\n", configuration_family(c)->name,
           given ? "the order of the file"
                 : "splits are tried in this order, one layer moved at a time; none is proven "
                   "best");
    if (pipe->input->quiet)
        return;
    plan_run_print_memory(&pipe->input->job.run);
    nd_note_trust(&pipe->input->job);
}

static void print_stages(const struct configuration *c, const struct configuration_step *step)
{
    printf("\n%5s %6s %6s %6s %6s %10s %10s %8s\n", "stage", "layers", "full", "select",
           "chunk", "peak GiB", "of GiB", "busy %");
    for (int32_t d = 0; d < c->strategy.pp; d++)
        for (int32_t v = 0; v < c->strategy.vp; v++) {
            const struct configuration_part *part = &c->parts[configuration_part_at(c, v, d)];
            char stage[16] = "";
            if (v == 0)
                snprintf(stage, sizeof stage, "%d", d);
            printf("%5s %6d %6d %6d %6d", stage, configuration_part_layers(part),
                   part->full[0] + part->full[1], part->select[0] + part->select[1], v);
            if (v == 0)
                printf(" %10.3f %10.3f %8.1f", units_to_gib(step->devices[d].peak),
                       units_to_gib(c->cluster.memory_limit), 100 * step->devices[d].busy);
            printf("\n");
        }
}

static void print_time(const struct nd_pipe *pipe, const struct configuration_step *step,
                       bool given)
{
    printf("\n%s: %s per step (pipeline %s)\n", given ? "Given" : "Best found",
           pps_time_text(step->seconds).text, pps_time_text(step->pipeline).text);
    nd_pipe_print_mine(pipe, units_to_ms(step->seconds));
}

// ---- files --------------------------------------------------------------------------------------

// Evaluates the best split again as the file that will be written says it.
static enum pps_status read_back(const struct nd_pipe *pipe, const struct nd_pipe_files *files,
                                 struct configuration *best, struct configuration_step *step,
                                 struct text_buffer *text, struct pps_error *err)
{
    if (files->folder == NULL || !files->configuration ||
        plan_run_configuration(&pipe->input->job.run) == NULL)
        return PPS_OK;
    enum pps_status status =
        nd_configuration_of(text, plan_run_configuration(&pipe->input->job.run), best, err);
    if (status == PPS_OK)
        status = nd_pipe_read_text(pipe, text, err);
    if (status != PPS_OK || pipe->written->parts == NULL)
        return status;
    configuration_free(best);
    configuration_step_free(step);
    if (!configuration_copy(best, pipe->written) ||
        configuration_step_brief(step, best, NULL) != CONFIGURATION_DONE)
        return pps_fail_memory(err, "the split");
    return PPS_OK;
}

// ---- all ----------------------------------------------------------------------------------------

static enum pps_status fail(enum configuration_status status, struct pps_error *err)
{
    return status == CONFIGURATION_STOPPED ? pps_fail(err, PPS_E_STOPPED, "stopped")
                                           : pps_fail_memory(err, "the split");
}

static enum pps_status find(const struct nd_pipe *pipe, const struct nd_program *program,
                            struct configuration *best, struct configuration_step *step,
                            struct pps_error *err)
{
    struct nd_solution loop = {.found = false};
    bool found = false;
    if (nd_pipe_solve(pipe, program, &loop) != ND_DONE) {
        nd_solution_free(&loop);
        return pps_fail_memory(err, "the pipeline program");
    }
    const struct nd_ordered ordered = {.mine = &pipe->mine.plan.configuration,
                                       .loop = loop.found ? &loop.choice : NULL,
                                       .dialect = program->dialect,
                                       .allow_select = program->allow_select,
                                       .allow_full = program->allow_full};
    const enum configuration_status status = nd_ordered_solve(&ordered, best, step, &found);
    nd_solution_free(&loop);
    if (status != CONFIGURATION_DONE)
        return fail(status, err);
    return found ? PPS_OK
                 : pps_fail(err, PPS_E_INFEASIBLE, "no split that was tried fits in memory");
}

// ---- a given split ------------------------------------------------------------------------------

// Sets the parts to the lists of --layers and --recompute, [chunk][stage].
static enum pps_status set_parts(struct configuration *c, const struct nd_pipe_request *request,
                                 const struct nd_program *program, struct pps_error *err)
{
    const int32_t n = c->n_parts, pp = c->strategy.pp;
    struct nd_pipe_split split = {.room = NULL};
    int32_t *lists = calloc(2 * (size_t)n, sizeof *lists);
    enum pps_status status =
        lists == NULL
            ? pps_fail_memory(err, "the split")
            : nd_pipe_split_read(&split, program, request->layers, request->recompute, err);
    for (int32_t k = 0; status == PPS_OK && k < n; k++) {
        const int32_t part = configuration_part_at(c, k / pp, k % pp);
        lists[part] = split.choice.layers[0][k] + split.choice.layers[1][k];
        lists[n + part] = split.choice.full[0][k] + split.choice.full[1][k];
    }
    if (status == PPS_OK)
        configuration_set_layers(c, lists, lists + n, NULL);
    nd_pipe_split_free(&split);
    free(lists);
    return status;
}

static enum pps_status take_given(const struct nd_pipe *pipe,
                                  const struct nd_pipe_request *request,
                                  const struct nd_program *program, struct configuration *c,
                                  struct configuration_step *step, struct pps_error *err)
{
    if (!configuration_copy(c, &pipe->mine.plan.configuration))
        return pps_fail_memory(err, "the split");
    if (strcmp(request->layers, "mine") != 0) {
        const enum pps_status status = set_parts(c, request, program, err);
        if (status != PPS_OK)
            return status;
    }
    const enum configuration_status status = configuration_step_brief(step, c, NULL);
    return status == CONFIGURATION_DONE ? PPS_OK : fail(status, err);
}

// Compares a given split with the best that is found.
static enum pps_status compare_best(const struct nd_pipe *pipe,
                                    const struct nd_program *program,
                                    const struct configuration *c,
                                    const struct configuration_step *given,
                                    struct pps_error *err)
{
    struct configuration best = {.parts = NULL};
    struct configuration_step step = {.seconds = 0};
    char why[256];
    if (given->peak > c->cluster.memory_limit) {
        nd_does_not_fit(why, sizeof why, given->worst, "", units_to_mib(given->peak),
                        units_to_mib(c->cluster.memory_limit));
        return pps_fail(err, PPS_E_INFEASIBLE, "the split %s", why);
    }
    const enum pps_status status = find(pipe, program, &best, &step, err);
    if (status == PPS_OK)
        printf("best      %s per step: the split is %.4g %% %s\n",
               pps_time_text(step.seconds).text,
               fabs(100 * (given->seconds / step.seconds - 1)),
               given->seconds < step.seconds ? "faster" : "slower");
    configuration_step_free(&step);
    configuration_free(&best);
    return status;
}

// ---- the command --------------------------------------------------------------------------------

static enum pps_status write_files(const struct nd_pipe *pipe,
                                   const struct nd_pipe_request *request,
                                   const struct configuration *c,
                                   const struct configuration_step *step,
                                   struct text_buffer *text, struct pps_error *err)
{
    const struct step_trace trace = plan_trace_of(step);
    enum pps_status status = PPS_OK;
    if (text->n > 0)
        status = nd_pipe_write_text(pipe, &request->files, text, err);
    if (status == PPS_OK && request->trace != NULL)
        status = nd_pipe_write_trace(pipe, &trace, request->trace, err);
    if (status == PPS_OK && request->plan != NULL)
        status = nd_pipe_write_plan(pipe, configuration_plan(c, step), request->plan, err);
    return status;
}

enum pps_status nd_pipe_solve_ordered(const struct nd_pipe *pipe,
                                      const struct nd_pipe_request *request,
                                      const struct nd_program *program, struct pps_error *err)
{
    const bool given = request->layers != NULL;
    struct configuration best = {.parts = NULL};
    struct configuration_step step = {.seconds = 0};
    struct text_buffer text = {.text = NULL};
    if (request->files.program)
        return pps_fail(err, PPS_E_INPUT, "--mps: the program is that of a loop with 1F1B");
    enum pps_status status = given ? take_given(pipe, request, program, &best, &step, err)
                                   : find(pipe, program, &best, &step, err);
    if (status == PPS_OK)
        status = read_back(pipe, &request->files, &best, &step, &text, err);
    if (status == PPS_OK) {
        print_head(pipe, &best, given);
        print_stages(&best, &step);
        print_time(pipe, &step, given);
    }
    if (status == PPS_OK && given)
        status = compare_best(pipe, program, &best, &step, err);
    if (status == PPS_OK)
        status = write_files(pipe, request, &best, &step, &text, err);
    text_buffer_free(&text);
    configuration_step_free(&step);
    configuration_free(&best);
    return status;
}
