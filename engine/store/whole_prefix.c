// SPDX-License-Identifier: Apache-2.0
// Compares records with their data, from the first block on.
#include "engine/store/whole_prefix.h"

#include "base/system/disk.h"
#include "engine/store/file_end.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

// ---- checksums ----------------------------------------------------------------------------------

static enum pps_status fail_block(const struct pps_whole_prefix *prefix, const char *path,
                                  struct pps_error *err)
{
    if (prefix->n_records == 0)
        return pps_fail(err, PPS_E_INPUT, "%s: the header line does not match %s.idx", path,
                        path);
    return pps_fail(err, PPS_E_INPUT,
                    "%s: block %llu (from byte %llu, row %llu) does not match its checksum in "
                    "%s.idx; ppsweep verify lists what is wrong",
                    path, (unsigned long long)prefix->n_records,
                    (unsigned long long)prefix->data_bytes + 1,
                    (unsigned long long)prefix->counts.rows + 1, path);
}

// Checks that the file ends after its last block, or after the end of its gzip member or its footer.
static enum pps_status check_end(const struct pps_index_reader *index,
                                 const struct pps_whole_prefix *prefix, int fd,
                                 const char *path, struct pps_error *err)
{
    const struct pps_file_end end = {.kind = (enum pps_codec_kind)index->head.codec_kind,
                                     .fd = fd,
                                     .path = path,
                                     .data_bytes = prefix->data_bytes,
                                     .text_bytes = prefix->text_bytes,
                                     .text_crc = prefix->text_crc};
    bool matches;
    uint64_t bytes = 0, wanted = 0;
    enum pps_status status = pps_file_end_check(&end, &matches, &wanted, err);
    if (status == PPS_OK)
        status = pps_disk_size(fd, path, &bytes, err);
    if (status == PPS_OK && bytes != wanted)
        status = pps_fail(err, PPS_E_INPUT, "%s: it has %llu bytes, but %llu in %s.idx", path,
                          (unsigned long long)bytes, (unsigned long long)wanted, path);
    if (status == PPS_OK && !matches)
        status = pps_fail(err, PPS_E_INPUT, "%s: its end is damaged", path);
    return status;
}

static enum pps_status check_data(const struct pps_index_reader *index, const char *path,
                                  struct pps_error *err)
{
    struct pps_whole_prefix prefix;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return pps_disk_fail_open(err, path);
    const struct pps_whole_prefix_ask ask = {index, fd, path, NULL};
    enum pps_status status = pps_whole_prefix_find(&ask, &prefix, err);
    if (status == PPS_OK && (prefix.n_records < index->n_records || index->rest_bytes > 0))
        status = fail_block(&prefix, path, err);
    if (status == PPS_OK)
        status = check_end(index, &prefix, fd, path, err);
    close(fd);
    return status;
}

enum pps_status pps_checksums_match(const char *path, bool *any, struct pps_error *err)
{
    struct pps_index_reader index = {.fd = -1};
    enum pps_index_reader_state state = PPS_INDEX_READER_MISSING;
    const size_t n = strlen(path) + sizeof ".idx";
    char *name = malloc(n);
    *any = false;
    if (name == NULL)
        return pps_fail_memory(err, "a path");
    snprintf(name, n, "%s.idx", path);
    enum pps_status status = pps_index_reader_open(&index, name, &state, err);
    *any = status == PPS_OK && state != PPS_INDEX_READER_MISSING;
    if (*any && state != PPS_INDEX_READER_WHOLE)
        status = pps_fail(err, PPS_E_INPUT, "%s is damaged", name);
    if (status == PPS_OK && *any)
        status = check_data(&index, path, err);
    pps_index_reader_close(&index);
    free(name);
    return status;
}

// ---- whole prefix -------------------------------------------------------------------------------

enum {
    PIECE_BYTES = 1 << 20,
    FEW_RECORDS = 16, // a result that has no more is read whole, as this takes milliseconds
};

uint64_t pps_whole_prefix_block(const struct pps_index_head *head, uint64_t i)
{
    const struct pps_shard shard = {head->shard, head->n_shards};
    const struct pps_blocks blocks = {head->n_points, head->block_points};
    return i <= pps_shard_blocks(shard, blocks) ? pps_shard_block(shard, i - 1) : PPS_NO_BLOCK;
}

void pps_whole_prefix_begin(struct pps_whole_prefix *prefix)
{
    *prefix = (struct pps_whole_prefix){.first_failed = PPS_NO_BLOCK};
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        prefix->first_left_out[r] = PPS_NO_BLOCK;
}

