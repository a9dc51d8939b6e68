// SPDX-License-Identifier: Apache-2.0
// Evaluates several schedules of one pipeline and sorts them.
#pragma once

#include "engine/command/progress_kind.h"
#include "kernels/schedule/replicates.h"
#include "planner/schedule/request.h"

#include <stdatomic.h>

enum schedule_outcome {
    CANDIDATE_FITS,
    CANDIDATE_OVER_LIMIT, // figures.least_limit is enough
    CANDIDATE_FAILED,     // the published rule breaks down on these times
    CANDIDATE_IMPOSSIBLE, // `why`
    CANDIDATE_STOPPED,
    CANDIDATE_NO_MEMORY,
};

struct schedule_candidate {
    const char *label;
    struct schedule_point point;
    const char *why; // why it is impossible; NULL: it is possible
    enum schedule_outcome outcome;
    struct schedule_figures figures; // of CANDIDATE_FITS
    void *memory;                    // of `scratch`; NULL: none
    struct schedule_scratch scratch; // of CANDIDATE_FITS: with the executed order
    // With fluctuating times, of CANDIDATE_FITS.
    double *makespan; // [n_replicates]; NULL: times do not fluctuate
    struct replicates_figures replicates;
};

struct schedule_comparison {
    struct schedule_candidate *list;
    int n;
    struct family_known *known; // [n]: orders of searches, which family best takes
    enum family_objective objective;
    const atomic_bool *stop;
    enum pps_progress_kind progress;
    atomic_int next, done;
    double start_s, shown_s; // of the progress: for the thread that has set `showing`
    bool drawn;
    atomic_flag showing;
};

// Evaluates all candidates, of which label, point and why are set, and sorts them: the best first, then those
// that do not fit, by the limit that they need, then the impossible ones.
PPS_MUST_CHECK enum pps_status schedule_compare(struct schedule_comparison *comparison,
                                                int threads, struct pps_error *err);

// Frees the scratch of the candidates.
void schedule_comparison_free(struct schedule_comparison *comparison);

// Returns the value of the objective: with fluctuating times the mean makespan.
double schedule_objective(const struct schedule_comparison *comparison,
                          const struct schedule_candidate *candidate);
