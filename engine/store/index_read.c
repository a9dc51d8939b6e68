// SPDX-License-Identifier: Apache-2.0
// Reads the header and the records of an index.
#include "engine/store/index_read.h"

#include "base/system/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_zero(const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++)
        if (at[i] != 0)
            return false;
    return true;
}

static enum pps_status read_head(struct pps_index_reader *index,
                                 enum pps_index_reader_state *state,
                                 struct pps_error *err)
{
    struct stat at;
    size_t n;
    if (fstat(index->fd, &at) != 0)
        return pps_fail_errno(err, "cannot read", index->path);
    if (!S_ISREG(at.st_mode))
        return pps_fail(err, PPS_E_INPUT, "%s is not a regular file", index->path);
    enum pps_status status =
        pps_disk_read_at(index->fd, index->path, &index->head, sizeof index->head, 0, &n, err);
    if (status != PPS_OK)
        return status;
    const struct pps_index_head *head = &index->head;
    if (n < sizeof *head || is_zero(head, sizeof *head))
        *state = PPS_INDEX_READER_TORN;
    else if (!pps_index_head_is_valid(head))
        *state = (uint64_t)at.st_size == sizeof *head ? PPS_INDEX_READER_TORN
                                                      : PPS_INDEX_READER_DAMAGED;
    if (*state != PPS_INDEX_READER_WHOLE)
        return PPS_OK;
    const uint64_t bytes = (uint64_t)at.st_size - sizeof *head;
    index->n_records = bytes / head->record_bytes;
    index->rest_bytes = bytes % head->record_bytes;
    return PPS_OK;
}

enum pps_status pps_index_reader_open(struct pps_index_reader *index,
                                      const char *path,
                                      enum pps_index_reader_state *state,
                                      struct pps_error *err)
{
    *index = (struct pps_index_reader){.path = path};
    *state = PPS_INDEX_READER_WHOLE;
    index->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (index->fd < 0 && errno == ENOENT) {
        *state = PPS_INDEX_READER_MISSING;
        return PPS_OK;
    }
    if (index->fd < 0)
        return pps_disk_fail_open(err, path);
    enum pps_status status = read_head(index, state, err);
    if (status != PPS_OK || *state != PPS_INDEX_READER_WHOLE)
        pps_index_reader_close(index);
    return status;
}

void pps_index_reader_close(struct pps_index_reader *index)
{
    if (index->fd >= 0)
        close(index->fd);
    index->fd = -1;
}

struct pps_counts pps_index_record_counts(const struct pps_index_record *record,
                                          const uint64_t left_out[PPS_MAX_REASONS])
{
    struct pps_counts counts = {.rows = record->rows,
                                .failed = record->failed,
                                .infeasible = record->infeasible};
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        counts.left_out[r].n = left_out[r];
    return counts;
}

enum pps_status pps_index_reader_read(const struct pps_index_reader *index,
                                      uint64_t i,
                                      struct pps_index_record *record,
                                      uint64_t left_out[PPS_MAX_REASONS],
                                      bool *valid,
                                      struct pps_error *err)
{
    unsigned char bytes[sizeof *record + (PPS_MAX_REASONS + 1) * sizeof *left_out];
    const size_t n = index->head.record_bytes;
    size_t got;
    *valid = false;
    enum pps_status status = pps_disk_read_at(index->fd, index->path, bytes, n,
                                              sizeof index->head + i * n, &got, err);
    if (status != PPS_OK || got < n)
        return status;
    memcpy(record, bytes, sizeof *record);
    memset(left_out, 0, PPS_MAX_REASONS * sizeof *left_out);
    memcpy(left_out, bytes + sizeof *record, index->head.n_reasons * sizeof *left_out);
    *valid = pps_index_record_is_valid(bytes, n);
    return PPS_OK;
}
