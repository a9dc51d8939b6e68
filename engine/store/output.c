// SPDX-License-Identifier: Apache-2.0
// Writes a result file: the gzip frame around the blocks, and the order in which data, records
// and names reach the disk.
#include "engine/store/output.h"

#include "base/system/codec.h"
#include "base/system/disk.h"
#include "base/system/machine.h"
#include "engine/store/output_private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#define SYNC_INTERVAL_S 1.0 // work lost when the machine fails

const unsigned char PPS_GZIP_HEAD[PPS_GZIP_HEAD_BYTES] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};

static const char *data_path(const struct pps_output *output)
{
    return output->target.part[PPS_TARGET_DATA];
}

static const char *index_path(const struct pps_output *output)
{
    return output->target.part[PPS_TARGET_INDEX];
}

void pps_block_set_text(struct pps_block *block, const char *text, size_t n)
{
    block->text_bytes = n;
    block->text_crc = pps_crc32(text, n);
}

void pps_block_set_data(struct pps_block *block, const void *data, size_t n)
{
    block->data = data;
    block->data_bytes = n;
    block->data_xxh64 = XXH64(data, n, 0);
    block->is_hashed = true;
}

uint64_t pps_output_bytes(const struct pps_output *output)
{
    return output->bytes;
}

bool pps_output_is_locked(const struct pps_output *output)
{
    return output->locked;
}

// ---- writing --------------------------------------------------------------------------------

enum pps_status pps_output_write(struct pps_output *output,
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

enum pps_status pps_output_put(struct pps_output *output,
                               const struct pps_block *block,
                               struct pps_error *err)
{
    const void *data = block->data_bytes == 0 ? "" : block->data;
    struct pps_index_record record = {
        .index = block->index,
        .offset = output->bytes,
        .data_bytes = block->data_bytes,
        .text_bytes = block->text_bytes,
        .rows = block->rows,
        .failed = block->failed,
        .infeasible = block->infeasible,
        .data_xxh64 =
            block->is_hashed ? block->data_xxh64 : XXH64(data, (size_t)block->data_bytes, 0),
        .text_crc = block->text_crc};
    enum pps_status status = pps_output_write(output, data, block->data_bytes, err);
    if (status != PPS_OK)
        return status;
    output->crc =
        (uint32_t)crc32_combine(output->crc, block->text_crc, (z_off_t)block->text_bytes);
    output->text_bytes += block->text_bytes;
    pps_journal_add(&output->journal, &record, block->left_out);
    return PPS_OK;
}

// Syncs the data first, then the records that describe it.
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
    output->synced_s = pps_wall_seconds();
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
    enum pps_status status = pps_output_put(output, block, err);
    if (status != PPS_OK)
        return status;
    output->least_index = block->index + 1;
    if (pps_journal_is_full(&output->journal) ||
        pps_wall_seconds() - output->synced_s >= SYNC_INTERVAL_S)
        return sync_all(output, err);
    return PPS_OK;
}

// ---- the end --------------------------------------------------------------------------------

static void put_u32(unsigned char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

// Ends the member with an empty final block (fixed codes).
void pps_gzip_end(unsigned char out[PPS_GZIP_END_BYTES], uint32_t crc, uint64_t text_bytes)
{
    out[0] = 0x03;
    out[1] = 0x00;
    put_u32(out + 2, crc);
    put_u32(out + 6, (uint32_t)text_bytes);
}

static enum pps_status write_trailer(struct pps_output *output, struct pps_error *err)
{
    unsigned char end[PPS_GZIP_END_BYTES];
    if (!output->compressed)
        return PPS_OK;
    pps_gzip_end(end, output->crc, output->text_bytes);
    return pps_output_write(output, end, sizeof end, err);
}

enum pps_status pps_output_manifest(const struct pps_output *output,
                                    const char *text,
                                    bool lasting,
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
    if (status == PPS_OK && lasting)
        status = pps_disk_sync(fd, path, err);
    if (status == PPS_OK)
        return pps_disk_close(&fd, path, err);
    close(fd);
    unlink(path);
    return status;
}

// Fails if the .part files belong to another run now, after copying the finished blocks.
static enum pps_status check_ours(const struct pps_output *output, struct pps_error *err)
{
    const struct pps_target *target = &output->target;
    enum pps_status status = pps_target_check_ours(target, output->fd, output->journal.fd, err);
    return status == PPS_OK ? status
                            : pps_target_rescue(target, output->fd, output->journal.fd, err);
}

// Does everything before the renames.
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
        status = check_ours(output, err);
    output->is_lost = status != PPS_OK && !output->broken;
    if (status == PPS_OK)
        status = pps_output_manifest(output, manifest_text, true, err);
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
    status = pps_target_publish(&output->target, output->fd, output->journal.fd, err);
    if (status == PPS_OK)
        status = pps_disk_close(&output->journal.fd, index_path(output), err);
    if (status == PPS_OK) // not earlier: closing releases the lock
        status = pps_disk_close(&output->fd, output->target.final[PPS_TARGET_DATA], err);
    pps_output_free(output);
    return status;
}

enum pps_status pps_output_stop(struct pps_output *output, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (output->is_sync_lost) // a second sync would succeed and prove nothing
        status = pps_fail(err, PPS_E_MACHINE, "%s was not synced", data_path(output));
    else
        status = sync_all(output, err);
    if (status == PPS_OK && !output->is_lost)
        status = check_ours(output, err);
    if (status == PPS_OK)
        status = pps_disk_close(&output->journal.fd, index_path(output), err);
    if (status == PPS_OK)
        status = pps_disk_close(&output->fd, data_path(output), err);
    pps_output_free(output);
    return status;
}

void pps_output_discard(struct pps_output *output)
{
    if (output == NULL)
        return;
    pps_output_remove(output);
    pps_output_free(output);
}

void pps_output_abandon(struct pps_output *output)
{
    struct pps_error unused;
    if (output != NULL)
        (void)!pps_output_stop(output, &unused);
}
