// SPDX-License-Identifier: Apache-2.0
// Records of an index, in order, and what must hold of each.
#include "indexfile.h"

#include "wholefile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS_AT_ONCE = 128 };

static enum pps_status wrong(const struct pps_index *index,
                             struct pps_error *err,
                             const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

static enum pps_status wrong(const struct pps_index *index,
                             struct pps_error *err,
                             const char *format,
                             ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pps_fail_at(err, PPS_E_WRONG, index->path, 0, 0, "%s", text);
}

// ---- what the head says -----------------------------------------------------------------------

static uint64_t parts(const struct pps_index_head *head)
{
    return head->n_shards == 0 ? 1 : head->n_shards;
}

uint64_t pps_index_all_blocks(const struct pps_index_head *head)
{
    return head->n_points / head->block_points + (head->n_points % head->block_points != 0);
}

uint64_t pps_index_blocks(const struct pps_index_head *head)
{
    const uint64_t all = pps_index_all_blocks(head), n = parts(head);
    return all / n + (all % n > head->shard);
}

bool pps_index_is_gzip(const struct pps_index_head *head)
{
    return head->codec_kind != PPS_CODEC_NONE;
}

static enum pps_status check_head(const struct pps_index *index, struct pps_error *err)
{
    const struct pps_index_head *head = &index->head;
    if (!pps_index_head_is_valid(head))
        return wrong(index, err, "the head (bytes 0 to %zu) is damaged, or this is no index",
                     sizeof *head - 1);
    if (head->codec_kind > PPS_CODEC_ISAL || head->codec_level > 9)
        return wrong(index, err, "the head names an unknown codec");
    if (head->n_points == 0 || head->n_points > INT64_MAX || head->block_points == 0)
        return wrong(index, err, "the head speaks of %" PRIu64 " points in blocks of %" PRIu64,
                     head->n_points, head->block_points);
    if (head->shard >= parts(head) || head->reserved != 0)
        return wrong(index, err, "the head speaks of shard %" PRIu32 " of %" PRIu32,
                     head->shard, head->n_shards);
    return PPS_OK;
}

// ---- opening ----------------------------------------------------------------------------------

// As many records as the head asks for, and nothing behind them.
static enum pps_status check_length(struct pps_index *index,
                                    uint64_t bytes,
                                    struct pps_error *err)
{
    const uint64_t room = bytes - sizeof index->head, size = index->head.record_bytes;
    const uint64_t blocks = pps_index_blocks(&index->head);
    index->n_records = blocks + 1;
    if (room / size < index->n_records)
        return wrong(index, err,
                     "is cut short: it has %" PRIu64 " whole records, but the header line and "
                     "%" PRIu64 " blocks need %" PRIu64,
                     room / size, blocks, index->n_records);
    if (room != index->n_records * size)
        return wrong(index, err, "has %" PRIu64 " bytes behind its last record",
                     room - index->n_records * size);
    return PPS_OK;
}

enum pps_status pps_index_open(struct pps_index *index, const char *path, struct pps_error *err)
{
    uint64_t bytes = 0;
    *index = (struct pps_index){.path = path, .fd = -1};
    enum pps_status status = pps_wholefile_open(path, &index->fd, &bytes, err);
    if (status == PPS_OK)
        status = pps_wholefile_read(index->fd, path, 0, &index->head, sizeof index->head, err);
    if (status == PPS_OK)
        status = check_head(index, err);
    if (status == PPS_OK)
        status = check_length(index, bytes, err);
    if (status != PPS_OK)
        return status;
    index->data_end = pps_index_is_gzip(&index->head) ? PPS_GZIP_HEAD_BYTES : 0;
    index->records = malloc((size_t)RECORDS_AT_ONCE * index->head.record_bytes);
    if (index->records == NULL)
        return pps_fail(err, PPS_E_MACHINE, "out of memory to read %s", path);
    return PPS_OK;
}

void pps_index_close(struct pps_index *index)
{
    free(index->records);
    if (index->fd >= 0)
        close(index->fd);
    index->records = NULL;
    index->fd = -1;
}

// ---- records ----------------------------------------------------------------------------------

static enum pps_status fill(struct pps_index *index, struct pps_error *err)
{
    const uint64_t left = index->n_records - index->next;
    const size_t n = left < RECORDS_AT_ONCE ? (size_t)left : RECORDS_AT_ONCE;
    const uint64_t size = index->head.record_bytes;
    index->n_buffered = n;
    index->at = 0;
    return pps_wholefile_read(index->fd, index->path, sizeof index->head + index->next * size,
                              index->records, n * (size_t)size, err);
}

// "block 7", for messages.
static const char *name_of(const struct pps_index_entry *entry, char text[32])
{
    if (entry->is_header)
        snprintf(text, 32, "the header line");
    else
        snprintf(text, 32, "block %" PRIu64, entry->record.index);
    return text;
}

// Which block is due, and its points.
static enum pps_status place(const struct pps_index *index,
                             struct pps_index_entry *entry,
                             struct pps_error *err)
{
    const struct pps_index_head *head = &index->head;
    const uint64_t due =
        index->next == 0 ? UINT64_MAX : head->shard + (index->next - 1) * parts(head);
    char name[32];
    entry->is_header = entry->record.index == UINT64_MAX;
    if (entry->record.index != due) {
        name_of(entry, name);
        if (index->next == 0)
            return wrong(index, err, "the first record is %s, not the header line", name);
        return wrong(index, err, "record %" PRIu64 " is %s, but block %" PRIu64 " is due",
                     index->next, name, due);
    }
    if (entry->is_header)
        return PPS_OK;
    entry->first = due * head->block_points;
    entry->n_points = head->n_points - entry->first;
    if (entry->n_points > head->block_points)
        entry->n_points = head->block_points;
    return PPS_OK;
}

static enum pps_status check_data(const struct pps_index *index,
                                  const struct pps_index_entry *entry,
                                  struct pps_error *err)
{
    const struct pps_index_record *record = &entry->record;
    char name[32];
    if (record->offset != index->data_end)
        return wrong(index, err, "%s: its data begin at byte %" PRIu64 ", not at %" PRIu64,
                     name_of(entry, name), record->offset, index->data_end);
    if (record->text_bytes > PPS_BLOCK_TEXT_MAX)
        return wrong(index, err, "%s: %" PRIu64 " bytes of text are more than a block holds",
                     name_of(entry, name), record->text_bytes);
    if (record->data_bytes > 2 * PPS_BLOCK_TEXT_MAX + 1024 ||
        (record->data_bytes == 0) != (record->text_bytes == 0) ||
        (!pps_index_is_gzip(&index->head) && record->data_bytes != record->text_bytes))
        return wrong(index, err, "%s: %" PRIu64 " bytes of data cannot be %" PRIu64 " of text",
                     name_of(entry, name), record->data_bytes, record->text_bytes);
    if (record->text_crc > UINT32_MAX)
        return wrong(index, err, "%s: its checksum of the text is none", name_of(entry, name));
    return PPS_OK;
}

// Every point is a row or left out.
static enum pps_status check_counts(const struct pps_index *index,
                                    const struct pps_index_entry *entry,
                                    struct pps_error *err)
{
    const struct pps_index_record *record = &entry->record;
    uint64_t left = entry->n_points;
    bool fits = record->rows <= left && record->failed <= record->rows &&
                record->infeasible <= record->rows - record->failed;
    char name[32];
    left -= fits ? record->rows : 0;
    for (uint32_t r = 0; fits && r < index->head.n_reasons; r++) {
        fits = entry->left_out[r] <= left;
        left -= fits ? entry->left_out[r] : 0;
    }
    if (fits && (left == 0 || index->only_some))
        return PPS_OK;
    return wrong(index, err, "%s: its rows and points left out are not its %" PRIu64 " points",
                 name_of(entry, name), entry->n_points);
}

enum pps_status pps_index_next(struct pps_index *index,
                               struct pps_index_entry *entry,
                               bool *more,
                               struct pps_error *err)
{
    const size_t size = index->head.record_bytes;
    *entry = (struct pps_index_entry){.first_row = index->rows};
    *more = index->next < index->n_records;
    if (!*more)
        return PPS_OK;
    enum pps_status status = index->at == index->n_buffered ? fill(index, err) : PPS_OK;
    if (status != PPS_OK)
        return status;
    const unsigned char *bytes = index->records + index->at++ * size;
    if (!pps_index_record_is_valid(bytes, size)) {
        const uint64_t at = sizeof index->head + index->next * size;
        return wrong(index, err,
                     "record %" PRIu64 " (bytes %" PRIu64 " to %" PRIu64 ") is damaged",
                     index->next, at, at + size - 1);
    }
    memcpy(&entry->record, bytes, sizeof entry->record);
    memcpy(entry->left_out, bytes + sizeof entry->record,
           index->head.n_reasons * sizeof *entry->left_out);
    status = place(index, entry, err);
    if (status == PPS_OK)
        status = check_data(index, entry, err);
    if (status == PPS_OK)
        status = check_counts(index, entry, err);
    if (status != PPS_OK)
        return status;
    index->next++;
    index->data_end += entry->record.data_bytes;
    index->rows += entry->record.rows;
    return PPS_OK;
}
