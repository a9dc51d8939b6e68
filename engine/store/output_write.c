// SPDX-License-Identifier: Apache-2.0
// Writes the files of an output: data, records and the manifest.
#include "engine/store/output_private.h"

#include "base/system/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

void pps_output_free(struct pps_output *output)
{
    pps_index_writer_free(&output->journal);
    if (output->fd >= 0)
        close(output->fd);
    pps_result_names_free(&output->target);
    free(output);
}

void pps_output_remove(struct pps_output *output)
{
    unlink(output->target.part[PPS_RESULT_NAMES_MANIFEST]);
    unlink(pps_output_index_path(output));
    unlink(pps_output_data_path(output));
}

enum pps_status pps_output_write(struct pps_output *output, const void *data, uint64_t n,
                                 struct pps_error *err)
{
    enum pps_status status =
        pps_disk_write(output->fd, pps_output_data_path(output), data, (size_t)n, err);
    if (status == PPS_OK) {
        output->bytes += n;
        return PPS_OK;
    }
    output->broken = true;
    if (ftruncate(output->fd, (off_t)output->bytes) == 0)
        (void)lseek(output->fd, (off_t)output->bytes, SEEK_SET);
    return status;
}

enum pps_status pps_output_put(struct pps_output *output, const struct pps_block *block,
                               struct pps_error *err)
{
    const void *data = block->data_bytes == 0 ? "" : block->data;
    struct pps_index_record record = {
        .index = block->index,
        .offset = output->bytes,
        .data_bytes = block->data_bytes,
        .text_bytes = block->text_bytes,
        .rows = block->counts.rows,
        .failed = block->counts.failed,
        .infeasible = block->counts.infeasible,
        .data_xxh64 =
            block->is_hashed ? block->data_xxh64 : XXH64(data, (size_t)block->data_bytes, 0),
        .text_crc = block->text_crc};
    enum pps_status status = pps_output_write(output, data, block->data_bytes, err);
    if (status != PPS_OK)
        return status;
    output->crc =
        (uint32_t)crc32_combine(output->crc, block->text_crc, (z_off_t)block->text_bytes);
    output->text_bytes += block->text_bytes;
    uint64_t left_out[PPS_MAX_REASONS];
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        left_out[r] = block->counts.left_out[r].n;
    pps_index_writer_add(&output->journal, &record, left_out);
    return PPS_OK;
}

enum pps_status pps_output_manifest(const struct pps_output *output, const char *text,
                                    bool lasting, struct pps_error *err)
{
    const char *path = output->target.part[PPS_RESULT_NAMES_MANIFEST];
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
