// SPDX-License-Identifier: Apache-2.0
// Opens and closes the files of a job: rows, index, manifest and snapshot.
#include "engine/job/job_private.h"

#include "base/columns/parquet_write.h"
#include "base/text/human.h"
#include "engine/experiment/column_types.h"
#include "engine/job/existing_result.h"
#include "engine/manifest/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A result of only the best rows is one block.
static uint64_t block_points(const struct pps_job_result *r)
{
    return r->sweep.only_best ? r->experiment->n_points : r->sweep.block_points;
}

cJSON *pps_job_manifest(const struct pps_job_result *r, struct pps_totals *totals)
{
    const struct pps_manifest manifest = {
        .experiment = r->experiment,
        .totals = totals,
        .shard = r->sweep.shard,
        .codec = r->path.codec,
        .block_points = block_points(r),
        .sweep = &r->sweep,
        .reuse = r->job->reuse,
        .data_bytes = r->data_bytes,
        .audit = r->sweep.audit,
        .threads = r->sweep.threads,
        .version = PPS_VERSION,
        .command = r->job->command != NULL ? r->job->command : "",
        .view = r->job->view,
    };
    return pps_manifest_tree(&manifest);
}

static enum pps_status print_manifest(const struct pps_job_result *r, struct pps_totals *totals,
                                      char **text, struct pps_error *err)
{
    *text = pps_manifest_print(pps_job_manifest(r, totals));
    return *text != NULL ? PPS_OK : pps_fail_memory(err, "the manifest");
}

// ---- output of blocks -------------------------------------------------------------------------

static enum pps_status block_to_file(void *self, const struct pps_block *block,
                                     struct pps_error *err)
{
    struct pps_job_result *r = self;
    return pps_output_append(r->work->output, block, err);
}

static enum pps_status block_to_stream(void *self, const struct pps_block *block,
                                       struct pps_error *err)
{
    struct pps_job_result *r = self;
    FILE *rows = r->job->rows;
    if (fwrite(block->data, 1, block->data_bytes, rows) != block->data_bytes ||
        fflush(rows) != 0)
        return pps_fail_errno(err, "cannot write", "stdout");
    r->data_bytes += block->data_bytes;
    return PPS_OK;
}

// Makes the start of a Parquet file: the line of names, their kinds, and what the manifest says of the
// experiment. It is the same for every run and every shard.
static enum pps_status make_start(const struct pps_job_result *r, struct text_buffer *start,
                                  struct pps_error *err)
{
    struct pps_schema schema;
    enum pps_status status = pps_experiment_schema(r->experiment, &schema, err);
    if (status != PPS_OK)
        return status;
    char *metadata = pps_manifest_constant(pps_job_manifest(r, NULL));
    status = metadata != NULL
                 ? pps_parquet_header(start, &schema, metadata, strlen(metadata), err)
                 : pps_fail_memory(err, "the manifest");
    free(metadata);
    pps_schema_free(&schema);
    return status;
}

static enum pps_status open_file(struct pps_job_result *r, const char *header,
                                 struct pps_error *err)
{
    const bool is_parquet = r->path.codec.kind == PPS_CODEC_PARQUET;
    struct pps_block first = {.index = UINT64_MAX};
    struct text_buffer start = {.text = NULL};
    char *manifest = NULL;
    enum pps_status status = print_manifest(r, NULL, &manifest, err);
    const struct pps_output_plan plan = {
        .path = r->path.path,
        .codec = r->path.codec,
        .header = header,
        .header_block = is_parquet ? &first : NULL,
        .digest = r->experiment->digest,
        .n_points = r->experiment->n_points,
        .block_points = block_points(r),
        .n_reasons = r->experiment->space.n_reasons,
        .shard = r->sweep.shard.index,
        .n_shards = r->sweep.shard.count,
        .force = r->job->force,
        .resume = r->job->resume,
        .drop_blocks = r->sweep.only_best,
        .stop = r->sweep.stop,
        .manifest = manifest,
        .resume_hint = r->job->resume_command,
    };
    if (status == PPS_OK && is_parquet)
        status = make_start(r, &start, err);
    pps_block_set_text(&first, header, strlen(header));
    first.data = start.text;
    first.data_bytes = start.n;
    if (status == PPS_OK)
        status = pps_resultpath_folder(&r->path, err);
    if (status == PPS_OK)
        status = pps_output_open(&r->work->output, &plan, err);
    free(manifest);
    text_buffer_free(&start);
    r->work->opened = status == PPS_OK;
    r->unlocked = status == PPS_OK && !pps_output_is_locked(r->work->output);
    return status;
}

