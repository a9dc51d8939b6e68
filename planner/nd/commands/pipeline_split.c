// SPDX-License-Identifier: Apache-2.0
// Reads a split from a solution file or from the options, and compares it with the best split.
#include "planner/nd/commands/pipeline_report.h"

#include "base/math/units.h"
#include "base/text/human.h"
#include "kernels/common/split/chunk.h"
#include "planner/nd/rank/ordered_split.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- reading ------------------------------------------------------------------------------------

struct list {
    const char *option, *text;
    int32_t *values; // [room]; further numbers are only counted
    int32_t room, n;
    int32_t rows, columns; // of the first row
};

#define BLANKS " \t\r\n"

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, BLANKS);
}

// Reads the number at *at and skips the blanks after it.
static enum pps_status read_number(struct list *list, const char **at, struct pps_error *err)
{
    const int length = (int)strcspn(*at, BLANKS ",|");
    char *end;
    errno = 0;
    const long long value = strtoll(*at, &end, 10);
    if (length == 0)
        return pps_fail(err, PPS_E_INPUT, "--%s %s: a number is missing %s", list->option,
                        list->text,
                        list->n == 0   ? "at the start"
                        : **at == '\0' ? "at the end"
                                       : "between two separators");
    if (end != *at + length)
        return pps_fail(err, PPS_E_INPUT, "--%s %s: '%.*s' is not a whole number", list->option,
                        list->text, length, *at);
    if (errno != 0 || value < INT32_MIN || value > INT32_MAX)
        return pps_fail(err, PPS_E_INPUT, "--%s %s: '%.*s' is out of range", list->option,
                        list->text, length, *at);
    if (list->n < list->room)
        list->values[list->n] = (int32_t)value;
    list->n++;
    *at = skip_blanks(end);
    return PPS_OK;
}

// Reads the numbers up to a bar or the end.
static enum pps_status read_row(struct list *list, const char **at, struct pps_error *err)
{
    const int32_t before = list->n;
    do {
        *at = skip_blanks(*at + (**at == ',' && list->n > before));
        const enum pps_status status = read_number(list, at, err);
        if (status != PPS_OK)
            return status;
    } while (**at != '\0' && **at != '|');
    const int32_t columns = list->n - before;
    if (list->rows > 0 && columns != list->columns)
        return pps_fail(err, PPS_E_INPUT, "--%s %s: row %d has %d numbers, the first has %d",
                        list->option, list->text, list->rows + 1, columns, list->columns);
    list->columns = columns;
    list->rows++;
    return PPS_OK;
}

// Reads rows that bars separate, each of numbers that commas or blanks separate.
static enum pps_status read_list(int32_t *values, const struct nd_program *program,
                                 const char *option, const char *text, struct pps_error *err)
{
    struct list list = {.option = option,
                        .text = text,
                        .values = values,
                        .room = program->stages * program->chunks};
    const char *at = text;
    do {
        at = skip_blanks(at + (list.rows > 0));
        const enum pps_status status = read_row(&list, &at, err);
        if (status != PPS_OK)
            return status;
    } while (*at == '|');
    if (list.rows == program->chunks && list.columns == program->stages)
        return PPS_OK;
    if (program->chunks == 1)
        return pps_fail(err, PPS_E_INPUT, "--%s %s: expected %d number%s, one per stage",
                        option, text, program->stages, program->stages == 1 ? "" : "s");
    return pps_fail(
        err, PPS_E_INPUT,
        "--%s %s: expected %d rows of %d numbers (one row per chunk, one number per "
        "stage), for example 4,4|4,3",
        option, text, program->chunks, program->stages);
}

