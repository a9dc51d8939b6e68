// SPDX-License-Identifier: Apache-2.0
// Appends blocks and finishes a result: the order in which data, records and names reach the
// disk.
#include "engine/store/output.h"

#include "base/system/disk.h"
#include "base/system/machine.h"
#include "engine/store/file_end.h"
#include "engine/store/output_private.h"

#define SYNC_INTERVAL_S 1.0 // work lost when the machine fails

uint64_t pps_output_bytes(const struct pps_output *output)
{
    return output->bytes;
}

bool pps_output_is_locked(const struct pps_output *output)
{
    return output->locked;
}

// Syncs the data first, then the records that describe it.
static enum pps_status sync_all(struct pps_output *output, struct pps_error *err)
{
    enum pps_status status = pps_disk_sync(output->fd, pps_output_data_path(output), err);
    output->is_sync_lost = status != PPS_OK;
    if (status == PPS_OK)
        status = pps_index_writer_flush(&output->journal, err);
    if (status == PPS_OK && !output->is_folder_synced)
        status = pps_disk_sync_folder(pps_output_data_path(output), err);
    output->is_folder_synced = status == PPS_OK;
    output->broken = output->broken || status != PPS_OK;
    output->synced_s = pps_wall_seconds();
    return status;
}

enum pps_status pps_output_append(struct pps_output *output, const struct pps_block *block,
                                  struct pps_error *err)
{
    if (output->broken)
        return pps_fail(err, PPS_E_MACHINE, "%s cannot be continued after a failure",
                        pps_output_data_path(output));
    if (block->index < output->least_index || block->index == UINT64_MAX)
        return pps_fail(err, PPS_E_MACHINE, "block %llu is out of order",
                        (unsigned long long)block->index);
    enum pps_status status = pps_output_put(output, block, err);
    if (status != PPS_OK)
        return status;
    output->least_index = block->index + 1;
    if (pps_index_writer_is_full(&output->journal) ||
        pps_wall_seconds() - output->synced_s >= SYNC_INTERVAL_S)
        return sync_all(output, err);
    return PPS_OK;
}

// ---- the end --------------------------------------------------------------------------------

static enum pps_status append_end(void *self, const void *data, size_t n, struct pps_error *err)
{
    return pps_output_write(self, data, n, err);
}

static enum pps_status write_trailer(struct pps_output *output, struct pps_error *err)
{
    const struct pps_file_end end = {.kind = output->kind,
                                     .fd = output->fd,
                                     .path = pps_output_data_path(output),
                                     .data_bytes = output->bytes,
                                     .text_bytes = output->text_bytes,
                                     .text_crc = output->crc};
    return pps_file_end_write(&end, output, append_end, err);
}

// Fails if the .part files belong to another run now, after copying the finished blocks.
static enum pps_status check_ours(const struct pps_output *output, struct pps_error *err)
{
    const struct pps_result_names *target = &output->target;
    enum pps_status status =
        pps_result_names_check_ours(target, output->fd, output->journal.fd, err);
    return status == PPS_OK
               ? status
               : pps_result_names_rescue(target, output->fd, output->journal.fd, err);
}

// Does everything before the renames.
static enum pps_status complete(struct pps_output *output, const char *manifest_text,
                                struct pps_error *err)
{
    if (output->broken)
        return pps_fail(err, PPS_E_MACHINE, "%s cannot be finished after a failure",
                        pps_output_data_path(output));
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

enum pps_status pps_output_finish(struct pps_output *output, const char *manifest_text,
                                  struct pps_error *err)
{
    enum pps_status status = complete(output, manifest_text, err);
    if (status != PPS_OK) {
        pps_output_abandon(output);
        return status;
    }
    status = pps_result_names_publish(&output->target, output->fd, output->journal.fd, err);
    if (status == PPS_OK)
        status = pps_disk_close(&output->journal.fd, pps_output_index_path(output), err);
    if (status == PPS_OK) // not earlier: closing releases the lock
        status = pps_disk_close(&output->fd, output->target.final[PPS_RESULT_NAMES_DATA], err);
    pps_output_free(output);
    return status;
}

enum pps_status pps_output_stop(struct pps_output *output, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    if (output->is_sync_lost) // a second sync would succeed and prove nothing
        status =
            pps_fail(err, PPS_E_MACHINE, "%s was not synced", pps_output_data_path(output));
    else
        status = sync_all(output, err);
    if (status == PPS_OK && !output->is_lost)
        status = check_ours(output, err);
    if (status == PPS_OK)
        status = pps_disk_close(&output->journal.fd, pps_output_index_path(output), err);
    if (status == PPS_OK)
        status = pps_disk_close(&output->fd, pps_output_data_path(output), err);
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
