// SPDX-License-Identifier: Apache-2.0
// Fits memory figures to the peaks of a solution.
#include "base/math/least_squares.h"
#include "base/text/number.h"
#include "kernels/common/split/chunk.h"
#include "planner/figures/feedback.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STATIC0,
    STATIC,
    HEAD,
    ACT,
    LAYER,
    FULL,
    LAYER1,
    ACT1,
    FULL1,
    PART,
    PART1,
    UNKNOWNS,
};

// Weight of a figure's change by 100 %, relative to an error on one stage as large as the limit.
static const double PULL = 1e-3;
static const double ERROR_MOST = 1e-2; // of the limit

static void take_figures(double *x, const struct nd_figures *memory)
{
    const double figures[UNKNOWNS] = {
        [STATIC0] = memory->static_mem0, [STATIC] = memory->static_mem,
        [HEAD] = memory->lm_head_mem,    [ACT] = memory->act_mem,
        [LAYER] = memory->layer_mem,     [FULL] = memory->re_comp_mem,
        [LAYER1] = memory->layer_mem012, [ACT1] = memory->act_mem0,
        [FULL1] = memory->re_comp_mem0,  [PART] = memory->select_mem,
        [PART1] = memory->select_mem0,
    };
    memcpy(x, figures, sizeof figures);
}

static struct nd_figures give_figures(const double *x)
{
    return (struct nd_figures){
        .select_mem0 = x[PART1],
        .select_mem12 = x[PART1],
        .select_mem = x[PART],
        .re_comp_mem0 = x[FULL1],
        .re_comp_mem12 = x[FULL1],
        .re_comp_mem = x[FULL],
        .act_mem0 = x[ACT1],
        .act_mem12 = x[ACT1],
        .act_mem = x[ACT],
        .layer_mem012 = x[LAYER1],
        .layer_mem = x[LAYER],
        .static_mem0 = x[STATIC0],
        .static_mem = x[STATIC],
        .lm_head_mem = x[HEAD],
    };
}

// Fills the row of a stage: how many times each figure is part of the stage's peak. The peak is at
// task `at` of the stage's order.
static void fill_row(const struct nd_program *program, const struct nd_choice *choice,
                     int32_t stage, int32_t at, struct operation *tasks, double *row)
{
    static const int OF_LAYER[2] = {LAYER1, LAYER}, OF_ACT[2] = {ACT1, ACT};
    static const int OF_FULL[2] = {FULL1, FULL}, OF_PART[2] = {PART1, PART};
    const struct orders_shape shape = nd_program_laid_out(program);
    int32_t live[ORDERS_CHUNKS_MAX] = {0};
    orders_of_stage(&shape, stage, tasks);
    for (int32_t k = 0; k <= at; k++)
        live[orders_chunk(&shape, &tasks[k])] += tasks[k].type == OPERATION_F ? 1 : -1;
    memset(row, 0, UNKNOWNS * sizeof *row);
    row[stage == 0 ? STATIC0 : stage == program->stages - 1 ? HEAD : STATIC] = 1.0;
    for (int32_t v = 0; v < program->chunks; v++) {
        const struct nd_chunk_plan chunk = nd_choice_chunk(choice, v * program->stages + stage);
        const double n = (double)live[v] / program->splits;
        for (int type = 0; type < 2; type++) {
            row[OF_LAYER[type]] += chunk.layers[type];
            row[OF_ACT[type]] += n * (chunk.layers[type] - chunk.full[type] - chunk.part[type]);
            row[OF_FULL[type]] += n * chunk.full[type];
            row[OF_PART[type]] += n * chunk.part[type];
        }
    }
}

struct fitting {
    int32_t stages;
    double rows[LEAST_SQUARES_ROWS * UNKNOWNS];
    double right[LEAST_SQUARES_ROWS];
    double current[UNKNOWNS];
};

static bool fill(struct fitting *fitting, const struct nd_program *program,
                 const struct nd_choice *choice, const double *peaks)
{
    const struct orders_shape shape = nd_program_laid_out(program);
    struct nd_peak at[ND_FIT_STAGES_MOST];
    struct operation *tasks = malloc((size_t)orders_length(&shape) * sizeof *tasks);
    const bool known = tasks != NULL && nd_peaks(program, choice, at) == ND_DONE;
    for (int32_t i = 0; known && i < program->stages; i++) {
        fill_row(program, choice, i, at[i].at, tasks, &fitting->rows[i * UNKNOWNS]);
        fitting->right[i] = peaks[i];
    }
    free(tasks);
    fitting->stages = program->stages;
    take_figures(fitting->current, &program->memory);
    return known;
}

// Draws figures towards their current values. So a figure that is part of no peak stays unchanged.
static void add_pull(struct fitting *fitting, double limit_mb)
{
    for (int j = 0; j < UNKNOWNS; j++) {
        const int r = fitting->stages + j;
        const double weight = PULL * limit_mb / fmax(fitting->current[j], 1.0);
        memset(&fitting->rows[r * UNKNOWNS], 0, UNKNOWNS * sizeof *fitting->rows);
        fitting->rows[r * UNKNOWNS + j] = weight;
        fitting->right[r] = weight * fitting->current[j];
    }
}

static void take_errors(const struct fitting *fitting, const double *x,
                        struct nd_figure_fit *fit)
{
    *fit = (struct nd_figure_fit){0};
    for (int j = 0; j < UNKNOWNS; j++) {
        bool stands = false;
        for (int32_t i = 0; i < fitting->stages; i++)
            stands = stands || fitting->rows[i * UNKNOWNS + j] != 0.0;
        fit->unknowns += stands;
    }
    for (int32_t i = 0; i < fitting->stages; i++) {
        double error = -fitting->right[i];
        for (int j = 0; j < UNKNOWNS; j++)
            error += fitting->rows[i * UNKNOWNS + j] * x[j];
        if (fabs(error) > fit->worst_mb) {
            fit->worst_mb = fabs(error);
            fit->worst_stage = i;
        }
    }
}

bool nd_fit_figures(const struct nd_program *program, const struct nd_choice *choice,
                    const double *peaks, double limit_mb, struct nd_figures *memory,
                    struct nd_figure_fit *fit, char *why, size_t why_size)
{
    struct fitting fitting;
    struct least_squares_result result;
    double x[UNKNOWNS];
    if (program->stages < ND_FIT_STAGES_LEAST || program->stages > ND_FIT_STAGES_MOST) {
        snprintf(why, why_size, "fitting figures needs the peaks of %d to %d stages (got %d)",
                 ND_FIT_STAGES_LEAST, ND_FIT_STAGES_MOST, program->stages);
        return false;
    }
    if (!fill(&fitting, program, choice, peaks)) {
        snprintf(why, why_size, "out of memory to fit figures to the peaks");
        return false;
    }
    add_pull(&fitting, limit_mb);
    const struct least_squares problem = {fitting.stages + UNKNOWNS, UNKNOWNS, fitting.rows,
                                          fitting.right};
    const bool ended = least_squares_nonnegative(&problem, &result);
    for (int j = 0; j < UNKNOWNS; j++)
        x[j] = number_text_round(result.x[j], 1);
    take_errors(&fitting, x, fit);
    *memory = give_figures(x);
    if (ended && fit->worst_mb < ERROR_MOST * limit_mb)
        return true;
    snprintf(
        why, why_size,
        "no figures match the peaks: stage %d differs by %.1f MiB, more than 1 %% of the limit",
        fit->worst_stage, fit->worst_mb);
    return false;
}