// Splits the sums of both layer types into types: layers are in the order of the model, type 1
// first, and the first layers of a chunk are recomputed. room: [6][chunks * stages]; rows 0 and 2
// hold the sums of layers and of recomputed layers.
static struct nd_choice share_out(const struct nd_program *program, int32_t *room)
{
    const int32_t n = program->stages * program->chunks;
    int32_t *layers[2] = {room, room + n}, *full[2] = {room + 2 * n, room + 3 * n};
    int32_t left = program->layers[0];
    for (int32_t k = 0; k < n; k++) {
        const int32_t all = layers[0][k], again = full[0][k];
        const int32_t first = all < left ? all : left;
        layers[0][k] = first > 0 ? first : 0;
        layers[1][k] = all - layers[0][k];
        left -= layers[0][k];
        full[0][k] = again < layers[0][k] ? again : layers[0][k];
        full[1][k] = again - full[0][k];
    }
    return (struct nd_choice){{layers[0], layers[1]},
                              {full[0], full[1]},
                              {room + 4 * n, room + 5 * n}};
}

// Checks a split except for its memory: first the layers without recompute, then the recompute,
// then the published bounds, which depend on both.
static enum pps_status check(const struct nd_program *program, const struct nd_choice *choice,
                             const char *layers, const char *recompute, struct pps_error *err)
{
    struct nd_program roomy = *program;
    struct nd_choice plain = *choice;
    const int32_t all = program->layers[0] + program->layers[1];
    int64_t sum = 0;
    char why[256];
    for (int32_t k = 0; k < program->stages * program->chunks; k++)
        sum += choice->layers[0][k] + choice->layers[1][k];
    if (sum != all)
        return pps_fail(err, PPS_E_INPUT,
                        "--layers %s: the sum is %lld, but the model has %d layers", layers,
                        (long long)sum, all);
    roomy.budget_first = roomy.budget_middle = roomy.budget_last = 1e300;
    roomy.compat = ND_CORRECTED;
    plain.full[0] = plain.full[1] = choice->part[0]; // none
    if (!nd_choice_check(&roomy, &plain, why, sizeof why))
        return pps_fail(err, PPS_E_INPUT, "--layers %s: %s", layers, why);
    if (recompute != NULL && !nd_choice_check(&roomy, choice, why, sizeof why))
        return pps_fail(err, PPS_E_INPUT, "--recompute %s: %s", recompute, why);
    roomy.compat = program->compat;
    if (nd_choice_check(&roomy, choice, why, sizeof why))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--layers %s%s%s: %s", layers,
                    recompute != NULL ? " --recompute " : "",
                    recompute != NULL ? recompute : "", why);
}

enum pps_status nd_pipe_split_read(struct nd_pipe_split *split,
                                   const struct nd_program *program, const char *layers,
                                   const char *recompute, struct pps_error *err)
{
    const size_t n = (size_t)program->stages * (size_t)program->chunks;
    split->room = calloc(6 * n, sizeof *split->room);
    if (split->room == NULL)
        return pps_fail_memory(err, "the split");
    enum pps_status status = read_list(split->room, program, "layers", layers, err);
    if (status == PPS_OK && recompute != NULL)
        status = read_list(split->room + 2 * n, program, "recompute", recompute, err);
    if (status != PPS_OK)
        return status;
    split->choice = share_out(program, split->room);
    return check(program, &split->choice, layers, recompute, err);
}

enum pps_status nd_pipe_split_of_mine(struct nd_pipe_split *split, const struct nd_pipe *pipe,
                                      const struct nd_program *program, struct pps_error *err)
{
    const struct configuration *c = &pipe->mine.plan.configuration;
    const size_t n = (size_t)program->stages * (size_t)program->chunks;
    if (!pipe->mine.has)
        return pps_fail(err, PPS_E_INPUT,
                        "--layers mine: MODEL must be the configuration of a training that can "
                        "run, and times must come from the models");
    if (configuration_is_ordered(c) || c->strategy.pp != program->stages ||
        c->strategy.vp != program->chunks)
        return pps_fail(err, PPS_E_INPUT,
                        "--layers mine: the file has %d stages of %d chunks and schedule %s; "
                        "ppsweep check evaluates it as it is",
                        c->strategy.pp, c->strategy.vp, configuration_family(c)->name);
    split->room = calloc(6 * n, sizeof *split->room);
    if (split->room == NULL)
        return pps_fail_memory(err, "the split");
    split->choice = nd_choice_of_configuration(c, split->room);
    return PPS_OK;
}

void nd_pipe_split_free(struct nd_pipe_split *split)
{
    free(split->room);
    *split = (struct nd_pipe_split){.room = NULL};
}

