// SPDX-License-Identifier: Apache-2.0
// Checks which shards belong together and copies their blocks.
#include "engine/check/merge.h"

#include "base/text/human.h"
#include "engine/manifest/difference.h"
#include "engine/store/block_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- matching shards --------------------------------------------------------------------------

static enum pps_status check_same(const struct pps_shardfile *first,
                                  const struct pps_shardfile *file, struct pps_error *err)
{
    const struct pps_index_head *a = &first->index.head, *b = &file->index.head;
    const cJSON *a_version = cJSON_GetObjectItemCaseSensitive(first->manifest, "ppsweep");
    const cJSON *b_version = cJSON_GetObjectItemCaseSensitive(file->manifest, "ppsweep");
    const bool same_run = a->digest == b->digest && a->n_points == b->n_points &&
                          a->codec_kind == b->codec_kind && a->codec_level == b->codec_level &&
                          cJSON_Compare(a_version, b_version, true);
    char what[600] = "their digests differ";
    if (!same_run) {
        (void)pps_manifest_difference(first->manifest, file->manifest, what, sizeof what);
        return pps_fail(err, PPS_E_INPUT, "%s and %s are not from the same sweep: %s",
                        first->path, file->path, what);
    }
    if (a->n_reasons != b->n_reasons)
        return pps_fail(err, PPS_E_INPUT,
                        "%s and %s are not from the same sweep: their indexes count %u and %u "
                        "reasons to skip points (another build)",
                        first->path, file->path, (unsigned)a->n_reasons,
                        (unsigned)b->n_reasons);
    if (a->block_points != b->block_points)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s and %s are not from the same sweep: their blocks have %s and %s points",
            first->path, file->path, pps_count_text((double)a->block_points).text,
            pps_count_text((double)b->block_points).text);
    if (a->n_shards != b->n_shards)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s is shard %u of %u, but %s is shard %u of %u: give shards of one sweep",
            first->path, (unsigned)a->shard, (unsigned)a->n_shards, file->path,
            (unsigned)b->shard, (unsigned)b->n_shards);
    return PPS_OK;
}

static int by_shard(const void *a, const void *b)
{
    const struct pps_shardfile *left = a, *right = b;
    const uint32_t l = left->index.head.shard, r = right->index.head.shard;
    return l < r ? -1 : l > r;
}

static enum pps_status check_twice(const struct pps_merge *merge, struct pps_error *err)
{
    for (size_t i = 1; i < merge->n; i++) {
        const struct pps_shardfile *a = &merge->files[i - 1], *b = &merge->files[i];
        if (a->index.head.shard == b->index.head.shard)
            return pps_fail(err, PPS_E_INPUT,
                            "%s and %s are both shard %u of %u: give only one of them", a->path,
                            b->path, (unsigned)a->index.head.shard,
                            (unsigned)a->index.head.n_shards);
    }
    return PPS_OK;
}

static bool has_part(const char *path)
{
    char *part = NULL;
    const bool there =
        path != NULL && asprintf(&part, "%s.part", path) >= 0 && access(part, F_OK) == 0;
    free(part);
    return there;
}

// Writes "shard 3 of 8 is missing" or "shards 1, 3 and 4 others of 8 are missing".
static void name_missing(const struct pps_merge *merge, uint32_t *first, char *out, size_t cap)
{
    const uint32_t n_shards = merge->files[0].index.head.n_shards;
    const uint64_t n = n_shards - merge->n;
    uint64_t named = 0;
    size_t at = 0, file = 0;
    at += (size_t)snprintf(out, cap, n == 1 ? "shard " : "shards ");
    for (uint32_t k = 0; k < n_shards && named < 5; k++) {
        if (file < merge->n && merge->files[file].index.head.shard == k) {
            file++;
            continue;
        }
        *first = named == 0 ? k : *first;
        at += (size_t)snprintf(out + at, cap - at, "%s%u", named > 0 ? ", " : "", (unsigned)k);
        named++;
    }
    if (n > named)
        at += (size_t)snprintf(out + at, cap - at, " and %s others",
                               pps_count_text((double)(n - named)).text);
    snprintf(out + at, cap - at, " of %u %s missing", (unsigned)n_shards,
             n == 1 ? "is" : "are");
}

