// SPDX-License-Identifier: Apache-2.0
// Prints the table of stages, the lists for the framework, and the overhead of a split.
#include "planner/nd/commands/pipeline_report.h"

#include "base/math/units.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "kernels/common/search/time_limit.h"
#include "kernels/common/split/playback.h"
#include "planner/nd/commands/search_report.h"
#include "planner/nd/input/choice_price.h"
#include "planner/nd/profiling/fit_probability.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- on the screen ------------------------------------------------------------------------------

static const char *marked(double given)
{
    return isnan(given) ? "" : " (option)";
}

// Values of options are marked; the source is that of all other values.
static void print_ratios(const struct nd_pipe *pipe, const struct nd_program *program)
{
    const struct nd_ratios *given = &pipe->input->given;
    printf("ratios    %s", nd_ratio_source_name(pipe->source));
    if (pipe->source == ND_RATIOS_NEAREST && pipe->profile != NULL)
        printf(" (profile dp %" PRId64 ", tp %" PRId64 ", pp %" PRId64 ", ep %" PRId64 ")",
               pipe->profile->dp, pipe->profile->tp, pipe->profile->pp, pipe->profile->ep);
    printf(": dense %.4g%s, backward %.4g%s, recompute %.4g%s, head %.4g%s",
           program->layer_ratio, marked(given->dense), program->backward_ratio,
           marked(given->backward), program->full_growth, marked(given->recompute),
           program->head_ratio, marked(given->head));
}

static void print_head(const struct nd_pipe *pipe, const struct nd_program *program)
{
    const struct nd_strategy *s = &pipe->strategy;
    const char *name = pipe->input->job.run.model.name;
    pps_say(stdout,
            "%s: dp %d, tp %d, cp %d, pp %d, ep %d; %d + %d layers, %d chunk%s per stage, %s "
            "micro-batches",
            name[0] != '\0' ? name : "the model", s->dp, s->tp, s->cp, s->pp, s->ep,
            program->layers[0], program->layers[1], program->chunks,
            program->chunks == 1 ? "" : "s", pps_count_text(program->micro_batches).text);
    if (pipe->chosen[0] != '\0')
        printf("chosen    %s\n", pipe->chosen);
    print_ratios(pipe, program);
    if (!isnan(program->head_backward))
        printf(" (its backward %.4g)", program->head_backward);
    if (!isnan(pipe->layer_ms))
        printf("; a layer %.4g ms%s", pipe->layer_ms,
               pipe->unit_of_model ? " (analytic models)" : "");
    printf("\n");
    if (!pipe->input->quiet) {
        plan_run_print_not_modelled(&pipe->input->job.run);
        plan_run_print_memory(&pipe->input->job.run);
    }
    if (!pipe->input->quiet && pipe->unit_of_model)
        nd_note_trust(&pipe->input->job);
    if (pipe->tokens_unknown && !pipe->input->quiet)
        fprintf(stderr, "note      the profile has no column mbs; ppsweep assumes that it "
                        "applies to this micro-batch size\n");
}

static void print_chunk(const struct nd_program *program, const struct nd_choice *choice,
                        const double *forward, const double *backward, int32_t k)
{
    printf(" %6d %6d %6d %6d %6d %9.4g %9.4g", choice->layers[0][k] + choice->layers[1][k],
           choice->layers[0][k], choice->full[0][k] + choice->full[1][k],
           choice->part[0][k] + choice->part[1][k], k / program->stages, forward[k],
           backward[k]);
}

static void print_stages(const struct nd_program *program, const struct nd_choice *choice,
                         const struct nd_peak *peaks, const double *forward,
                         const double *backward)
{
    printf("\n%5s %6s %6s %6s %6s %6s %9s %9s %10s %10s\n", "stage", "layers", "dense", "full",
           "select", "chunk", "forward", "backward", "peak GiB", "of GiB");
    for (int32_t i = 0; i < program->stages; i++)
        for (int32_t v = 0; v < program->chunks; v++) {
            if (v == 0)
                printf("%5d", i);
            else
                printf("%5s", "");
            print_chunk(program, choice, forward, backward, v * program->stages + i);
            if (v == 0)
                printf(" %10s %10s", pps_decimals_text(peaks[i].memory_mb / UNITS_KIB, 3).text,
                       pps_decimals_text(peaks[i].limit_mb / UNITS_KIB, 3).text);
            printf("\n");
        }
}

