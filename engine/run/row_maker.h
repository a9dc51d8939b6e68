// SPDX-License-Identifier: Apache-2.0
// The row maker walks a stretch of the space, runs the kernel on batches of points and writes
// their rows as text. Each worker has its own row maker.
#pragma once

#include "engine/best/best_by_group.h"
#include "engine/experiment/experiment.h"
#include "engine/run/audit.h"
#include "engine/run/known_rows.h"
#include "engine/space/space.h"
#include "engine/store/block.h"

#include <stdatomic.h>

enum { PPS_TEXT_TARGET = 1 << 20 }; // bytes of text a block aims at

// Counts of the points that the kernel need not compute, and of the checks of these shortcuts.
struct pps_shortcuts {
    size_t recalled;  // rows copied from equivalent points; depends on the threads
    uint64_t reused;  // rows of an earlier result
    uint64_t checked; // reused rows that an audit computed again
    uint64_t pruned;  // points that a lower bound excludes; depends on the threads
    struct pps_audited audited;
};

void pps_shortcuts_add(struct pps_shortcuts *shortcuts, const struct pps_shortcuts *later);

// The text of a stretch of points and what happened to them.
struct pps_rows {
    const char *text; // valid until the next call
    size_t n;         // bytes
    struct pps_counts counts;
    struct pps_shortcuts shortcuts;
    bool stopped; // the stop flag went up in the middle: nothing of this counts
};

struct pps_rowmaker;

// Settings of a row maker. Pointers must stay valid until the row maker is closed.
struct pps_row_settings {
    const struct pps_experiment *experiment;
    int objective; // the column that the best rows are chosen by
    size_t n_best; // the maker keeps this number of best rows
    const int *by; // n_by parameters: the best rows of every group of points with equal values
    int n_by;
    // Rows of an earlier result, which are copied and not computed; or NULL. Audited rows are
    // computed and compared with the earlier row: a difference is an error of pps_rowmaker_make.
    // Not used with a contest.
    const struct pps_known_rows *reuse;
    // Top-k mode: rows are offered to the shared contest, no text is produced, and
    // pps_rowmaker_best returns the best rows of the last call of pps_rowmaker_make alone. A point
    // whose lower bound is worse than the best rows is not computed: the number of pruned points
    // depends on the progress of all workers, the winning rows do not. NULL: all rows are text.
    struct pps_shared_best *contest;
    bool ties; // with a contest: also all rows equal to the last of the best
    // A fraction of the rows is compared with the kernel's reference; a difference is an error of
    // pps_rowmaker_make (audit.h). 0: none.
    double audit;
    bool only_audited; // no other rows are computed
};

// Allocates all memory that a worker needs. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_rowmaker_open(struct pps_rowmaker **maker,
                                                 const struct pps_row_settings *settings,
                                                 struct pps_error *err);

// Returns the infeasible row that is nearest to feasible, if the kernel names a column for
// this.
struct pps_best_by_group *pps_rowmaker_nearest(struct pps_rowmaker *maker);

void pps_rowmaker_close(struct pps_rowmaker *maker); // NULL is fine

// Makes the rows of the points first ... first + n - 1 of the experiment.
PPS_MUST_CHECK enum pps_status pps_rowmaker_make(struct pps_rowmaker *maker, uint64_t first,
                                                 uint64_t n, const atomic_bool *stop,
                                                 struct pps_rows *rows, struct pps_error *err);

// The best rows of everything made so far; compared by the numbers as they are written, so that
// they can be found again in the result. They belong to the maker.
struct pps_best_by_group *pps_rowmaker_best(struct pps_rowmaker *maker);

// Points a block: about 1 MiB of text or 20 ms of work, whichever is less, but no fewer than the
// kernel runs together, and up to four times as many in large experiments. Depends on the experiment
// only.
uint64_t pps_block_points(const struct pps_experiment *experiment);

// Scratch for one worker; PPS_E_INPUT where the experiment asks for more than `threads` workers
// can have on this machine.
PPS_MUST_CHECK enum pps_status pps_scratch_bytes(const struct pps_experiment *experiment,
                                                 int threads, size_t *bytes,
                                                 struct pps_error *err);
