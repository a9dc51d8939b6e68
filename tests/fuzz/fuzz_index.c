// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as an index, as they are or (odd length) with right checksums, and the
// blocks it speaks of looked for in the bytes themselves. What is accepted must hang together.
#include "bytes.h"

#include "engine/indexfile.h"
#include "engine/verifyblock.h"
#include "engine/verifycounts.h"

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

// Sizes, magic and checksums as they must be; the number of records as the file has it.
static void make_valid(uint8_t *bytes, size_t n)
{
    struct pps_index_head head;
    if (n < sizeof head)
        return;
    memcpy(&head, bytes, sizeof head);
    memcpy(head.magic, "ppsidx1\n", 8);
    head.n_reasons %= PPS_MAX_REASONS + 1;
    head.head_bytes = sizeof head;
    head.record_bytes = (uint32_t)pps_index_record_bytes((int)head.n_reasons);
    memcpy(bytes, &head, sizeof head);
    seal(bytes, sizeof head);
    for (size_t at = sizeof head; at + head.record_bytes <= n; at += head.record_bytes)
        seal(bytes + at, head.record_bytes);
}

static void check_blocks(struct pps_index *index)
{
    struct pps_block_check check = {"fuzz", index->fd, &index->head, "n,total_time\n",
                                    NULL,   0,         false};
    struct pps_blockchecker *checker;
    struct pps_index_entry entry;
    struct pps_index_sums sums = {.blocks = 0};
    struct pps_error err;
    bool more;
    require(pps_blockchecker_open(&checker, &check, &err) == PPS_OK);
    while (pps_index_next(index, &entry, &more, &err) == PPS_OK && more) {
        require(entry.is_header || entry.first + entry.n_points <= index->head.n_points);
        require(entry.is_header || entry.record.index < pps_index_all_blocks(&index->head));
        require(entry.record.text_bytes <= PPS_BLOCK_TEXT_MAX);
        pps_index_add(&sums, &entry);
        if (pps_blockchecker_do(checker, &entry, &err) != PPS_OK)
            require(err.text[0] != '\0');
    }
    require(sums.rows <= sums.points && sums.points <= index->head.n_points);
    require(sums.blocks <= pps_index_blocks(&index->head));
    pps_blockchecker_close(checker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint8_t *bytes = malloc(n > 0 ? n : 1);
    require(bytes != NULL);
    if (n > 0)
        memcpy(bytes, data, n);
    if (n % 2 == 1)
        make_valid(bytes, n - 1);
    const struct bytes_file file = bytes_open(bytes, n - n % 2);
    struct pps_index index;
    struct pps_error err;
    if (pps_index_open(&index, file.path, &err) == PPS_OK)
        check_blocks(&index);
    else
        require(err.text[0] != '\0');
    pps_index_close(&index);
    bytes_close(&file);
    free(bytes);
    return 0;
}