static enum pps_status fail_missing(const struct pps_merge *merge, struct pps_error *err)
{
    const struct pps_shardfile *any = &merge->files[0];
    char what[160];
    uint32_t first = 0;
    name_missing(merge, &first, what, sizeof what);
    const struct pps_shard shard = {first, any->index.head.n_shards};
    char *command = pps_shardfile_command(any, shard);
    char *path = pps_shardfile_sibling(any, shard);
    const bool resume =
        has_part(path) && command != NULL && strstr(command, "--resume") == NULL;
    pps_fail(err, PPS_E_INPUT, "%s; to compute %s: %s%s", what,
             any->index.head.n_shards - merge->n == 1 ? "it" : "the first of them",
             command != NULL ? command : "the same command with its --shard",
             resume ? " --resume" : "");
    free(command);
    free(path);
    return PPS_E_INPUT;
}

static enum pps_status open_files(struct pps_merge *merge, const char *const *paths, size_t n,
                                  struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < n && status == PPS_OK; i++) {
        status = pps_shardfile_open(&merge->files[merge->n++], paths[i], err);
        if (status == PPS_OK && i > 0)
            status = check_same(&merge->files[0], &merge->files[i], err);
    }
    if (status != PPS_OK)
        return status;
    qsort(merge->files, n, sizeof *merge->files, by_shard);
    for (size_t i = 0; i < n; i++) // a file's index points into the file
        merge->files[i].index.path = merge->files[i].index_path;
    status = check_twice(merge, err);
    if (status == PPS_OK && n < merge->files[0].index.head.n_shards)
        return fail_missing(merge, err);
    return status;
}

enum pps_status pps_merge_open(struct pps_merge *merge, const char *const *paths, size_t n,
                               struct pps_error *err)
{
    merge->n = 0;
    merge->files = calloc(n, sizeof *merge->files);
    if (merge->files == NULL)
        return pps_fail_memory(err, "the shards");
    const enum pps_status status = open_files(merge, paths, n, err);
    if (status != PPS_OK)
        pps_merge_close(merge);
    return status;
}

void pps_merge_close(struct pps_merge *merge)
{
    for (size_t i = 0; i < merge->n; i++)
        pps_shardfile_close(&merge->files[i]);
    free(merge->files);
    merge->files = NULL;
    merge->n = 0;
}

// ---- copying ----------------------------------------------------------------------------------

// Appends the command that recomputes a damaged shard to the error.
static enum pps_status say_again(const struct pps_shardfile *file, enum pps_status status,
                                 struct pps_error *err)
{
    const struct pps_index_head *head = &file->index.head;
    const size_t n = strlen(err->text);
    if (status != PPS_E_INPUT)
        return status;
    char *command =
        pps_shardfile_command(file, (struct pps_shard){head->shard, head->n_shards});
    const char *more = command != NULL && strstr(command, "--force") != NULL ? "" : " --force";
    if (command != NULL)
        snprintf(err->text + n, sizeof err->text - n, "; to recompute it: %s%s", command, more);
    free(command);
    return status;
}

// Reads the next block of a file. Checks its bytes only if `wanted` is true.
static enum pps_status next_block(struct pps_shardfile *file, struct pps_blocktext *reader,
                                  bool wanted, struct pps_block *block, struct pps_error *err)
{
    struct pps_index_record record;
    const unsigned char *data = NULL;
    uint64_t left_out[PPS_MAX_REASONS];
    enum pps_status status = pps_shardfile_next(file, &record, left_out, err);
    pps_blocktext_turn(reader, file->fd, file->path);
    if (status == PPS_OK && wanted)
        status = pps_blocktext_data(reader, &record, &data, err);
    if (status != PPS_OK)
        return say_again(file, status, err);
    *block = (struct pps_block){.index = record.index,
                                .data = data,
                                .data_bytes = record.data_bytes,
                                .text_bytes = record.text_bytes,
                                .text_crc = (uint32_t)record.text_crc,
                                .counts = pps_index_record_counts(&record, left_out)};
    return PPS_OK;
}

