// SPDX-License-Identifier: Apache-2.0
// Splits that were not solved for: read from a solution, or named by the user and set beside the
// best.
#include "toolpipe.h"

#include "kernels/common/listtext.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what is given ------------------------------------------------------------------------------

// A list of chunks as of listtext, where commas may stand for its blanks.
static enum pps_status read_list(int32_t *values,
                                 const struct nd_program *program,
                                 const char *option,
                                 const char *text,
                                 struct pps_error *err)
{
    const int32_t n = program->stages * program->chunks;
    struct listtext_shape shape;
    char why[160];
    char *list = strdup(text);
    if (list == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for a list");
    for (char *c = list; *c != '\0'; c++)
        if (*c == ',')
            *c = ' ';
    const bool read = listtext_read(list, values, n, &shape, why, sizeof why);
    free(list);
    if (!read)
        return pps_fail(err, PPS_E_INPUT, "--%s %s: %s", option, text, why);
    if (shape.rows == program->chunks && shape.columns == program->stages)
        return PPS_OK;
    if (program->chunks == 1)
        return pps_fail(err, PPS_E_INPUT, "--%s %s: want %d numbers, one a stage", option, text,
                        program->stages);
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: want %d rows of %d numbers, a row a chunk and a number a stage, "
                    "as in 4,4|4,3",
                    option, text, program->chunks, program->stages);
}

// Layers lie in the order of the model, those of type 1 first; of a chunk the first ones are
// recomputed. room: [6][chunks * stages], the first of each kind filled for both types.
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

// All that is asked of a split but that it fits.
static enum pps_status check(const struct nd_program *program,
                             const struct nd_choice *choice,
                             const char *layers,
                             struct pps_error *err)
{
    struct nd_program roomy = *program;
    const int32_t all = program->layers[0] + program->layers[1];
    int64_t sum = 0;
    char why[256];
    for (int32_t k = 0; k < program->stages * program->chunks; k++)
        sum += choice->layers[0][k] + choice->layers[1][k];
    if (sum != all)
        return pps_fail(err, PPS_E_INPUT, "--layers %s: the sum is %lld, but there are %d",
                        layers, (long long)sum, all);
    roomy.budget_first = roomy.budget_middle = roomy.budget_last = 1e300;
    if (nd_choice_check(&roomy, choice, why, sizeof why))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--layers %s: %s", layers, why);
}

enum pps_status nd_pipe_given_read(struct nd_pipe_given *given,
                                   const struct nd_program *program,
                                   const char *layers,
                                   const char *recompute,
                                   struct pps_error *err)
{
    const size_t n = (size_t)program->stages * (size_t)program->chunks;
    given->room = calloc(6 * n, sizeof *given->room);
    if (given->room == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for the split");
    enum pps_status status = read_list(given->room, program, "layers", layers, err);
    if (status == PPS_OK && recompute != NULL)
        status = read_list(given->room + 2 * n, program, "recompute", recompute, err);
    if (status != PPS_OK)
        return status;
    given->choice = share_out(program, given->room);
    return check(program, &given->choice, layers, err);
}

void nd_pipe_given_free(struct nd_pipe_given *given)
{
    free(given->room);
    *given = (struct nd_pipe_given){.room = NULL};
}

// ---- what is said of it -------------------------------------------------------------------------

static void print_best(const struct nd_solution *best, double objective, bool fits)
{
    const double longer = 100 * (objective / best->objective - 1);
    if (!best->found) {
        printf("best      %s: there is none to compare with\n", nd_status_name(best->status));
        return;
    }
    printf("best      %.9g (%s): ", best->objective, nd_status_name(best->status));
    if (fabs(longer) < 5e-5)
        printf("the split is as quick\n");
    else if (longer > 0)
        printf("the split takes %.4g %% longer\n", longer);
    else
        printf("the split is %.4g %% quicker%s\n", -longer, fits ? "" : ", but does not fit");
}

static void print_time(const struct nd_pipe *pipe, double objective)
{
    printf("\nGiven: %.9g layer forwards", objective);
    if (!isnan(pipe->layer_ms))
        printf(", %.3f ms a step", objective * pipe->layer_ms);
    printf("\n");
}

enum pps_status nd_pipe_report_file(const struct nd_pipe *pipe,
                                    const struct nd_program *program,
                                    const struct nd_sol *sol,
                                    struct pps_error *err)
{
    struct nd_value value;
    struct nd_peak *peaks = calloc((size_t)program->stages, sizeof *peaks);
    enum pps_status status = PPS_OK;
    if (peaks == NULL || nd_peaks(program, &sol->choice, peaks) != ND_DONE ||
        nd_evaluate(program, &sol->choice, &value) != ND_DONE) {
        status = pps_fail(err, PPS_E_MACHINE, "no memory for the solution");
    } else {
        nd_pipe_report(pipe, program, &sol->choice, peaks);
        printf("\n%.9g layer forwards by the file, %.9g as early as can be", sol->objective,
               value.objective);
        if (!isnan(pipe->layer_ms))
            printf(", %.3f ms a step", value.objective * pipe->layer_ms);
        printf("\n");
    }
    free(peaks);
    return status;
}

enum pps_status nd_pipe_report_given(const struct nd_pipe *pipe,
                                     const struct nd_program *program,
                                     const struct nd_choice *choice,
                                     struct pps_error *err)
{
    struct nd_value value;
    struct nd_solution best = {.found = false};
    struct nd_peak *peaks = calloc((size_t)program->stages, sizeof *peaks);
    char why[256];
    enum pps_status status = PPS_OK;
    if (peaks == NULL || nd_peaks(program, choice, peaks) != ND_DONE ||
        nd_evaluate(program, choice, &value) != ND_DONE ||
        nd_solve(program, &pipe->input->effort, &best) != ND_DONE) {
        status = pps_fail(err, PPS_E_MACHINE, "no memory for the split");
    } else {
        nd_pipe_report(pipe, program, choice, peaks);
        print_time(pipe, value.objective);
        nd_pipe_report_idle(program, choice);
        const bool fits = nd_choice_check(program, choice, why, sizeof why);
        print_best(&best, value.objective, fits);
        if (!fits)
            status = pps_fail(err, PPS_E_INFEASIBLE, "the split does not fit: %s", why);
    }
    nd_solution_free(&best);
    free(peaks);
    return status;
}
