// SPDX-License-Identifier: Apache-2.0
// Reads the records of an index in order and checks them.
#include "engine/store/index_check.h"

#include "engine/space/shard.h"
#include "engine/store/file_end.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static enum pps_status wrong(const struct pps_index *index, struct pps_error *err,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

static enum pps_status wrong(const struct pps_index *index, struct pps_error *err,
                             const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pps_fail_at(err, PPS_E_WRONG, index->file.path, 0, 0, "%s", text);
}

// ---- the header -------------------------------------------------------------------------------

static struct pps_shard shard_of(const struct pps_index_head *head)
{
    return (struct pps_shard){head->shard, head->n_shards};
}

static struct pps_blocks blocks_of(const struct pps_index_head *head)
{
    return (struct pps_blocks){head->n_points, head->block_points};
}

uint64_t pps_index_blocks(const struct pps_index_head *head)
{
    return pps_shard_blocks(shard_of(head), blocks_of(head));
}

bool pps_index_is_gzip(const struct pps_index_head *head)
{
    return head->codec_kind == PPS_CODEC_ZLIB || head->codec_kind == PPS_CODEC_ISAL;
}

static enum pps_status check_head(const struct pps_index *index, struct pps_error *err)
{
    const struct pps_index_head *head = &index->file.head;
    if (head->codec_kind > PPS_CODEC_PARQUET || head->codec_level > 9)
        return wrong(index, err, "the header names an unknown codec");
    if (head->n_points == 0 || head->n_points > INT64_MAX || head->block_points == 0)
        return wrong(index, err, "the header has %" PRIu64 " points in blocks of %" PRIu64,
                     head->n_points, head->block_points);
    if (head->shard >= (head->n_shards == 0 ? 1 : head->n_shards) || head->reserved != 0)
        return wrong(index, err, "the header has shard %" PRIu32 " of %" PRIu32, head->shard,
                     head->n_shards);
    return PPS_OK;
}

// ---- opening ----------------------------------------------------------------------------------

// Checks that the index has exactly the number of records in its header.
static enum pps_status check_length(struct pps_index *index, struct pps_error *err)
{
    const struct pps_index_reader *file = &index->file;
    const uint64_t blocks = pps_index_blocks(&file->head);
    index->n_records = blocks + 1;
    if (file->n_records < index->n_records)
        return wrong(index, err,
                     "is truncated: it has %" PRIu64
                     " whole records, but the header line and %" PRIu64 " blocks need %" PRIu64,
                     file->n_records, blocks, index->n_records);
    const uint64_t more = file->n_records - index->n_records;
    if (more > 0 || file->rest_bytes > 0)
        return wrong(index, err, "has %" PRIu64 " bytes after its last record",
                     more * file->head.record_bytes + file->rest_bytes);
    return PPS_OK;
}

static enum pps_status check_state(const struct pps_index *index,
                                   enum pps_index_reader_state state, struct pps_error *err)
{
    if (state == PPS_INDEX_READER_MISSING)
        return pps_fail(err, PPS_E_INPUT, "%s does not exist", index->file.path);
    if (state != PPS_INDEX_READER_WHOLE)
        return wrong(index, err,
                     "the header (bytes 0 to %zu) is damaged, or this is not an index",
                     sizeof index->file.head - 1);
    return PPS_OK;
}

enum pps_status pps_index_open(struct pps_index *index, const char *path, struct pps_error *err)
{
    enum pps_index_reader_state state;
    *index = (struct pps_index){.next = 0};
    enum pps_status status = pps_index_reader_open(&index->file, path, &state, err);
    if (status == PPS_OK)
        status = check_state(index, state, err);
    if (status == PPS_OK)
        status = check_head(index, err);
    if (status == PPS_OK)
        status = check_length(index, err);
    if (status == PPS_OK)
        index->data_end =
            pps_file_start_bytes((enum pps_codec_kind)index->file.head.codec_kind);
    else
        pps_index_close(index);
    return status;
}