// Checks that all files begin with the same header line; the first file's becomes *block.
static enum pps_status read_headers(struct pps_merge *merge, struct pps_blocktext *reader,
                                    struct pps_block *block, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (size_t i = merge->n; i-- > 0 && status == PPS_OK;) {
        const struct pps_block last = *block;
        status = next_block(&merge->files[i], reader, true, block, err);
        if (status == PPS_OK && i + 1 < merge->n &&
            (block->text_crc != last.text_crc || block->text_bytes != last.text_bytes))
            return pps_fail(err, PPS_E_INPUT, "%s and %s have different header lines",
                            merge->files[i].path, merge->files[i + 1].path);
    }
    return status;
}

static bool stopped(const struct pps_merge *merge)
{
    return atomic_load_explicit(merge->stop, memory_order_relaxed);
}

static enum pps_status copy(struct pps_merge *merge, struct pps_blocktext *reader,
                            struct pps_output *output, struct pps_error *err)
{
    const struct pps_index_head *head = &merge->files[0].index.head;
    const struct pps_blocks blocks = {head->n_points, head->block_points};
    const uint64_t n = pps_blocks_count(blocks), kept = pps_output_prefix(output)->n_records;
    uint64_t points = 0;
    enum pps_status status = PPS_OK;
    for (uint64_t k = 0; k < n && status == PPS_OK; k++) {
        const bool wanted = k + 1 >= kept;
        struct pps_block block;
        if (stopped(merge))
            return pps_fail(err, PPS_E_STOPPED, "stopped after %s of %s blocks",
                            pps_count_text((double)k).text, pps_count_text((double)n).text);
        status = next_block(&merge->files[k % merge->n], reader, wanted, &block, err);
        if (status == PPS_OK && wanted)
            status = pps_output_append(output, &block, err);
        points += pps_blocks_points(blocks, k);
        pps_counts_add(&merge->counts, &block.counts);
        const struct pps_passed passed = {points, merge->counts.rows, points, points};
        if (status == PPS_OK && merge->watch.passed != NULL)
            merge->watch.passed(merge->watch.self, &passed);
    }
    for (size_t i = 0; i < merge->n && status == PPS_OK; i++)
        status = say_again(&merge->files[i], pps_shardfile_end(&merge->files[i], err), err);
    return status;
}

static enum pps_status open_output(const struct pps_merge *merge, const char *path, bool force,
                                   const struct pps_block *header, struct pps_output **output,
                                   struct pps_error *err)
{
    const struct pps_index_head *head = &merge->files[0].index.head;
    const struct pps_output_plan plan = {
        .path = path,
        .codec = {(enum pps_codec_kind)head->codec_kind, (int)head->codec_level},
        .header_block = header,
        .digest = head->digest,
        .n_points = head->n_points,
        .block_points = head->block_points,
        .n_reasons = (int)head->n_reasons,
        .force = force,
        .resume = !force,
        .stop = merge->stop,
    };
    return pps_output_open(output, &plan, err);
}

static enum pps_status finish(struct pps_merge *merge, struct pps_output *output,
                              struct pps_error *err)
{
    merge->data_bytes = pps_output_bytes(output);
    char *manifest = pps_merge_manifest(merge, merge->data_bytes);
    if (manifest == NULL) {
        pps_output_abandon(output);
        return pps_fail_memory(err, "the manifest");
    }
    enum pps_status status = pps_output_finish(output, manifest, err);
    free(manifest);
    return status;
}

enum pps_status pps_merge_write(struct pps_merge *merge, const char *path, bool force,
                                struct pps_error *err)
{
    const struct pps_shardfile *first = &merge->files[0];
    struct pps_blocktext *reader = NULL;
    struct pps_output *output = NULL;
    struct pps_block header;
    enum pps_status status =
        pps_blocktext_open(&reader, first->fd, first->path,
                           (enum pps_codec_kind)first->index.head.codec_kind, err);
    memset(&header, 0, sizeof header);
    if (status == PPS_OK)
        status = read_headers(merge, reader, &header, err);
    if (status == PPS_OK)
        status = open_output(merge, path, force, &header, &output, err);
    if (status == PPS_OK)
        status = copy(merge, reader, output, err);
    if (status == PPS_OK)
        status = finish(merge, output, err);
    else if (status == PPS_E_INPUT && output != NULL &&
             pps_output_prefix(output)->n_records == 0)
        pps_output_discard(output); // refused: leave no file behind
    else
        pps_output_abandon(output);
    pps_blocktext_close(reader);
    return status;
}
