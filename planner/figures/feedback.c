// SPDX-License-Identifier: Apache-2.0
// Repeats rounds: checks peaks, tightens budgets or fits figures, and solves again.
#include "planner/figures/feedback.h"

#include "planner/figures/memory_figures.h"

#include <math.h>
#include <stdlib.h>

// ---- peaks --------------------------------------------------------------------------------------

bool nd_measured_peaks(void *self, const struct nd_program *program,
                       const struct nd_choice *choice, double *peaks)
{
    struct nd_measured *measured = self;
    struct nd_peak *modelled = calloc((size_t)program->stages, sizeof *modelled);
    const bool known = modelled != NULL && nd_peaks(program, choice, modelled) == ND_DONE;
    for (int32_t i = 0; known && i < program->stages; i++) {
        if (!measured->first_done)
            measured->modelled_mb[i] = modelled[i].memory_mb;
        peaks[i] = measured->measured_mb[i] + modelled[i].memory_mb - measured->modelled_mb[i];
    }
    measured->first_done = true;
    free(modelled);
    return known;
}

enum { DP, TP, PP, EP, STAGE, PEAK, N_FIELDS };

static const struct table_field FIELDS[N_FIELDS] = {
    [DP] = {"dp", NULL, true, true, 1, 1e9},
    [TP] = {"tp", NULL, true, true, 1, 1e9},
    [PP] = {"pp", NULL, true, true, 1, 1e9},
    [EP] = {"ep", NULL, false, true, 1, 1e9},
    [STAGE] = {"stage", NULL, true, true, 0, 1e9},
    [PEAK] = {"peak_mb", "peakMem", true, false, 0, HUGE_VAL},
};

static bool is_of(const double *values, const struct nd_peak_key *key)
{
    return values[DP] == (double)key->dp && values[TP] == (double)key->tp &&
           values[PP] == (double)key->pp &&
           (isnan(values[EP]) || values[EP] == (double)key->ep);
}

static bool take_row(double *peaks, const struct nd_peak_key *key, const struct table *table,
                     int64_t row, const int *columns, struct pps_fault *fault)
{
    double v[N_FIELDS];
    if (!table_row(table, row, FIELDS, N_FIELDS, columns, v, fault))
        return false;
    if (v[STAGE] >= v[PP])
        return table_fail(table, row, columns[STAGE], fault,
                          "stage: must be less than pp (got %.0f of %.0f)", v[STAGE], v[PP]);
    if (v[PEAK] == 0.0)
        return table_fail(table, row, columns[PEAK], fault, "peak_mb: dry run failed: peak 0");
    if (!is_of(v, key))
        return true;
    double *peak = &peaks[(int64_t)v[STAGE]];
    if (*peak > 0.0)
        return table_fail(table, row, columns[STAGE], fault,
                          "stage: %.0f already has a peak for this configuration", v[STAGE]);
    *peak = v[PEAK];
    return true;
}

bool nd_check_peaks_read(double *peaks, const struct nd_peak_key *key,
                         const struct table *table, bool *found, struct pps_fault *fault)
{
    int columns[N_FIELDS];
    int64_t n = 0;
    *found = false;
    for (int64_t i = 0; i < key->pp; i++)
        peaks[i] = 0.0;
    if (!table_bind(table, FIELDS, N_FIELDS, columns, fault))
        return false;
    for (int64_t row = 0; row < table_rows(table); row++)
        if (!take_row(peaks, key, table, row, columns, fault))
            return false;
    for (int64_t i = 0; i < key->pp; i++)
        n += peaks[i] > 0.0;
    *found = n > 0;
    for (int64_t i = 0; i < key->pp && n > 0; i++)
        if (peaks[i] == 0.0) {
            *fault = (struct pps_fault){0};
            return pps_fault_set(fault, NULL, false,
                                 "stage %lld of dp %lld, tp %lld, pp %lld, ep %lld has no peak",
                                 (long long)i, (long long)key->dp, (long long)key->tp,
                                 (long long)key->pp, (long long)key->ep);
        }
    return true;
}

// ---- the loop -----------------------------------------------------------------------------------

struct loop {
    struct nd_feedback *feedback;
    double limit_mb;
    const struct nd_check *check;
    const struct nd_effort *effort;
    struct nd_solution *solution;
    double *peaks; // of the solution
};

