// SPDX-License-Identifier: Apache-2.0
// Runs a sweep: a pool of OpenMP threads makes blocks of rows, compresses them, and hands them
// on in order.
#pragma once

#include "base/system/codec.h"
#include "engine/experiment/experiment.h"
#include "engine/forecast/pace.h"
#include "engine/run/row_maker.h"
#include "engine/run/work_schedule.h"
#include "engine/space/shard.h"
#include "engine/store/output.h"

#include <stdatomic.h>

// Takes the blocks in ascending order, one at a time but from any thread.
struct pps_sink {
    void *self;
    enum pps_status (*block)(void *self, const struct pps_block *block, struct pps_error *err);
};

struct pps_sweep {
    const struct pps_experiment *experiment;
    uint64_t block_points;
    int threads;
    struct pps_ring ring; // zeroed: pps_ring_default
    struct pps_codec_choice codec;
    struct pps_sink sink;
    struct pps_watch watch;
    const atomic_bool *stop; // goes up when the run shall end early
    int objective;           // column of the best rows
    size_t n_best;
    const int *by; // n_by parameters: the best rows of every group; NULL: of all points
    int n_by;
    bool only_best; // no other rows are wanted: blocks have no text, points that cannot win are
                    // not computed
    bool ties;      // with only_best: and all rows equal to the last of the best
    // With only_best: the best rows of blocks that are skipped; or NULL.
    struct pps_best_by_group *rivals;
    const struct pps_known_rows *reuse; // rows that need not be computed; or NULL
    double audit; // fraction of the rows to compare with the reference; 0: none
    struct pps_shard shard;
    uint64_t skip;     // number of blocks of the shard that exist already
    uint64_t end;      // stop before this block of the shard; 0: at the end of the shard
    bool only_audited; // compute only the rows of the audit
    bool fail_fast;    // PPS_E_POINTS for the first point that failed
};

struct pps_totals {
    uint64_t points; // scanned points, skipped points included
    uint64_t judged; // rows to choose from, in a run that keeps only the best rows
    uint64_t earlier, earlier_rows; // points and rows of an earlier run
    struct pps_counts counts;       // of all runs
    // Shortcuts of all runs; recalled, reused and checked rows are counted for this run only.
    struct pps_shortcuts shortcuts;
    uint64_t text_bytes;
    double wall_s, cpu_s;
    bool complete;
    struct pps_best_by_group best; // with only_best, at any time: of all blocks written so far
    // Of this run's infeasible rows, the one that nearly fits; where the best alone are wanted,
    // none as soon as there is one of them.
    struct pps_best_by_group nearest;
};

// Makes both empty, for rows of this sweep: the best of its groups, the nearest to feasible.
void pps_sweep_tops(const struct pps_sweep *sweep, struct pps_best_by_group *best,
                    struct pps_best_by_group *nearest);

// Returns whether the stop flag is raised.
static inline bool pps_sweep_is_stopped(const struct pps_sweep *sweep)
{
    return sweep->stop != NULL && atomic_load_explicit(sweep->stop, memory_order_relaxed);
}

// The points that a run passes when it is not stopped.
uint64_t pps_sweep_points(const struct pps_sweep *sweep);

// Runs it. totals is filled in every case as far as the run came; pps_totals_free gives back
// what it holds. A stop is no error: totals->complete is false then. The first error of a worker
// or of the sink ends the run.
PPS_MUST_CHECK enum pps_status pps_sweep_run(const struct pps_sweep *sweep,
                                             struct pps_totals *totals, struct pps_error *err);
// Returns the points that the kernel computed in this run: not the points that were skipped or
// pruned, that equal others, or whose rows were there already.
uint64_t pps_totals_computed(const struct pps_totals *totals);

// Adds the rows of the next points.
void pps_totals_add(struct pps_totals *totals, const struct pps_rows *rows, uint64_t points);

// Puts what an earlier run has found before what `totals` has; the best rows of both are joined.
PPS_MUST_CHECK enum pps_status pps_totals_join(struct pps_totals *totals,
                                               struct pps_totals *earlier,
                                               struct pps_error *err);
void pps_totals_free(struct pps_totals *totals);
