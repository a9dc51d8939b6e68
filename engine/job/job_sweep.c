// SPDX-License-Identifier: Apache-2.0
// Computes the points of a job; a resumed job starts behind the points of the interrupted run.
#include "engine/job/job_private.h"

#include "engine/job/earlier_totals.h"

#include <stdio.h>

// ---- the interrupted run ----------------------------------------------------------------------

// Reads the snapshot of an interrupted --only-top run. Without a snapshot, or with a damaged
// one, the run starts at the first point.
static enum pps_status take_up_best(struct pps_job_result *r, struct pps_error *err)
{
    const bool resume = pps_output_prefix(r->work->output)->n_records > 0;
    enum pps_status status = pps_snapshot_open(&r->work->snapshots, &r->sweep, r->path.path,
                                               resume, &r->snapshot_fault, err);
    if (status != PPS_OK || !resume)
        return status;
    struct pps_error wrong;
    status = pps_snapshot_read(&r->work->snapshots, &r->sweep, &r->sweep.skip,
                               &r->work->earlier, &wrong);
    if (status == PPS_E_WRONG) {
        r->snapshot_fault = wrong;
        pps_totals_free(&r->work->earlier);
        r->work->earlier = (struct pps_totals){.points = 0};
        r->sweep.skip = 0;
        return PPS_OK;
    }
    r->sweep.rivals = &r->work->earlier.best;
    if (status != PPS_OK)
        *err = wrong;
    r->resumed = true;
    return status;
}

// Reads the totals of the interrupted run from the rows of the prefix.
static enum pps_status read_totals(struct pps_job_result *r,
                                   const struct pps_whole_prefix *prefix, struct pps_error *err)
{
    char data[1200], index[1200];
    snprintf(data, sizeof data, "%s.part", r->path.path);
    snprintf(index, sizeof index, "%s.idx.part", r->path.path);
    const struct pps_resume_ask ask = {&r->sweep, prefix, data, index};
    return pps_resume_totals(&ask, &r->work->earlier, err);
}

enum pps_status pps_job_take_up(struct pps_job_result *r, struct pps_error *err)
{
    if (r->work->output == NULL)
        return PPS_OK;
    const struct pps_whole_prefix *prefix = pps_output_prefix(r->work->output);
    if (r->sweep.only_best)
        return take_up_best(r, err);
    if (prefix->n_records == 0)
        return PPS_OK;
    enum pps_status status = read_totals(r, prefix, err);
    r->sweep.skip = prefix->n_records - 1;
    if (status == PPS_OK && !r->work->earlier.complete)
        return pps_fail(err, PPS_E_STOPPED,
                        "stopped while reading %s.part; nothing in it is lost", r->path.path);
    r->resumed = true;
    return status;
}

// ---- totals that its files do not contain -----------------------------------------------------

static enum pps_status drop_block(void *self, const struct pps_block *block,
                                  struct pps_error *err)
{
    (void)self;
    (void)block;
    (void)err;
    return PPS_OK;
}

// Computes points of the prefix again: all points, or only the points of the audit.
static enum pps_status compute_again(const struct pps_sweep *sweep, uint64_t n_blocks,
                                     struct pps_totals *totals, bool *complete,
                                     struct pps_error *err)
{
    const bool shows = pps_resume_shows(sweep->experiment, sweep->objective);
    struct pps_sweep again = *sweep;
    struct pps_totals found;
    again.skip = 0;
    again.end = n_blocks;
    again.codec = (struct pps_codec_choice){PPS_CODEC_NONE, 0};
    again.sink = (struct pps_sink){NULL, drop_block};
    again.watch = (struct pps_watch){.self = NULL};
    again.only_audited = shows || sweep->n_best == 0;
    again.n_best = shows ? 0 : sweep->n_best;
    enum pps_status status = pps_sweep_run(&again, &found, err);
    *complete = found.complete;
    pps_audited_add(&totals->shortcuts.audited, &found.shortcuts.audited);
    if (status == PPS_OK)
        status = pps_best_by_group_merge(&totals->best, &found.best, err);
    pps_totals_free(&found);
    return status;
}

// Adds the totals that rows do not contain, by computing points of the prefix again: the audit,
// and the best rows by a column that is not in the result. This may take as long as the
// interrupted runs. Therefore it is done when all blocks are written: otherwise a run repeated
// with a time limit would never end.
static enum pps_status review(struct pps_job_result *r, struct pps_error *err)
{
    const struct pps_sweep *sweep = &r->sweep;
    const bool unseen =
        sweep->n_best > 0 && !pps_resume_shows(sweep->experiment, sweep->objective);
    if (r->work->output == NULL || !r->totals.complete || (!unseen && sweep->audit <= 0))
        return PPS_OK;
    const uint64_t n_records = pps_output_prefix(r->work->output)->n_records;
    if (n_records <= 1)
        return PPS_OK;
    return compute_again(sweep, n_records - 1, &r->work->earlier, &r->totals.complete, err);
}

// ---- the points -------------------------------------------------------------------------------

static void tell_passed(void *self, const struct pps_passed *passed)
{
    struct pps_job_result *r = self;
    r->passed = *passed;
    pps_job_tell(r, PPS_JOB_PASSED);
}

// Where blocks go: blocks of a run that keeps only the best rows have no rows.
static struct pps_sink choose_sink(struct pps_job_result *r)
{
    if (!r->sweep.only_best)
        return r->sweep.sink;
    r->work->snapshot = (struct pps_snapshot){.sweep = &r->sweep,
                                              .log = &r->work->snapshots,
                                              .earlier = &r->work->earlier,
                                              .totals = &r->totals};
    return r->work->output != NULL ? pps_snapshot_sink(&r->work->snapshot)
                                   : (struct pps_sink){NULL, drop_block};
}

enum pps_status pps_job_sweep(struct pps_job_result *r, struct pps_error *err)
{
    const struct pps_sink sink = r->sweep.sink;
    r->earlier_points = r->work->earlier.points;
    r->earlier_rows = r->work->earlier.counts.rows;
    r->n_points = r->earlier_points + pps_sweep_points(&r->sweep);
    pps_job_tell(r, PPS_JOB_BEGINS);
    r->sweep.watch = (struct pps_watch){r, tell_passed};
    r->sweep.sink = choose_sink(r);
    enum pps_status status = pps_sweep_run(&r->sweep, &r->totals, err);
    r->sweep.sink = sink;
    pps_job_tell(r, PPS_JOB_ENDS);
    if (status == PPS_OK)
        status = review(r, err);
    return status == PPS_OK ? pps_totals_join(&r->totals, &r->work->earlier, err) : status;
}