// Returns the MiB by which a stage exceeds its limit.
static double over(const struct loop *loop, int32_t stage)
{
    return fmax(0.0, loop->peaks[stage] - loop->limit_mb);
}

// Requests the peaks of the solution; returns false if they are unknown.
static bool look(struct loop *loop)
{
    struct nd_feedback *feedback = loop->feedback;
    if (!loop->check->peaks(loop->check->self, &feedback->program, &loop->solution->choice,
                            loop->peaks)) {
        feedback->end = ND_FEEDBACK_UNKNOWN;
        return false;
    }
    feedback->over_mb = 0.0;
    feedback->stage = 0;
    for (int32_t i = 0; i < feedback->program.stages; i++)
        if (over(loop, i) > feedback->over_mb) {
            feedback->over_mb = over(loop, i);
            feedback->stage = i;
        }
    feedback->end = feedback->over_mb > 0.0 ? ND_FEEDBACK_OVER : ND_FEEDBACK_FITS;
    return true;
}

// Returns the MiB by which the budget of a stage falls: its excess times the number of the round.
// Not as published, the unused part of the budget is added, since the loss of memory that the
// solution does not use would change nothing.
static double fall(const struct loop *loop, int32_t stage, int round)
{
    const struct nd_peak *peak = &loop->solution->peaks[stage];
    const double slack = loop->feedback->program.compat == ND_ORIG
                             ? 0.0
                             : fmax(0.0, peak->limit_mb - peak->memory_mb);
    return over(loop, stage) > 0.0 ? slack + over(loop, stage) * (round + 1) : 0.0;
}

// A program with one stage has both budgets reduced: the stage is first and last.
static void tighten(struct loop *loop, struct nd_program *program, int round)
{
    const int32_t last = program->stages - 1;
    double middle = 0.0;
    for (int32_t i = 1; i < last; i++)
        middle = fmax(middle, fall(loop, i, round));
    program->budget_first -= fall(loop, 0, round);
    program->budget_last -= fall(loop, last, round);
    program->budget_middle -= middle;
}

static bool fit(struct loop *loop, struct nd_program *program)
{
    struct nd_figure_fit found;
    if (!nd_fit_figures(program, &loop->solution->choice, loop->peaks, loop->limit_mb,
                        &program->memory, &found, loop->feedback->why,
                        sizeof loop->feedback->why)) {
        loop->feedback->end = ND_FEEDBACK_REFUSED;
        return false;
    }
    nd_figures_budgets(program, loop->limit_mb);
    return true;
}

// Solves the changed program. Returns false if there is no new solution.
static bool solve_again(struct loop *loop, const struct nd_program *program)
{
    struct nd_solution next;
    const enum nd_outcome outcome = nd_solve(program, loop->effort, &next);
    if (outcome == ND_DONE && next.found) {
        nd_solution_free(loop->solution);
        *loop->solution = next;
        loop->feedback->program = *program;
        loop->feedback->rounds++;
        return true;
    }
    nd_solution_free(&next);
    loop->feedback->end = outcome == ND_DONE ? ND_FEEDBACK_INFEASIBLE : ND_FEEDBACK_NO_MEMORY;
    return false;
}

void nd_feedback_run(struct nd_feedback *feedback, const struct nd_program *program,
                     double limit_mb, enum nd_feedback_kind kind, const struct nd_check *check,
                     const struct nd_effort *effort, struct nd_solution *solution)
{
    *feedback = (struct nd_feedback){.end = ND_FEEDBACK_NO_MEMORY, .program = *program};
    struct loop loop = {feedback, limit_mb, check,
                        effort,   solution, calloc((size_t)program->stages, sizeof(double))};
    if (loop.peaks == NULL)
        return;
    for (int round = 0; look(&loop); round++) {
        struct nd_program changed = feedback->program;
        if (feedback->end == ND_FEEDBACK_FITS || round == ND_FEEDBACK_ROUNDS)
            break;
        if (kind == ND_TIGHTEN)
            tighten(&loop, &changed, round);
        else if (!fit(&loop, &changed))
            break;
        if (!solve_again(&loop, &changed))
            break;
    }
    free(loop.peaks);
}