// Adds the sum of both layer types per chunk, minus `less`.
static void add_sums(struct text_buffer *text, const struct nd_program *program,
                     const int32_t *const both[2], int32_t less)
{
    const int32_t n = program->stages * program->chunks;
    int32_t *sums = calloc((size_t)n, sizeof *sums);
    if (sums == NULL) {
        text->failed = true;
        return;
    }
    for (int32_t k = 0; k < n; k++)
        sums[k] = both[0][k] + both[1][k] - less;
    nd_add_lists(text, sums, program->chunks, program->stages);
    free(sums);
}

static int32_t even_share(const struct nd_program *program)
{
    return (program->layers[0] + program->layers[1]) / (program->stages * program->chunks);
}

static void print_lists(const struct nd_program *program, const struct nd_choice *choice)
{
    struct text_buffer text = {0};
    text_buffer_add(&text, "\noffset    ");
    add_sums(&text, program, choice->layers, even_share(program));
    text_buffer_add(&text, "\nrecompute ");
    add_sums(&text, program, choice->full, 0);
    if (program->allow_select) {
        text_buffer_add(&text, "\nselect    ");
        add_sums(&text, program, choice->part, 0);
    }
    printf("%s\n", text.text != NULL ? text.text : "");
    text_buffer_free(&text);
}

// ---- the evaluator ------------------------------------------------------------------------------

bool nd_pipe_step(const struct nd_pipe *pipe, const struct nd_program *program,
                  const struct nd_choice *choice, struct configuration_step *step)
{
    *step = (struct configuration_step){.seconds = 0};
    if (pipe->written->parts != NULL)
        return configuration_step_brief(step, pipe->written, NULL) == CONFIGURATION_DONE;
    return pipe->priced && nd_choice_step(step, &pipe->input->job.run, &pipe->strategy, program,
                                          choice, NULL) == CONFIGURATION_DONE;
}

// Replaces the peaks of the program by those of the evaluator. Returns NULL when out of memory.
static struct nd_peak *peaks_of(const struct nd_pipe *pipe, const struct nd_program *program,
                                const struct nd_choice *choice, const struct nd_peak *peaks)
{
    struct configuration_step step;
    struct nd_peak *copy = calloc((size_t)program->stages, sizeof *copy);
    const bool has = copy != NULL && nd_pipe_step(pipe, program, choice, &step);
    for (int32_t i = 0; copy != NULL && i < program->stages; i++) {
        copy[i] = peaks[i];
        if (has)
            copy[i].memory_mb = units_to_mib(step.devices[i].peak);
    }
    if (has)
        configuration_step_free(&step);
    return copy;
}

void nd_pipe_print_time(const struct nd_pipe *pipe, const struct nd_program *program,
                        const struct nd_choice *choice, double objective)
{
    struct configuration_step step;
    if (nd_pipe_step(pipe, program, choice, &step))
        printf(", %s per step (pipeline %s)", pps_time_text(step.seconds).text,
               pps_time_text(step.pipeline).text);
    else if (!isnan(pipe->layer_ms))
        printf(", %s per step", pps_time_text(objective * pipe->layer_ms / 1e3).text);
    configuration_step_free(&step);
}

void nd_pipe_print_mine(const struct nd_pipe *pipe, double ms)
{
    const struct plan_mine *mine = &pipe->mine;
    if (!pipe->priced || !mine->has)
        return;
    const double own = units_to_ms(mine->step.seconds), saved = 100 * (1 - ms / own);
    printf("mine      %s per step, %.3f GiB%s: the split above is ",
           pps_time_text(mine->step.seconds).text, units_to_gib(mine->step.peak),
           plan_mine_fits(mine) ? "" : ", does not fit");
    if (fabs(saved) < 0.05)
        printf("as fast\n");
    else
        printf("%.1f %% %s\n", fabs(saved), saved < 0 ? "slower" : "faster");
}

// Says how likely the split fits in memory, where that is less than usual.
static void note_fit(const struct nd_pipe *pipe, double peak)
{
    const struct plan_run *run = &pipe->input->job.run;
    const double limit = run->cluster.memory_limit;
    char odds[ND_PERCENT_TEXT];
    if (pipe->input->quiet ||
        nd_fit_probability(nd_memory_group(&run->training), peak, limit) >= ND_FIT_USUAL)
        return;
    fprintf(stderr, "note      the split fits with a probability of %s\n",
            nd_fit_percent(&run->training, peak, limit, odds));
}

