// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as an index. The last byte selects the mode: unchanged bytes, bytes
// with valid checksums (1), or an index of two consistent blocks followed by their data (2). An
// accepted index must be consistent.
#include "tests/fuzz/support/bytes.h"

#include "engine/check/verify_block.h"
#include "engine/store/index_check.h"

#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void seal(uint8_t *bytes, size_t n)
{
    const uint64_t checksum = XXH64(bytes, n - 8, 0);
    memcpy(bytes + n - 8, &checksum, 8);
}

// Sets the record's offset and the checksum of its data.
static void lead(struct pps_index_record *record, const uint8_t *data, size_t n,
                 uint64_t number, uint64_t *end)
{
    record->index = number - 1;
    record->offset = *end;
    record->data_bytes %= n + 1;
    *end += record->data_bytes;
    if (*end <= n)
        record->data_xxh64 = XXH64(data + record->offset, (size_t)record->data_bytes, 0);
}

static void make_head(struct pps_index_head *head, int mode)
{
    memcpy(head->magic, "ppsidx2\n", 8);
    head->n_reasons %= PPS_MAX_REASONS + 1;
    head->head_bytes = sizeof *head;
    head->record_bytes = (uint32_t)pps_index_record_bytes((int)head->n_reasons);
    if (mode != 2)
        return;
    head->shard = head->reserved = 0;
    head->n_shards = 1;
    head->n_points = 2;
    head->block_points = 1;
}

// Makes sizes, magic and checksums valid. Returns the length of the index; its data follows.
static size_t make_valid(uint8_t *bytes, size_t n, int mode)
{
    struct pps_index_head head;
    struct pps_index_record record;
    if (n < sizeof head)
        return n;
    memcpy(&head, bytes, sizeof head);
    make_head(&head, mode);
    memcpy(bytes, &head, sizeof head);
    seal(bytes, sizeof head);
    const size_t size = head.record_bytes;
    const size_t two = sizeof head + 3 * size, n_index = mode == 2 && two < n ? two : n;
    uint64_t end = pps_index_is_gzip(&head) ? PPS_GZIP_HEAD_BYTES : 0;
    for (size_t i = 0; sizeof head + (i + 1) * size <= n_index; i++) {
        uint8_t *at = bytes + sizeof head + i * size;
        memcpy(&record, at, sizeof record);
        if (mode == 2)
            lead(&record, bytes + n_index, n - n_index, i, &end);
        memcpy(at, &record, sizeof record);
        seal(at, size);
    }
    return n_index;
}

static void check_blocks(struct pps_index *index, int data_fd)
{
    struct pps_block_check check = {.path = "fuzz",
                                    .fd = data_fd,
                                    .head = &index->file.head,
                                    .header = "n,total_time\n"};
    struct pps_blockchecker *checker;
    struct pps_index_entry entry;
    struct pps_index_sums sums = {.blocks = 0};
    struct pps_error err;
    bool more;
    require(pps_blockchecker_open(&checker, &check, &err) == PPS_OK);
    while (pps_index_next(index, &entry, &more, &err) == PPS_OK && more) {
        require(entry.is_header || entry.first + entry.n_points <= index->file.head.n_points);
        require(entry.record.text_bytes <= PPS_BLOCK_TEXT_MAX);
        pps_index_add(&sums, &entry);
        if (pps_blockchecker_do(checker, &entry, &err) != PPS_OK)
            require(err.text[0] != '\0');
    }
    require(sums.counts.rows <= sums.points && sums.points <= index->file.head.n_points);
    require(sums.blocks <= pps_index_blocks(&index->file.head));
    pps_blockchecker_close(checker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const int mode = n > 0 ? data[--n] : 0;
    uint8_t *bytes = malloc(n > 0 ? n : 1);
    require(bytes != NULL);
    if (n > 0)
        memcpy(bytes, data, n);
    const size_t n_index = mode == 1 || mode == 2 ? make_valid(bytes, n, mode) : n;
    const struct bytes_file file = bytes_open(bytes, n_index),
                            data_file = bytes_open(bytes + n_index, n - n_index);
    struct pps_index index;
    struct pps_error err;
    if (pps_index_open(&index, file.path, &err) == PPS_OK) {
        check_blocks(&index, data_file.fd);
        pps_index_close(&index);
    } else {
        require(err.text[0] != '\0' && index.file.fd < 0);
    }
    bytes_close(&data_file);
    bytes_close(&file);
    free(bytes);
    return 0;
}