void pps_whole_prefix_add(struct pps_whole_prefix *prefix,
                          const struct pps_index_record *record,
                          const uint64_t left_out[PPS_MAX_REASONS])
{
    if (prefix->n_records++ == 0)
        prefix->header_bytes = record->text_bytes;
    prefix->data_bytes = record->offset + record->data_bytes;
    prefix->text_bytes += record->text_bytes;
    prefix->text_crc = (uint32_t)crc32_combine(prefix->text_crc, (uLong)record->text_crc,
                                               (z_off_t)record->text_bytes);
    const struct pps_counts counts = pps_index_record_counts(record, left_out);
    if (prefix->counts.failed == 0 && counts.failed > 0)
        prefix->first_failed = record->index;
    for (int r = 0; r < PPS_MAX_REASONS; r++)
        if (prefix->counts.left_out[r].n == 0 && counts.left_out[r].n > 0)
            prefix->first_left_out[r] = record->index;
    pps_counts_add(&prefix->counts, &counts);
}

// For loops over the blocks of a prefix: PPS_E_STOPPED, with a message, if the stop flag is up.
static enum pps_status whole_prefix_poll(const atomic_bool *stop, const char *data_path,
                                         struct pps_error *err)
{
    if (stop == NULL || !atomic_load_explicit(stop, memory_order_relaxed))
        return PPS_OK;
    return pps_fail(err, PPS_E_STOPPED, "stopped while reading %s; nothing in it is lost",
                    data_path);
}

static enum pps_status data_match(const struct pps_whole_prefix_ask *ask,
                                  const struct pps_index_record *record, XXH64_state_t *state,
                                  unsigned char *piece, bool *match, struct pps_error *err)
{
    uint64_t at = record->offset, left = record->data_bytes;
    *match = false;
    XXH64_reset(state, 0);
    while (left > 0) {
        const size_t n = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        size_t got;
        enum pps_status status =
            pps_disk_read_at(ask->data_fd, ask->data_path, piece, n, at, &got, err);
        if (status != PPS_OK || got < n)
            return status;
        XXH64_update(state, piece, n);
        at += n;
        left -= n;
        if (n == PIECE_BYTES)
            status = whole_prefix_poll(ask->stop, ask->data_path, err);
        if (status != PPS_OK)
            return status;
    }
    *match = XXH64_digest(state) == record->data_xxh64;
    return PPS_OK;
}

// Adds the next block if its record is the expected one and its data is present and matches.
static enum pps_status step(const struct pps_whole_prefix_ask *ask,
                            struct pps_whole_prefix *prefix, XXH64_state_t *state,
                            unsigned char *piece, bool *longer, struct pps_error *err)
{
    struct pps_index_record record;
    uint64_t left_out[PPS_MAX_REASONS];
    const uint64_t i = prefix->n_records;
    const uint64_t block = i == 0 ? UINT64_MAX : pps_whole_prefix_block(&ask->index->head, i);
    *longer = false;
    if (i > 0 && block == PPS_NO_BLOCK)
        return PPS_OK;
    enum pps_status status =
        pps_index_reader_read(ask->index, i, &record, left_out, longer, err);
    if (status != PPS_OK || !*longer)
        return status;
    *longer = record.index == block && record.offset == prefix->data_bytes &&
              record.offset + record.data_bytes >= record.offset;
    if (*longer)
        status = data_match(ask, &record, state, piece, longer, err);
    if (status == PPS_OK && *longer)
        pps_whole_prefix_add(prefix, &record, left_out);
    return status;
}

// Checks the beginning of the file. *begin is the position of the header line's data; *ours is
// false if this program did not write the file.
static enum pps_status check_frame(const struct pps_whole_prefix_ask *ask, uint64_t *begin,
                                   bool *ours, struct pps_error *err)
{
    const enum pps_codec_kind kind = (enum pps_codec_kind)ask->index->head.codec_kind;
    *begin = pps_file_start_bytes(kind);
    return pps_file_start_check(kind, ask->data_fd, ask->data_path, ours, err);
}

enum pps_status pps_whole_prefix_find(const struct pps_whole_prefix_ask *ask,
                                      struct pps_whole_prefix *prefix, struct pps_error *err)
{
    bool longer;
    pps_whole_prefix_begin(prefix);
    enum pps_status status = check_frame(ask, &prefix->data_bytes, &longer, err);
    unsigned char *piece = malloc(PIECE_BYTES);
    XXH64_state_t *state = XXH64_createState();
    if (status == PPS_OK && (piece == NULL || state == NULL))
        status = pps_fail_memory(err, "%s", ask->data_path);
    while (status == PPS_OK && longer && prefix->n_records < ask->index->n_records) {
        status = step(ask, prefix, state, piece, &longer, err);
        if (status == PPS_OK && prefix->n_records > FEW_RECORDS)
            status = whole_prefix_poll(ask->stop, ask->data_path, err);
    }
    XXH64_freeState(state);
    free(piece);
    return status;
}
