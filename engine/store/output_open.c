// SPDX-License-Identifier: Apache-2.0
// Opens a result for writing: a new result, or an interrupted one, of which all whole and valid
// blocks are kept.
#include "base/system/machine.h"
#include "engine/store/file_end.h"
#include "engine/store/output_private.h"

#include "base/system/disk.h"
#include "base/system/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- new result -----------------------------------------------------------------------------

static struct pps_index_head head_of(const struct pps_output_plan *plan)
{
    return (struct pps_index_head){.codec_kind = (uint32_t)plan->codec.kind,
                                   .codec_level = (uint32_t)plan->codec.level,
                                   .n_reasons = (uint32_t)plan->n_reasons,
                                   .shard = plan->shard,
                                   .n_shards = plan->n_shards == 0 ? 1 : plan->n_shards,
                                   .digest = plan->digest,
                                   .n_points = plan->n_points,
                                   .block_points = plan->block_points};
}

static enum pps_status create_journal(struct pps_output *output,
                                      const struct pps_output_plan *plan, struct pps_error *err)
{
    const struct pps_index_head head = head_of(plan);
    const char *path = pps_output_index_path(output);
    if (unlink(path) != 0 && errno != ENOENT) // a journal without its data is useless
        return pps_fail_errno(err, "cannot remove", path);
    return pps_index_writer_create(&output->journal, path, &head, err);
}

// Writes the header line as a block, compressed here.
static enum pps_status put_line(struct pps_output *output, const struct pps_output_plan *plan,
                                struct pps_error *err)
{
    size_t n = strlen(plan->header);
    struct pps_block block = {.index = UINT64_MAX};
    struct pps_codec *codec = NULL;
    enum pps_status status = pps_codec_open(&codec, plan->codec, err);
    if (status != PPS_OK)
        return status;
    size_t cap = pps_codec_bound(codec, n);
    unsigned char *data = malloc(cap);
    if (data == NULL) {
        status = pps_fail_memory(err, "the header line");
        goto done;
    }
    pps_block_set_text(&block, plan->header, n);
    block.data = data;
    block.data_bytes = pps_codec_block(codec, plan->header, n, data, cap);
    status = pps_output_put(output, &block, err);
done:
    free(data);
    pps_codec_close(codec);
    return status;
}

static enum pps_status begin(struct pps_output *output, const struct pps_output_plan *plan,
                             struct pps_error *err)
{
    enum pps_status status = create_journal(output, plan, err);
    // The manifest only helps to describe differences: losing it does no harm.
    if (status == PPS_OK && plan->manifest != NULL)
        status = pps_output_manifest(output, plan->manifest, false, err);
    if (status == PPS_OK && pps_file_start_bytes(output->kind) > 0)
        status = pps_output_write(output, PPS_GZIP_HEAD, PPS_GZIP_HEAD_BYTES, err);
    if (status == PPS_OK)
        status = plan->header_block != NULL ? pps_output_put(output, plan->header_block, err)
                                            : put_line(output, plan, err);
    return status;
}

// ---- interrupted result ---------------------------------------------------------------------

static enum pps_status differs(const struct pps_output *output, struct pps_error *err,
                               const char *what, const char *was, const char *is)
{
    return pps_fail(err, PPS_E_INPUT,
                    "%s cannot be continued: %s was %s, is %s; choose another name, or --force "
                    "starts afresh",
                    pps_output_data_path(output), what, was, is);
}

static enum pps_status differs_count(const struct pps_output *output, struct pps_error *err,
                                     const char *what, uint64_t was, uint64_t is)
{
    char before[24], now[24];
    snprintf(before, sizeof before, "%llu", (unsigned long long)was);
    snprintf(now, sizeof now, "%llu", (unsigned long long)is);
    return differs(output, err, what, before, now);
}

static void shard_name(const struct pps_index_head *head, char out[32])
{
    snprintf(out, 32, "%u/%u", (unsigned)head->shard, (unsigned)head->n_shards);
}

// Checks that the journal belongs to the planned run.
static enum pps_status check_head(const struct pps_output *output,
                                  const struct pps_index_head *was,
                                  const struct pps_output_plan *plan, struct pps_error *err)
{
    const struct pps_index_head is = head_of(plan);
    char before[32], now[32];
    if (was->codec_kind != is.codec_kind || was->codec_level != is.codec_level) {
        pps_codec_name((struct pps_codec_choice){(enum pps_codec_kind)was->codec_kind,
                                                 (int)was->codec_level},
                       before, sizeof before);
        pps_codec_name(plan->codec, now, sizeof now);
        return differs(output, err, "--compress", before, now);
    }
    if (was->shard != is.shard || was->n_shards != is.n_shards) {
        shard_name(was, before);
        shard_name(&is, now);
        return differs(output, err, "--shard", before, now);
    }
    if (was->n_points != is.n_points)
        return differs_count(output, err, "the number of points (--limit)", was->n_points,
                             is.n_points);
    if (was->digest != is.digest)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s belongs to another experiment: choose another name, or --force starts afresh",
            pps_output_data_path(output));
    if (was->n_reasons != is.n_reasons)
        return differs_count(output, err,
                             "the number of reasons to skip points (another version)",
                             was->n_reasons, is.n_reasons);
    if (was->block_points != is.block_points)
        return differs_count(output, err, "the points of a block (another version)",
                             was->block_points, is.block_points);
    return PPS_OK;
}

static enum pps_status fail_no_journal(const struct pps_output *output, const char *what,
                                       struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "%s cannot be continued: its journal %s %s; move it away to keep it, or "
                    "--force starts afresh",
                    pps_output_data_path(output), pps_output_index_path(output), what);
}

