// SPDX-License-Identifier: Apache-2.0
// Checks a solution of the pipeline program against measured peaks or against a more precise model.
// If a stage exceeds the limit, tightens budgets or fits the memory figures to the peaks, and
// solves the program again.
#ifndef PPS_PLANNER_FIGURES_FEEDBACK_H
#define PPS_PLANNER_FIGURES_FEEDBACK_H

#include "base/table/table.h"
#include "kernels/common/search/solve.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- peaks --------------------------------------------------------------------------------------

// Source of the peaks of a choice: MiB, [stages]. Returns false if they are unknown.
struct nd_check {
    bool (*peaks)(void *self,
                  const struct nd_program *program,
                  const struct nd_choice *choice,
                  double *peaks);
    void *self;
};

// Peaks that were measured once, of the first choice asked about. Of another choice: what the
// program makes of it, and by as much more as was measured of the first one.
struct nd_measured {
    const double *measured_mb; // [stages]
    double *modelled_mb;       // [stages], for own use
    bool first_done;
};

bool nd_measured_peaks(void *measured,
                       const struct nd_program *program,
                       const struct nd_choice *choice,
                       double *peaks);

struct nd_peak_key {
    int64_t dp, tp, pp, ep;
};

// Of a table dp, tp, pp, ep, stage, peak_mb: the peaks of a configuration, [pp]. *found: there
// are any; then every stage must have one. false: `fault` is set.
bool nd_check_peaks_read(double *peaks,
                         const struct nd_peak_key *key,
                         const struct table *table,
                         bool *found,
                         struct pps_fault *fault);

// ---- figures fitted to peaks --------------------------------------------------------------------

struct nd_figure_fit {
    int32_t unknowns;
    double worst_mb; // greatest error of a stage with the fitted figures
    int32_t worst_stage;
};

enum { ND_FIT_STAGES_LEAST = 4, ND_FIT_STAGES_MOST = 140 };

// Fits the figures that matter (statics, layers, activations, and of the kinds of recompute those
// that the choice has) to the peaks by least squares with figures >= 0, drawn towards those of the
// program: a figure that is changed by all of itself weighs as an error of a thousandth of the
// limit on one stage. Rounded to 0.1 MiB. false: fewer than 4 stages, more than 140, or an error of
// 1 % of the limit or more is left, as `why` says.
bool nd_fit_figures(const struct nd_program *program,
                    const struct nd_choice *choice,
                    const double *peaks,
                    double limit_mb,
                    struct nd_figures *memory,
                    struct nd_figure_fit *fit,
                    char *why,
                    size_t why_size);

// ---- the loop -----------------------------------------------------------------------------------

enum nd_feedback_kind {
    ND_TIGHTEN, // budgets, by what is too much, in every round by more of it; corrected: and by
                // what the solution leaves of them
    ND_FIT,     // figures
};

enum nd_feedback_end {
    ND_FEEDBACK_FITS,
    ND_FEEDBACK_OVER,       // after the last round a stage still holds too much
    ND_FEEDBACK_INFEASIBLE, // nothing is left that would fit; the solution is that of before
    ND_FEEDBACK_REFUSED,    // the figures could not be fitted
    ND_FEEDBACK_UNKNOWN,    // nobody knew the peaks
    ND_FEEDBACK_NO_MEMORY,
};

enum { ND_FEEDBACK_ROUNDS = 5 };

struct nd_feedback {
    enum nd_feedback_end end;
    int rounds;     // in which the program was solved again
    double over_mb; // the most that a stage of the solution holds too much; 0: it fits
    int32_t stage;  // that does
    char why[200];  // where refused
    struct nd_program program; // of the solution
};

// From a solution of the program (found), which is replaced where a round makes another.
void nd_feedback_run(struct nd_feedback *feedback,
                     const struct nd_program *program,
                     double limit_mb,
                     enum nd_feedback_kind kind,
                     const struct nd_check *check,
                     const struct nd_effort *effort,
                     struct nd_solution *solution);

#endif
