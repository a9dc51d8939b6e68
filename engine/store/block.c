// SPDX-License-Identifier: Apache-2.0
// Sets the checksums of blocks and makes the gzip frame.
#include "engine/store/block.h"

#include "base/system/codec.h"

#include <xxhash.h>

// ---- counts -------------------------------------------------------------------------------------

void pps_counts_add(struct pps_counts *counts, const struct pps_counts *later)
{
    counts->rows += later->rows;
    if (counts->failed == 0)
        counts->failed_example = later->failed_example;
    counts->failed += later->failed;
    counts->infeasible += later->infeasible;
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        if (counts->left_out[r].n == 0)
            counts->left_out[r].example = later->left_out[r].example;
        counts->left_out[r].n += later->left_out[r].n;
    }
}

// ---- block --------------------------------------------------------------------------------------

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

// ---- gzip frame -------------------------------------------------------------------------------

const unsigned char PPS_GZIP_HEAD[PPS_GZIP_HEAD_BYTES] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};

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
