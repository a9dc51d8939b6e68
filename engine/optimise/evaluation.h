// SPDX-License-Identifier: Apache-2.0
// Evaluates points of a search space in batches, on all threads, by the same code as a run. Each point is
// computed once; its row is kept, and written to a journal from which a stopped search continues.
#pragma once

#include "base/resume/record_log.h"
#include "base/text/string_pool.h"
#include "engine/experiment/experiment.h"
#include "engine/optimise/search_space.h"
#include "engine/run/known_rows.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- search batch -------------------------------------------------------------------------------

// A zeroed one is empty.
struct pps_search_batch {
    double *x;      // coordinates: PPS_MOST_COORDINATES each
    double *points; // PPS_MAX_PARAMS each
    double *values; // of the evaluation
    size_t *number, *arm;
    size_t n, room;
};

// Makes room for n places; false without memory.
bool pps_search_batch_reserve(struct pps_search_batch *batch, size_t n);

// Adds a place of an arm; false without memory.
bool pps_search_batch_add(struct pps_search_batch *batch, const struct pps_search_space *space,
                          size_t arm, const double *x);

void pps_search_batch_free(struct pps_search_batch *batch);

// ---- evaluation ---------------------------------------------------------------------------------

// A point that was evaluated.
struct pps_evaluated_point {
    double point[PPS_MAX_PARAMS];
    char *results; // the cells of its results, with commas between, and a newline
    double value;  // the objective; INFINITY: infeasible or failed
    bool infeasible;
};

struct pps_evaluation {
    const struct pps_search_space *space;
    const struct pps_request *request; // of the experiment
    int threads;
    const atomic_bool *stop;
    const struct pps_known_rows *known; // rows that need not be computed; or NULL
    bool higher;                        // larger objectives are better
    uint64_t most;                      // evaluations
    // Since pps_evaluation_open:
    struct pps_string_pool keys; // number of a point in `points`
    struct pps_evaluated_point *points;
    size_t n, room;
    uint64_t refused;    // points that a rule, a range or the kernel refuses
    uint64_t remembered; // of the points: taken from the journal
    bool full;           // a point was not evaluated, because `most` is reached
    struct pps_record_log journal;
    struct pps_string_pool old_keys; // of the journal
    char **old_results;
    size_t n_old, old_room;
};

// Opens the journal at `path`; with `resume`, first reads what is in it. `search` identifies the search:
// a journal of another search is PPS_E_INPUT, and so is any journal without `resume` and `force`. The
// caller calls pps_evaluation_close in every case, and pps_record_log_remove before if the result is complete.
PPS_MUST_CHECK enum pps_status pps_evaluation_open(struct pps_evaluation *evaluation,
                                                   const char *path, const char *search,
                                                   bool resume, bool force,
                                                   struct pps_error *err);
void pps_evaluation_close(struct pps_evaluation *evaluation);

// Writes the values of n points, lower values being better: of point i, points[i * PPS_MAX_PARAMS + p] is
// parameter p. INFINITY: no value. number[i]: its number in evaluation->points, SIZE_MAX: it was not
// evaluated. The outcome does not depend on the number of threads. Returns PPS_E_STOPPED after a stop;
// the batch then does not count.
PPS_MUST_CHECK enum pps_status pps_evaluate_batch(struct pps_evaluation *evaluation,
                                                  const double *points, size_t n,
                                                  double *values, size_t *number,
                                                  struct pps_error *err);

// Returns the experiment whose points are points first ... first + n - 1, as a text of JSON that the caller
// frees; NULL without memory.
char *pps_evaluation_experiment(const struct pps_evaluation *evaluation, size_t first,
                                size_t n);

// Returns a table of all rows, for a run of the experiment; NULL without memory.
struct pps_known_rows *pps_evaluation_rows(const struct pps_evaluation *evaluation,
                                           const struct pps_experiment *experiment);
