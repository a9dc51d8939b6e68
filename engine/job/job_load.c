// SPDX-License-Identifier: Apache-2.0
// Loads the experiment of a job and resolves what depends on it.
#include "engine/job/job_private.h"

#include "base/system/machine.h"
#include "base/text/characters.h"
#include "base/write/gate.h"
#include "engine/program/program.h"
#include "engine/run/row_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns whether the rows go to a Parquet file, whose columns have types.
static bool wants_types(const struct pps_job_result *r)
{
    static const char ending[] = ".parquet";
    const struct pps_job *job = r->job;
    const char *path = job->output != NULL ? job->output : r->experiment->output;
    return (job->codec != NULL && strncmp(job->codec, "parquet", 7) == 0) ||
           (path != NULL && pps_ends_with(path, ending));
}

static enum pps_status load_experiment(struct pps_job_result *r, struct pps_error *err)
{
    struct pps_request request = r->job->request;
    char *selection = NULL;
    enum pps_status status = pps_job_selection(r->job, &selection, err);
    request.only = selection;
    if (status == PPS_OK)
        status = pps_experiment_load(&r->experiment, &request, err);
    if (status == PPS_OK && !request.typed && wants_types(r)) {
        pps_experiment_free(r->experiment);
        r->experiment = NULL;
        request.typed = true;
        status = pps_experiment_load(&r->experiment, &request, err);
    }
    free(selection);
    return status;
}

// A stream has no blocks that anyone reads again, so they are small: the first rows come soon, and
// pipes never wait for long.
enum { STREAM_PARTS = 16, STREAM_POINTS = 64 };

static uint64_t block_points(const struct pps_job_result *r)
{
    const uint64_t points = pps_block_points(r->experiment);
    const bool is_stream = strcmp(r->path.path, "-") == 0 && r->job->shard.count == 0;
    return is_stream && points >= STREAM_PARTS * STREAM_POINTS ? points / STREAM_PARTS : points;
}

static void set_sweep(struct pps_job_result *r)
{
    const struct pps_job *job = r->job;
    struct pps_sweep *sweep = &r->sweep;
    sweep->experiment = r->experiment;
    sweep->threads = job->threads > 0 ? job->threads : pps_machine_cpus();
    sweep->shard = job->shard;
    sweep->audit = job->audit;
    sweep->fail_fast = job->fail_fast;
    sweep->stop = pps_job_stop(r);
    r->audit = job->audit;
    r->reuse = job->reuse;
    r->threads = sweep->threads;
}

// The result and its manifest may not replace a file that the run reads.
static enum pps_status check_inputs(const struct pps_job_result *r, struct pps_error *err)
{
    char manifest[sizeof r->path.path + sizeof ".json"];
    const struct pps_gate *gate = r->job->gate;
    if (gate == NULL || strcmp(r->path.path, "-") == 0)
        return PPS_OK;
    snprintf(manifest, sizeof manifest, "%s.json", r->path.path);
    const enum pps_status status = pps_gate_check_inputs(gate, r->path.path, err);
    return status == PPS_OK ? pps_gate_check_inputs(gate, manifest, err) : status;
}

// A program must exist. Points at which it fails leave their logs beside the result.
static enum pps_status prepare_program(const struct pps_job_result *r, struct pps_error *err)
{
    struct pps_program *program = r->experiment->program;
    char folder[sizeof r->path.path + sizeof PPS_LOGS];
    if (program == NULL)
        return PPS_OK;
    const enum pps_status status = pps_program_check(program, err);
    if (status != PPS_OK || strcmp(r->path.path, "-") == 0)
        return status;
    snprintf(folder, sizeof folder, "%s" PPS_LOGS, r->path.path);
    return pps_program_keep_logs(program, folder, err);
}

enum pps_status pps_job_load(const struct pps_job *job, struct pps_job_result *r,
                             struct pps_error *err)
{
    size_t scratch_bytes;
    *r = (struct pps_job_result){.job = job, .work = calloc(1, sizeof *r->work)};
    if (r->work == NULL)
        return pps_fail_memory(err, "a job");
    enum pps_status status = load_experiment(r, err);
    if (status != PPS_OK)
        return status;
    set_sweep(r);
    status = pps_job_choose_best(r, err);
    if (status == PPS_OK && job->audit > 0)
        status = pps_audit_possible(r->experiment->kernel, err);
    if (status == PPS_OK)
        status = pps_resultpath_choose(job->output, job->codec, r->experiment, job->shard,
                                       &r->path, err);
    if (status == PPS_OK)
        status = check_inputs(r, err);
    if (status == PPS_OK)
        status = prepare_program(r, err);
    r->sweep.codec = r->path.codec;
    r->sweep.block_points = block_points(r);
    return status == PPS_OK
               ? pps_scratch_bytes(r->experiment, r->sweep.threads, &scratch_bytes, err)
               : status;
}