// ---- reports ------------------------------------------------------------------------------------

static void print_best(const struct nd_solution *best, double objective)
{
    const double longer = 100 * (objective / best->objective - 1);
    if (!best->found) {
        printf("best      %s: no split to compare with\n", nd_status_name(best->status));
        return;
    }
    printf("best      %s (%s): ", pps_digits_text(best->objective, 9).text,
           nd_status_name(best->status));
    if (fabs(longer) < 5e-5)
        printf("the split is equally fast\n");
    else if (longer > 0)
        printf("the split is %.4g %% slower\n", longer);
    else
        printf("the split is %.4g %% faster\n", -longer);
}

static void print_time(const struct nd_pipe *pipe, const struct nd_program *program,
                       const struct nd_choice *choice, double objective)
{
    printf("\nGiven: %s layer forwards", pps_digits_text(objective, 9).text);
    nd_pipe_print_time(pipe, program, choice, objective);
    printf("\n");
}

// Returns whether the split fits in memory; otherwise `why` says what is missing.
static bool fits(const struct nd_pipe *pipe, const struct nd_program *program,
                 const struct nd_choice *choice, char *why, size_t size)
{
    const double limit = units_to_mib(pipe->input->job.run.cluster.memory_limit);
    struct configuration_step step;
    if (!nd_pipe_step(pipe, program, choice, &step)) {
        configuration_step_free(&step);
        return nd_choice_check(program, choice, why, size);
    }
    const int32_t stage = step.worst;
    const double peak = units_to_mib(step.peak);
    configuration_step_free(&step);
    if (peak <= limit)
        return true;
    nd_does_not_fit(why, size, stage, "", peak, limit);
    return false;
}

enum pps_status nd_pipe_report_file(const struct nd_pipe *pipe,
                                    const struct nd_program *program, const struct nd_sol *sol,
                                    struct pps_error *err)
{
    struct nd_value value;
    struct nd_peak *peaks = calloc((size_t)program->stages, sizeof *peaks);
    enum pps_status status = PPS_OK;
    if (peaks == NULL || nd_peaks(program, &sol->choice, peaks) != ND_DONE ||
        nd_evaluate(program, &sol->choice, &value) != ND_DONE) {
        status = pps_fail_memory(err, "the solution");
    } else {
        nd_pipe_report(pipe, program, &sol->choice, peaks);
        if (sol->timed)
            printf("\nstart times in the file: %s layer forwards",
                   pps_digits_text(sol->objective, 9).text);
        else
            printf("\nno start times in the file");
        printf("; run as early as possible: %s layer forwards",
               pps_digits_text(value.objective, 9).text);
        nd_pipe_print_time(pipe, program, &sol->choice, value.objective);
        printf("\n");
    }
    free(peaks);
    return status;
}

enum pps_status nd_pipe_report_split(const struct nd_pipe *pipe,
                                     const struct nd_program *program,
                                     const struct nd_choice *choice, struct pps_error *err)
{
    struct nd_value value;
    struct nd_solution best = {.found = false};
    struct nd_peak *peaks = calloc((size_t)program->stages, sizeof *peaks);
    char why[256];
    enum pps_status status = PPS_OK;
    if (peaks == NULL || nd_peaks(program, choice, peaks) != ND_DONE ||
        nd_evaluate(program, choice, &value) != ND_DONE) {
        free(peaks);
        return pps_fail_memory(err, "the split");
    }
    nd_pipe_report(pipe, program, choice, peaks);
    free(peaks);
    print_time(pipe, program, choice, value.objective);
    nd_pipe_report_overhead(pipe, program, choice);
    fflush(stdout); // the best may take long
    nd_pipe_compare(pipe, program, choice);
    if (!fits(pipe, program, choice, why, sizeof why))
        return pps_fail(err, PPS_E_INFEASIBLE, "the split %s", why);
    if (nd_pipe_solve(pipe, program, &best) == ND_DONE)
        print_best(&best, value.objective);
    else
        status = pps_fail_memory(err, "the best split");
    nd_solution_free(&best);
    return status;
}
