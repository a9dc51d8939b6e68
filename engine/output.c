// SPDX-License-Identifier: Apache-2.0
// The result file while it is written: what is refused, the gzip frame around the blocks, the
// order in which data, records and names reach the disk.
#include "output.h"

#include "diskfile.h"
#include "journal.h"
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#define SYNC_INTERVAL_NS INT64_C(1000000000) // work at stake when the machine fails

// Constant: no time, no name, no extra flags, system "unknown". An empty final block (fixed
// codes) ends the member.
static const unsigned char GZIP_HEAD[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
static const unsigned char FINAL_BLOCK[2] = {0x03, 0x00};

struct pps_output {
    struct pps_target target;
    struct pps_journal journal;
    int fd; // of the data; -1: not open
    bool compressed, locked;
    bool broken;           // a write or sync failed: nothing can follow
    bool is_sync_lost;     // data may be missing on the disk: no record may speak of it
    bool is_folder_synced; // the names of the .part files last
    uint64_t bytes;        // of data, whole blocks only
    uint64_t text_bytes;
    uint32_t crc;         // of all text
    uint64_t least_index; // that the next block may have
    int64_t synced_ns;
};

static const char *data_path(const struct pps_output *output)
{
    return output->target.part[PPS_TARGET_DATA];
}

static const char *index_path(const struct pps_output *output)
{
    return output->target.part[PPS_TARGET_INDEX];
}

static void output_free(struct pps_output *output)
{
    pps_journal_free(&output->journal);
    if (output->fd >= 0)
        close(output->fd);
    pps_target_free(&output->target);
    free(output);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void pps_block_set_text(struct pps_block *block, const char *text, size_t n)
{
    block->text_bytes = n;
    block->text_crc = (uint32_t)crc32_z(0, (const unsigned char *)text, n);
}

uint64_t pps_output_bytes(const struct pps_output *output)
{
    return output->bytes;
}

bool pps_output_is_locked(const struct pps_output *output)
{
    return output->locked;
}

// ---- opening --------------------------------------------------------------------------------

static enum pps_status create_journal(struct pps_output *output,
                                      const struct pps_output_plan *plan,
                                      struct pps_error *err)
{
    struct pps_index_head head = {.codec_kind = (uint32_t)plan->codec.kind,
                                  .codec_level = (uint32_t)plan->codec.level,
                                  .n_reasons = (uint32_t)plan->n_reasons,
                                  .shard = plan->shard,
                                  .n_shards = plan->n_shards == 0 ? 1 : plan->n_shards,
                                  .digest = plan->digest,
                                  .n_points = plan->n_points,
                                  .block_points = plan->block_points};
    const char *path = index_path(output);
    if (unlink(path) != 0 && errno != ENOENT) // without its data a journal tells nothing
        return pps_fail_errno(err, "cannot remove", path);
    return pps_journal_create(&output->journal, path, &head, err);
}

// Appends bytes to the data; after a failure the file ends where it did before.
static enum pps_status write_data(struct pps_output *output,
                                  const void *data,
                                  uint64_t n,
                                  struct pps_error *err)
{
    enum pps_status status =
        pps_disk_write(output->fd, data_path(output), data, (size_t)n, err);
    if (status == PPS_OK) {
        output->bytes += n;
        return PPS_OK;
    }
    output->broken = true;
    if (ftruncate(output->fd, (off_t)output->bytes) == 0)
        (void)lseek(output->fd, (off_t)output->bytes, SEEK_SET);
    return status;
}

// Writes a block's data and keeps its record.
static enum pps_status put_block(struct pps_output *output,
                                 const struct pps_block *block,
                                 struct pps_error *err)
{
    const void *data = block->data_bytes == 0 ? "" : block->data;
    struct pps_index_record record = {.index = block->index,
                                      .offset = output->bytes,
                                      .data_bytes = block->data_bytes,
                                      .text_bytes = block->text_bytes,
                                      .rows = block->rows,
                                      .failed = block->failed,
                                      .data_xxh64 = XXH64(data, (size_t)block->data_bytes, 0),
                                      .text_crc = block->text_crc};
    enum pps_status status = write_data(output, data, block->data_bytes, err);
    if (status != PPS_OK)
        return status;
    output->crc =
        (uint32_t)crc32_combine(output->crc, block->text_crc, (z_off_t)block->text_bytes);
    output->text_bytes += block->text_bytes;
    pps_journal_add(&output->journal, &record, block->left_out);
    return PPS_OK;
}

static enum pps_status put_header(struct pps_output *output,
                                  const struct pps_output_plan *plan,
                                  struct pps_error *err)
{
    size_t n = strlen(plan->header);
    struct pps_block block = {.index = UINT64_MAX};
    struct pps_codec *codec = NULL;
    unsigned char *data = NULL;
    enum pps_status status = pps_codec_open(&codec, plan->codec, err);
    if (status != PPS_OK)
        return status;
    size_t cap = pps_codec_bound(codec, n);
    data = malloc(cap);
    if (data == NULL) {
        status = pps_fail(err, PPS_E_MACHINE, "out of memory for the header line");
        goto done;
    }
    pps_block_set_text(&block, plan->header, n);
    block.data = data;
    block.data_bytes = pps_codec_block(codec, plan->header, n, data, cap);
    if (output->compressed)
        status = write_data(output, GZIP_HEAD, sizeof GZIP_HEAD, err);
    if (status == PPS_OK)
        status = put_block(output, &block, err);
done:
    free(data);
    pps_codec_close(codec);
    return status;
}

static enum pps_status open_files(struct pps_output *output,
                                  const struct pps_output_plan *plan,
                                  struct pps_error *err)
{
    struct pps_target *target = &output->target;
    enum pps_status status = pps_target_init(target, plan->path, plan->force, err);
    if (status == PPS_OK)
        status = pps_target_check(target, err);
    if (status == PPS_OK)
        status = pps_target_open(target, &output->fd, &output->locked, err);
    if (status == PPS_OK)
        status = create_journal(output, plan, err);
    if (status == PPS_OK)
        status = put_header(output, plan, err);
    return status;
}

enum pps_status pps_output_open(struct pps_output **output,
                                const struct pps_output_plan *plan,
                                struct pps_error *err)
{
    *output = NULL;
    struct pps_output *o = calloc(1, sizeof *o);
    if (o == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory for the output");
    o->fd = o->journal.fd = -1;
    o->compressed = plan->codec.kind != PPS_CODEC_NONE;
    o->synced_ns = now_ns();
    enum pps_status status = open_files(o, plan, err);
    if (status != PPS_OK) {
        if (o->journal.fd >= 0)
            unlink(index_path(o));
        if (o->fd >= 0)
            unlink(data_path(o));
        output_free(o);
        return status;
    }
    *output = o;
    return PPS_OK;
}

// ---- writing --------------------------------------------------------------------------------

// Data first, then the records that speak of it.
static enum pps_status sync_all(struct pps_output *output, struct pps_error *err)
{
    enum pps_status status = pps_disk_sync(output->fd, data_path(output), err);
    output->is_sync_lost = status != PPS_OK;
    if (status == PPS_OK)
        status = pps_journal_flush(&output->journal, err);
    if (status == PPS_OK && !output->is_folder_synced)
        status = pps_disk_sync_folder(data_path(output), err);
    output->is_folder_synced = status == PPS_OK;
    output->broken = output->broken || status != PPS_OK;
    output->synced_ns = now_ns();
    return status;
}

enum pps_status pps_output_append(struct pps_output *output,
                                  const struct pps_block *block,
                                  struct pps_error *err)
{
    if (output->broken)
        return pps_fail(err, PPS_E_MACHINE, "%s cannot be continued after a failure",
                        data_path(output));
    if (block->index < output->least_index || block->index == UINT64_MAX)
        return pps_fail(err, PPS_E_MACHINE, "block %llu is out of order",
                        (unsigned long long)block->index);
    enum pps_status status = put_block(output, block, err);
    if (status != PPS_OK)
        return status;
    output->least_index = block->index + 1;
    if (pps_journal_is_full(&output->journal) ||
        now_ns() - output->synced_ns >= SYNC_INTERVAL_NS)
        return sync_all(output, err);
    return PPS_OK;
}

// ---- the end --------------------------------------------------------------------------------

static void put_u32(unsigned char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

static enum pps_status write_trailer(struct pps_output *output, struct pps_error *err)
{
    unsigned char trailer[sizeof FINAL_BLOCK + 8];
    if (!output->compressed)
        return PPS_OK;
    memcpy(trailer, FINAL_BLOCK, sizeof FINAL_BLOCK);
    put_u32(trailer + sizeof FINAL_BLOCK, output->crc);
    put_u32(trailer + sizeof FINAL_BLOCK + 4, (uint32_t)output->text_bytes);
    return write_data(output, trailer, sizeof trailer, err);
}

static enum pps_status write_manifest(const struct pps_output *output,
                                      const char *text,
                                      struct pps_error *err)
{
    const char *path = output->target.part[PPS_TARGET_MANIFEST];
    int fd = -1;
    if (unlink(path) != 0 && errno != ENOENT)
        return pps_fail_errno(err, "cannot remove", path);
    enum pps_status status = pps_disk_create(path, &fd, err);
    if (status != PPS_OK)
        return status;
    status = pps_disk_write(fd, path, text, strlen(text), err);
    if (status == PPS_OK)
        status = pps_disk_sync(fd, path, err);
    if (status == PPS_OK)
        return pps_disk_close(&fd, path, err);
    close(fd);
    unlink(path);
    return status;
}

// Everything up to the renames.
static enum pps_status complete(struct pps_output *output,
                                const char *manifest_text,
                                struct pps_error *err)
{
    if (output->broken)
        return pps_fail(err, PPS_E_MACHINE, "%s cannot be finished after a failure",
                        data_path(output));
    enum pps_status status = write_trailer(output, err);
    if (status == PPS_OK)
        status = sync_all(output, err);
    if (status == PPS_OK)
        status = write_manifest(output, manifest_text, err);
    return status;
}

enum pps_status pps_output_finish(struct pps_output *output,
                                  const char *manifest_text,
                                  struct pps_error *err)
{
    enum pps_status status = complete(output, manifest_text, err);
    if (status != PPS_OK) {
        pps_output_abandon(output);
        return status;
    }
    status = pps_disk_close(&output->journal.fd, index_path(output), err);
    if (status == PPS_OK)
        status = pps_target_publish(&output->target, err);
    if (status == PPS_OK) // only now: the lock goes with it
        status = pps_disk_close(&output->fd, output->target.final[PPS_TARGET_DATA], err);
    output_free(output);
    return status;
}

enum pps_status pps_output_stop(struct pps_output *output, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (output->is_sync_lost) // asking again would succeed and prove nothing
        status = pps_fail(err, PPS_E_MACHINE, "%s was not synced", data_path(output));
    else
        status = sync_all(output, err);
    if (status == PPS_OK)
        status = pps_disk_close(&output->journal.fd, index_path(output), err);
    if (status == PPS_OK)
        status = pps_disk_close(&output->fd, data_path(output), err);
    output_free(output);
    return status;
}

void pps_output_abandon(struct pps_output *output)
{
    struct pps_error unused;
    if (output != NULL)
        (void)!pps_output_stop(output, &unused);
}
