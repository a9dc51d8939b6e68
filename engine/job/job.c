// SPDX-License-Identifier: Apache-2.0
// Runs the steps of a job in order.
#include "engine/job/job_private.h"

#include "base/system/machine.h"
#include "engine/job/existing_result.h"
#include "engine/job/known_rows_read.h"

#include <stdlib.h>
#include <string.h>

atomic_bool *pps_job_stop(const struct pps_job_result *r)
{
    return r->job->stop != NULL ? r->job->stop : &r->work->stop;
}

void pps_job_tell(struct pps_job_result *r, enum pps_job_event event)
{
    const struct pps_job *job = r->job;
    if (job->watch != NULL && !job->watch(job->self, event, r))
        atomic_store(pps_job_stop(r), true);
}

// Finds the result of the same run. The data of the result are then complete.
static enum pps_status find(struct pps_job_result *r, bool *complete, struct pps_error *err)
{
    if (r->job->resume && strcmp(r->path.path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--resume needs a result file, not -o -");
    cJSON *manifest = pps_job_manifest(r, NULL);
    if (manifest == NULL)
        return pps_fail_memory(err, "the manifest");
    enum pps_status status = pps_existing_find(r->job, r->path.path, manifest, complete, err);
    cJSON_Delete(manifest);
    return status;
}

static enum pps_status read_reuse(struct pps_job_result *r, struct pps_error *err)
{
    const char *path = r->job->reuse;
    r->sweep.reuse = r->job->known;
    if (path == NULL)
        return PPS_OK;
    // The text of a result is rounded: it cannot decide between almost equal rows.
    if (r->sweep.only_best)
        return pps_fail(err, PPS_E_INPUT,
                        "--only-top and --reuse cannot be used together; remove --only-top and "
                        "run ppsweep top on the result");
    bool checked = false;
    enum pps_status status = pps_known_rows_open(&r->work->reuse, path, r->experiment,
                                                 r->sweep.objective, &checked, err);
    r->sweep.reuse = r->work->reuse;
    r->reuse_unchecked = !checked;
    return status;
}

// Removes the snapshots of an --only-top run that ended between its last two steps.
static enum pps_status clear_snapshots(struct pps_job_result *r, struct pps_error *err)
{
    struct pps_error fault;
    if (!r->job->resume || !r->sweep.only_best || !pps_existing_file(r->path.path, ".top.part"))
        return PPS_OK;
    enum pps_status status =
        pps_snapshot_open(&r->work->snapshots, &r->sweep, r->path.path, true, &fault, err);
    return status == PPS_OK ? pps_record_log_remove(&r->work->snapshots, err) : status;
}

// Reads the summary of the run that made the complete result.
static enum pps_status repeat(struct pps_job_result *r, struct pps_error *err)
{
    struct pps_finished_result *found = &r->work->finished;
    pps_job_tell(r, PPS_JOB_FOUND);
    enum pps_status status = clear_snapshots(r, err);
    if (status == PPS_OK)
        status = pps_finished_result_read(&r->sweep, r->path.path, found, err);
    r->repeated = true;
    r->no_totals = !found->has_index;
    r->totals = found->totals;
    found->totals = (struct pps_totals){.points = 0};
    r->data_bytes = found->data_bytes;
    r->audit = found->audit;
    r->reuse = found->reuse;
    r->threads = found->threads;
    if (status == PPS_OK && found->has_index && !r->totals.complete)
        return pps_fail(err, PPS_E_STOPPED, "stopped while reading %s, which is complete",
                        r->path.path);
    return status;
}

// Keeps the finished blocks after an error.
static enum pps_status give_up(struct pps_job_result *r, enum pps_status status,
                               struct pps_error *err)
{
    pps_output_abandon(r->work->output);
    r->work->output = NULL;
    if (status == PPS_E_MACHINE && r->work->opened)
        pps_job_hint(r, err);
    return status;
}

static enum pps_status compute(struct pps_job_result *r, struct pps_error *err)
{
    enum pps_status status = read_reuse(r, err);
    if (status != PPS_OK)
        return status;
    pps_job_tell(r, PPS_JOB_READY);
    status = pps_job_open(r, err);
    if (status == PPS_OK)
        status = pps_job_take_up(r, err);
    if (status == PPS_E_STOPPED)
        pps_job_hint(r, err);
    if (status == PPS_OK)
        status = pps_job_sweep(r, err);
    if (status == PPS_OK)
        status = pps_job_finish(r, err);
    return status == PPS_OK ? status : give_up(r, status, err);
}

static enum pps_status run_loaded(struct pps_job_result *r, struct pps_error *err)
{
    bool complete = false;
    enum pps_status status = find(r, &complete, err);
    if (status != PPS_OK)
        return status;
    return complete ? repeat(r, err) : compute(r, err);
}

enum pps_status pps_job_run(const struct pps_job *job, struct pps_job_result *r,
                            struct pps_error *err)
{
    const double start_s = pps_wall_seconds();
    enum pps_status status = r->experiment == NULL ? pps_job_load(job, r, err) : PPS_OK;
    if (status == PPS_OK && job->time_limit_s > 0)
        status = pps_time_limit_begin(&r->work->limit,
                                      job->time_limit_s - (pps_wall_seconds() - start_s),
                                      pps_time_limit_raise, pps_job_stop(r), err);
    if (status == PPS_OK)
        status = run_loaded(r, err);
    if (r->work != NULL)
        pps_time_limit_end(&r->work->limit);
    return status;
}

void pps_job_free(struct pps_job_result *r)
{
    pps_totals_free(&r->totals);
    if (r->work != NULL) {
        pps_output_abandon(r->work->output);
        pps_record_log_close(&r->work->snapshots);
        pps_totals_free(&r->work->earlier);
        pps_known_rows_close(r->work->reuse);
        pps_finished_result_free(&r->work->finished);
        free(r->work);
    }
    pps_experiment_free(r->experiment);
    *r = (struct pps_job_result){.job = NULL};
}
