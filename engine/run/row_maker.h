// SPDX-License-Identifier: Apache-2.0
// From points to rows: walks a stretch of the space, runs the kernel on batches of points and
// writes their rows as text. One a worker.
#ifndef PPS_ROWS_H
#define PPS_ROWS_H

#include "engine/best/shared_best.h"
#include "engine/experiment/experiment.h"
#include "engine/run/audit.h"
#include "engine/run/known_rows.h"
#include "engine/space/space.h"

#include <stdatomic.h>

enum { PPS_TEXT_TARGET = 1 << 20 }; // bytes of text a block aims at

// The text of a stretch of points and what happened to them.
struct pps_rows {
    const char *text; // valid until the next call
    size_t n;         // bytes
    uint64_t rows;
    uint64_t failed;         // rows with empty results
    uint64_t failed_example; // the first of them
    uint64_t infeasible;     // rows that say that the point cannot be done
    size_t recalled;         // rows known from equal points, not computed; depends on threads
    uint64_t reused;         // rows of an earlier result
    uint64_t checked;        // of these, computed again for an audit
    uint64_t pruned;         // points that cannot be among the best; depends on threads
    struct pps_left_out left_out[PPS_MAX_REASONS];
    struct pps_audited audited;
    bool stopped; // the stop flag went up in the middle: nothing of this counts
};

struct pps_rowmaker;

// Takes all memory that a worker needs. The best n_best rows by column `objective` are kept.
PPS_MUST_CHECK enum pps_status pps_rowmaker_open(struct pps_rowmaker **maker,
                                                 const struct pps_experiment *experiment,
                                                 int objective,
                                                 size_t n_best,
                                                 struct pps_error *err);

// From now on a fraction of the rows is compared with the kernel's reference; a difference is an
// error of pps_rowmaker_make (see audit.h). With `only` no other rows are made.
PPS_MUST_CHECK enum pps_status pps_rowmaker_audit(struct pps_rowmaker *maker,
                                                  double fraction,
                                                  bool only,
                                                  struct pps_error *err);

// Ranks rows by group from now on: a group is all points with equal values of these n_by
// parameters.
void pps_rowmaker_group(struct pps_rowmaker *maker, const int *by, int n_by);

// Copies rows from an earlier result from now on, instead of computing them. Rows of an audit
// are computed nevertheless and must equal the earlier rows: a difference is an error of
// pps_rowmaker_make. Not in a contest. The caller calls this function after pps_rowmaker_group.
PPS_MUST_CHECK enum pps_status pps_rowmaker_reuse(struct pps_rowmaker *maker,
                                                  const struct pps_reuse *reuse,
                                                  struct pps_error *err);

// Adds no row to the text from now on. pps_rowmaker_best then returns the rows of the last call
// of pps_rowmaker_make: all rows that may be among the best of all points, with rows that equal
// the last of these if `ties` is set. A point that its lower bound excludes is not computed:
// the set of these points depends on the progress of all workers, the winning rows do not.
void pps_rowmaker_enter(struct pps_rowmaker *maker, struct pps_contest *contest, bool ties);

// Returns the infeasible row that is nearest to feasible, if the kernel names a column for
// this.
struct pps_tops *pps_rowmaker_nearest(struct pps_rowmaker *maker);

void pps_rowmaker_close(struct pps_rowmaker *maker); // NULL is fine

// Makes the rows of the points first ... first + n - 1 of the experiment.
PPS_MUST_CHECK enum pps_status pps_rowmaker_make(struct pps_rowmaker *maker,
                                                 uint64_t first,
                                                 uint64_t n,
                                                 const atomic_bool *stop,
                                                 struct pps_rows *rows,
                                                 struct pps_error *err);

// The best rows of everything made so far; compared by the numbers as they are written, so that
// they can be found again in the result. They belong to the maker.
struct pps_tops *pps_rowmaker_best(struct pps_rowmaker *maker);

// Points a block: about 1 MiB of text or 20 ms of work, whichever is less, but no fewer than the
// kernel runs together, and up to four times as many in large experiments. Depends on the experiment
// only.
uint64_t pps_block_points(const struct pps_experiment *experiment);

// Scratch for one worker; PPS_E_INPUT where the experiment asks for more than `threads` workers
// can have on this machine.
PPS_MUST_CHECK enum pps_status pps_scratch_bytes(const struct pps_experiment *experiment,
                                                 int threads,
                                                 size_t *bytes,
                                                 struct pps_error *err);

#endif