void nd_pipe_compare(const struct nd_pipe *pipe, const struct nd_program *program,
                     const struct nd_choice *choice)
{
    struct configuration_step step;
    if (nd_pipe_step(pipe, program, choice, &step)) {
        nd_pipe_print_mine(pipe, units_to_ms(step.seconds));
        note_fit(pipe, step.peak);
    }
    configuration_step_free(&step);
}

void nd_pipe_report(const struct nd_pipe *pipe, const struct nd_program *program,
                    const struct nd_choice *choice, const struct nd_peak *peaks)
{
    const size_t n = (size_t)program->stages * (size_t)program->chunks;
    double *durations = calloc(2 * n, sizeof *durations);
    struct nd_peak *shown = peaks_of(pipe, program, choice, peaks);
    print_head(pipe, program);
    if (durations != NULL && shown != NULL) {
        nd_durations(program, choice, durations, durations + n);
        print_stages(program, choice, shown, durations, durations + n);
        print_lists(program, choice);
    }
    free(durations);
    free(shown);
}

static bool is_stopped(const struct nd_pipe *pipe)
{
    return atomic_load(pipe->effort->stop);
}

void nd_pipe_report_overhead(const struct nd_pipe *pipe, const struct nd_program *program,
                             const struct nd_choice *choice)
{
    const struct nd_effort patience = {.max_seconds = is_stopped(pipe) ? 0.05 : 1,
                                       .seconds = pipe->effort->seconds};
    struct nd_watch watch = {.effort = &patience, .started = patience.seconds()};
    struct poll poll = nd_watch_poll(&watch);
    struct bubble bubble;
    if (nd_bubble(program, choice, &poll, &bubble) != ND_DONE)
        return;
    if (isnan(bubble.total)) {
        printf("overhead  not computed: it takes more than %g s\n", patience.max_seconds);
        return;
    }
    printf("overhead  %.1f %%: %.1f bubble, %.1f recompute, ", 100.0 * bubble.total,
           100.0 * bubble.ideal, 100.0 * bubble.recompute);
    if (bubble.transfer > 0)
        printf("%.1f transfers, ", 100.0 * bubble.transfer);
    printf("%.1f stage imbalance\n", 100.0 * bubble.imbalance);
}

void nd_pipe_report_solution(const struct nd_pipe *pipe, const struct nd_program *program,
                             const struct nd_solution *solution)
{
    const bool stopped = solution->status != ND_OPTIMAL && is_stopped(pipe);
    printf("\n%s: %s layer forwards", stopped ? "Stopped" : nd_status_name(solution->status),
           pps_digits_text(solution->objective, 9).text);
    nd_pipe_print_time(pipe, program, &solution->choice, solution->objective);
    if (solution->makespan != solution->objective && !isnan(solution->makespan))
        printf("; makespan %s", pps_digits_text(solution->makespan, 9).text);
    printf("; lower bound %s (gap %.3g)\n", pps_digits_text(solution->bound, 9).text,
           solution->gap);
    nd_pipe_report_overhead(pipe, program, &solution->choice);
    nd_pipe_compare(pipe, program, &solution->choice);
}

// ---- a configuration ----------------------------------------------------------------------------

static bool any(const struct nd_program *program, const int32_t *const both[2])
{
    for (int32_t k = 0; k < program->stages * program->chunks; k++)
        if (both[0][k] + both[1][k] > 0)
            return true;
    return false;
}

// Adds one number per chunk, in the order of the model's layers.
static void add_plain_list(struct text_buffer *text, const struct nd_program *program,
                           const int32_t *const both[2])
{
    for (int32_t k = 0; k < program->stages * program->chunks; k++)
        text_buffer_add(text, "%s%d", k > 0 ? "," : "", both[0][k] + both[1][k]);
}

void nd_pipe_add_configuration(struct text_buffer *text, const struct nd_program *program,
                               const struct nd_choice *choice)
{
    text_buffer_add(text, "model:\n  model_config:\n    pp_interleave_num: %d\n    offset: ",
                    program->chunks);
    add_sums(text, program, choice->layers, even_share(program));
    text_buffer_add(text, "\nrecompute_config:\n  recompute: ");
    add_sums(text, program, choice->full, 0);
    text_buffer_add(text, "\n  select_recompute: ");
    if (any(program, choice->part))
        add_sums(text, program, choice->part, 0);
    else
        text_buffer_add(text, "false");
    text_buffer_add(text, "\n  parallel_optimizer_comm_recompute: false\n"
                          "  mp_comm_recompute: true\n"
                          "  recompute_slice_activation: true\n"
                          "# --num-layer-list ");
    add_plain_list(text, program, choice->layers);
    text_buffer_add(text, "\n");
}