static enum pps_status open_stream(FILE *rows, const char *header, struct pps_error *err)
{
    if (rows == NULL)
        return pps_fail(err, PPS_E_INPUT, "the result needs a file, not -");
    return fputs(header, rows) != EOF ? PPS_OK : pps_fail_errno(err, "cannot write", "stdout");
}

enum pps_status pps_job_open(struct pps_job_result *r, struct pps_error *err)
{
    const bool to_stream = strcmp(r->path.path, "-") == 0;
    char *header = pps_experiment_header(r->experiment);
    if (header == NULL)
        return pps_fail_memory(err, "the header");
    r->sweep.sink = (struct pps_sink){r, to_stream ? block_to_stream : block_to_file};
    enum pps_status status =
        to_stream ? open_stream(r->job->rows, header, err) : open_file(r, header, err);
    free(header);
    return status;
}

static enum pps_status finish_file(struct pps_job_result *r, struct pps_error *err)
{
    struct pps_output *output = r->work->output;
    char *text;
    enum pps_status status = print_manifest(r, &r->totals, &text, err);
    if (status != PPS_OK)
        return status;
    r->work->output = NULL;
    status = pps_output_finish(output, text, err);
    free(text);
    if (status == PPS_OK && r->sweep.only_best)
        status = pps_record_log_remove(&r->work->snapshots, err);
    return status;
}

void pps_job_hint(const struct pps_job_result *r, struct pps_error *err)
{
    const size_t n = strlen(err->text);
    if (r->job->resume_command != NULL && pps_existing_file(r->path.path, ".part"))
        snprintf(err->text + n, sizeof err->text - n, "; to continue: %s",
                 r->job->resume_command);
}

// Writes a snapshot of a stopped --only-top run: its position and its totals.
static enum pps_status keep_snapshot(struct pps_job_result *r, struct pps_error *err)
{
    struct pps_totals none = {.points = 0};
    const struct pps_snapshot snapshot = {.sweep = &r->sweep,
                                          .log = &r->work->snapshots,
                                          .earlier = &none,
                                          .totals = &r->totals};
    if (r->work->output == NULL || !r->sweep.only_best)
        return PPS_OK;
    return pps_snapshot_write(&snapshot, err);
}

static enum pps_status stopped_early(struct pps_job_result *r, struct pps_error *err)
{
    struct pps_output *output = r->work->output;
    enum pps_status status = keep_snapshot(r, err);
    r->work->output = NULL;
    if (output != NULL && status != PPS_OK)
        pps_output_abandon(output);
    else if (output != NULL)
        status = pps_output_stop(output, err);
    if (status != PPS_OK)
        return status;
    if (r->sweep.only_best && output == NULL)
        return pps_fail(err, PPS_E_STOPPED,
                        "stopped after %s of %s points; --only-top prints rows only at the "
                        "end",
                        pps_count_text((double)r->totals.points).text,
                        pps_count_text((double)r->experiment->n_points).text);
    pps_fail(err, PPS_E_STOPPED, "stopped after %s of %s points; the partial result is %s%s%s",
             pps_count_text((double)r->totals.points).text,
             pps_count_text((double)(pps_sweep_points(&r->sweep) + r->totals.earlier)).text,
             output != NULL ? "in " : "on stdout", output != NULL ? r->path.path : "",
             output != NULL ? ".part" : "");
    if (output != NULL)
        pps_job_hint(r, err);
    return PPS_E_STOPPED;
}

enum pps_status pps_job_finish(struct pps_job_result *r, struct pps_error *err)
{
    if (!r->totals.complete)
        return stopped_early(r, err);
    enum pps_status status =
        r->sweep.only_best ? pps_best_write(&r->sweep, &r->totals, err) : PPS_OK;
    if (status != PPS_OK || r->work->output == NULL)
        return status;
    r->data_bytes = pps_output_bytes(r->work->output);
    return finish_file(r, err);
}
