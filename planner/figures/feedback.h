// SPDX-License-Identifier: Apache-2.0
// Checks a solution of the pipeline program against measured peaks or against a more precise model.
// If a stage exceeds the limit, tightens budgets or fits the memory figures to the peaks, and
// solves the program again.
#pragma once

#include "base/table/table.h"
#include "kernels/common/search/solve.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- peaks --------------------------------------------------------------------------------------

// Source of the peaks of a choice: MiB, [stages]. Returns false if they are unknown.
struct nd_check {
    bool (*peaks)(void *self, const struct nd_program *program, const struct nd_choice *choice,
                  double *peaks);
    void *self;
};

// Peaks that were measured once, for the first choice. The peak of another choice is its memory in
// the program plus the first choice's difference of measured peak and memory in the program.
struct nd_measured {
    const double *measured_mb; // [stages]
    double *modelled_mb;       // [stages], filled by nd_measured_peaks
    bool first_done;
};

bool nd_measured_peaks(void *measured, const struct nd_program *program,
                       const struct nd_choice *choice, double *peaks);

struct nd_peak_key {
    int64_t dp, tp, pp, ep;
};

// Reads the peaks of one configuration, [pp], from a table with the columns dp, tp, pp, ep, stage
// and peak_mb. *found: the table has a row of the configuration; then every stage must have a row.
// Returns false and sets `fault` for invalid tables.
bool nd_check_peaks_read(double *peaks, const struct nd_peak_key *key,
                         const struct table *table, bool *found, struct pps_fault *fault);

// ---- figures fitted to peaks --------------------------------------------------------------------

struct nd_figure_fit {
    int32_t unknowns;
    double worst_mb; // greatest error of a stage with the fitted figures
    int32_t worst_stage;
};

enum { ND_FIT_STAGES_LEAST = 4, ND_FIT_STAGES_MOST = 140 };

// Fits the figures that the peaks depend on (statics, layers, activations, and the kinds of
// recompute in the choice) by least squares with figures >= 0. Each figure is drawn towards its
// value in the program: a change by 100 % counts as an error of 0.1 % of the limit on one stage.
// Figures are rounded to 0.1 MiB. Returns false with the reason in `why` for fewer than 4 or more
// than 140 stages, and if an error of 1 % of the limit or more remains.
bool nd_fit_figures(const struct nd_program *program, const struct nd_choice *choice,
                    const double *peaks, double limit_mb, struct nd_figures *memory,
                    struct nd_figure_fit *fit, char *why, size_t why_size);

// ---- the loop -----------------------------------------------------------------------------------

enum nd_feedback_kind {
    // Reduces budgets by the excess times the number of the round. Not as published: the unused
    // part of a budget is also removed.
    ND_TIGHTEN,
    ND_FIT, // fits figures to the peaks
};

enum nd_feedback_end {
    ND_FEEDBACK_FITS,
    ND_FEEDBACK_OVER,       // after the last round a stage still exceeds the limit
    ND_FEEDBACK_INFEASIBLE, // no choice fits; the previous solution is kept
    ND_FEEDBACK_REFUSED,    // the figures could not be fitted
    ND_FEEDBACK_UNKNOWN,    // the check returned no peaks
    ND_FEEDBACK_NO_MEMORY,
};

enum { ND_FEEDBACK_ROUNDS = 5 };

struct nd_feedback {
    enum nd_feedback_end end;
    int rounds;                // number of times that the program was solved again
    double over_mb;            // greatest excess of a stage of the solution; 0: all stages fit
    int32_t stage;             // the stage with this excess
    char why[200];             // the reason, for ND_FEEDBACK_REFUSED
    struct nd_program program; // of the solution
};

// Starts from a solution of the program (solution->found is true), and replaces the solution in
// each round that finds another one.
void nd_feedback_run(struct nd_feedback *feedback, const struct nd_program *program,
                     double limit_mb, enum nd_feedback_kind kind, const struct nd_check *check,
                     const struct nd_effort *effort, struct nd_solution *solution);