// Continues behind the prefix: truncates both files to its end.
static enum pps_status go_on(struct pps_output *output, const struct pps_index_head *head,
                             struct pps_error *err)
{
    const struct pps_whole_prefix *prefix = &output->prefix;
    enum pps_status status = pps_index_writer_continue(
        &output->journal, pps_output_index_path(output), head, prefix->n_records, err);
    if (status == PPS_OK)
        status = pps_disk_truncate(output->fd, pps_output_data_path(output), prefix->data_bytes,
                                   err);
    if (status != PPS_OK)
        return status;
    output->bytes = prefix->data_bytes;
    output->text_bytes = prefix->text_bytes;
    output->crc = prefix->text_crc;
    if (prefix->n_records > 1)
        output->least_index = pps_whole_prefix_block(head, prefix->n_records - 1) + 1;
    return PPS_OK;
}

static enum pps_status start_afresh(struct pps_output *output,
                                    const struct pps_output_plan *plan, struct pps_error *err)
{
    enum pps_status status =
        pps_disk_truncate(output->fd, pps_output_data_path(output), 0, err);
    return status == PPS_OK ? begin(output, plan, err) : status;
}

static enum pps_status keep_prefix(struct pps_output *output,
                                   const struct pps_output_plan *plan,
                                   const struct pps_index_reader *index, bool published,
                                   struct pps_error *err)
{
    const struct pps_whole_prefix_ask ask = {index, output->fd, pps_output_data_path(output),
                                             plan->stop};
    enum pps_status status = check_head(output, &index->head, plan, err);
    if (status == PPS_OK)
        status = pps_whole_prefix_find(&ask, &output->prefix, err);
    if (status == PPS_OK && output->prefix.n_records == 0 && published)
        return fail_no_journal(output, "is missing", err);
    if (status == PPS_OK && published)
        status = pps_result_names_withdraw(&output->target, err);
    if (status != PPS_OK)
        return status;
    return output->prefix.n_records == 0 ? start_afresh(output, plan, err)
                                         : go_on(output, &index->head, err);
}

// Finds the journal. It already has its final name if a run ended between the last renames.
static enum pps_status find_journal(const struct pps_output *output,
                                    struct pps_index_reader *index,
                                    enum pps_index_reader_state *state, bool *published,
                                    struct pps_error *err)
{
    enum pps_status status =
        pps_index_reader_open(index, pps_output_index_path(output), state, err);
    *published = false;
    if (status != PPS_OK || *state != PPS_INDEX_READER_MISSING)
        return status;
    *published = true;
    return pps_index_reader_open(index, output->target.final[PPS_RESULT_NAMES_INDEX], state,
                                 err);
}

static enum pps_status resume(struct pps_output *output, const struct pps_output_plan *plan,
                              struct pps_error *err)
{
    struct pps_index_reader index = {.fd = -1};
    enum pps_index_reader_state state = PPS_INDEX_READER_MISSING;
    bool published = false;
    uint64_t bytes = 0;
    enum pps_status status =
        pps_disk_size(output->fd, pps_output_data_path(output), &bytes, err);
    if (status == PPS_OK && bytes > 0) // data is written only after the journal
        status = find_journal(output, &index, &state, &published, err);
    if (status != PPS_OK)
        return status;
    if (plan->drop_blocks && index.n_records > 1)
        index.n_records = 1;
    if (bytes == 0 || (state == PPS_INDEX_READER_TORN && !published))
        return start_afresh(output, plan, err);
    if (state == PPS_INDEX_READER_WHOLE)
        status = keep_prefix(output, plan, &index, published, err);
    else
        status = fail_no_journal(output, published ? "is missing" : "is damaged", err);
    pps_index_reader_close(&index);
    return status;
}

// ---- everything -----------------------------------------------------------------------------

static enum pps_status open_new(struct pps_output *output, const struct pps_output_plan *plan,
                                struct pps_error *err)
{
    struct pps_result_names *target = &output->target;
    enum pps_status status = pps_result_names_check(target, err);
    if (status == PPS_OK)
        status = pps_result_names_open(target, &output->fd, &output->locked, err);
    output->is_new = status == PPS_OK;
    return status == PPS_OK ? begin(output, plan, err) : status;
}

static enum pps_status open_files(struct pps_output *output, const struct pps_output_plan *plan,
                                  struct pps_error *err)
{
    struct pps_result_names *target = &output->target;
    enum pps_status status = pps_result_names_init(target, plan->path, plan->force, err);
    target->hint = plan->resume_hint;
    if (status == PPS_OK && plan->resume)
        status = pps_result_names_reopen(target, &output->fd, &output->locked, err);
    if (status != PPS_OK)
        return status;
    status = output->fd >= 0 ? resume(output, plan, err) : open_new(output, plan, err);
    target->hint = NULL; // may be freed after opening
    if (status == PPS_OK && output->fd >= 0 && plan->resume && !output->is_new)
        status = pps_result_names_check_final(target, err);
    return status;
}

enum pps_status pps_output_open(struct pps_output **output, const struct pps_output_plan *plan,
                                struct pps_error *err)
{
    *output = NULL;
    struct pps_output *o = calloc(1, sizeof *o);
    if (o == NULL)
        return pps_fail_memory(err, "the output");
    o->fd = o->journal.fd = -1;
    o->kind = plan->codec.kind;
    o->synced_s = pps_wall_seconds();
    pps_whole_prefix_begin(&o->prefix);
    enum pps_status status = open_files(o, plan, err);
    if (status != PPS_OK) {
        if (o->is_new)
            pps_output_remove(o);
        pps_output_free(o);
        return status;
    }
    *output = o;
    return PPS_OK;
}

const struct pps_whole_prefix *pps_output_prefix(const struct pps_output *output)
{
    return &output->prefix;
}