void pps_index_close(struct pps_index *index)
{
    pps_index_reader_close(&index->file);
}

// ---- records ----------------------------------------------------------------------------------

// Writes the name of an entry, as in "block 7", for messages.
static const char *name_of(const struct pps_index_entry *entry, char text[32])
{
    if (entry->is_header)
        snprintf(text, 32, "the header line");
    else
        snprintf(text, 32, "block %" PRIu64, entry->record.index);
    return text;
}

// Checks that the record is the expected one and sets the block's points.
static enum pps_status place(const struct pps_index *index, struct pps_index_entry *entry,
                             struct pps_error *err)
{
    const struct pps_index_head *head = &index->file.head;
    const uint64_t due =
        index->next == 0 ? UINT64_MAX : pps_shard_block(shard_of(head), index->next - 1);
    char name[32];
    entry->is_header = entry->record.index == UINT64_MAX;
    if (entry->record.index != due) {
        name_of(entry, name);
        if (index->next == 0)
            return wrong(index, err, "the first record is %s, not the header line", name);
        return wrong(index, err, "record %" PRIu64 " is %s, but block %" PRIu64 " is expected",
                     index->next, name, due);
    }
    if (entry->is_header)
        return PPS_OK;
    entry->first = due * head->block_points;
    entry->n_points = pps_blocks_points(blocks_of(head), due);
    return PPS_OK;
}

static enum pps_status check_data(const struct pps_index *index,
                                  const struct pps_index_entry *entry, struct pps_error *err)
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
        (index->file.head.codec_kind == PPS_CODEC_NONE &&
         record->data_bytes != record->text_bytes))
        return wrong(index, err,
                     "%s: %" PRIu64 " bytes of data cannot contain %" PRIu64 " bytes of text",
                     name_of(entry, name), record->data_bytes, record->text_bytes);
    if (record->text_crc > UINT32_MAX)
        return wrong(index, err, "%s: the checksum of its text is invalid",
                     name_of(entry, name));
    return PPS_OK;
}

// Every point has a row or is skipped. In a result of the best rows, failed and infeasible points
// are counted without a row.
static enum pps_status check_counts(const struct pps_index *index,
                                    const struct pps_index_entry *entry, struct pps_error *err)
{
    const struct pps_index_record *record = &entry->record;
    uint64_t left = entry->n_points;
    const uint64_t most = index->only_some ? left : record->rows;
    bool fits = record->rows <= left && record->failed <= most &&
                record->infeasible <= most - record->failed;
    char name[32];
    left -= fits ? record->rows : 0;
    for (uint32_t r = 0; fits && r < index->file.head.n_reasons; r++) {
        fits = entry->left_out[r] <= left;
        left -= fits ? entry->left_out[r] : 0;
    }
    if (fits && (left == 0 || index->only_some))
        return PPS_OK;
    return wrong(index, err,
                 "%s: its rows and skipped points do not add up to %" PRIu64 " points",
                 name_of(entry, name), entry->n_points);
}

enum pps_status pps_index_next(struct pps_index *index, struct pps_index_entry *entry,
                               bool *more, struct pps_error *err)
{
    bool valid;
    *entry = (struct pps_index_entry){.first_row = index->rows};
    *more = index->next < index->n_records;
    if (!*more)
        return PPS_OK;
    enum pps_status status = pps_index_reader_read(&index->file, index->next, &entry->record,
                                                   entry->left_out, &valid, err);
    if (status != PPS_OK)
        return status;
    if (!valid) {
        const uint64_t size = index->file.head.record_bytes;
        const uint64_t at = sizeof index->file.head + index->next * size;
        return wrong(index, err,
                     "record %" PRIu64 " (bytes %" PRIu64 " to %" PRIu64 ") is damaged",
                     index->next, at, at + size - 1);
    }
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
