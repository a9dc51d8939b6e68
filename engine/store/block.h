// SPDX-License-Identifier: Apache-2.0
// Blocks are the parts of a result that are compressed, written and kept as a whole. A compressed
// file is one gzip member: a constant header, the blocks, and the end.
#pragma once

#include "engine/space/space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- counts -------------------------------------------------------------------------------------

// An index record stores the counts of a block without the examples, which are 0 then.
struct pps_counts {
    uint64_t rows;
    uint64_t failed;                               // rows with empty results
    uint64_t failed_example;                       // number of the first failed point
    uint64_t infeasible;                           // rows of infeasible points
    struct pps_left_out left_out[PPS_MAX_REASONS]; // skipped points without a row, by reason
};

// Adds the counts of a later stretch. The examples stay the first points.
void pps_counts_add(struct pps_counts *counts, const struct pps_counts *later);

// ---- block --------------------------------------------------------------------------------------

// A finished block, as a worker delivers it. Block 0 holds the first points; pps_output_open
// writes the header line itself.
struct pps_block {
    uint64_t index;      // number of the block in the experiment
    const void *data;    // compressed (or plain) bytes
    uint64_t data_bytes; // may be 0: no rows
    uint64_t text_bytes;
    uint32_t text_crc; // zlib's crc32 of the text
    bool is_hashed;    // data_xxh64 is set; otherwise the writer computes it
    uint64_t data_xxh64;
    struct pps_counts counts;
};

// Sets text_bytes and text_crc from the n bytes of the block's text.
void pps_block_set_text(struct pps_block *block, const char *text, size_t n);

// Sets the data and their checksum. Workers call this function to keep the writer fast. The
// block keeps the pointer.
void pps_block_set_data(struct pps_block *block, const void *data, size_t n);

// ---- gzip frame -------------------------------------------------------------------------------

enum { PPS_GZIP_HEAD_BYTES = 10, PPS_GZIP_END_BYTES = 10 };

// The gzip header. It is constant: no time, no name, no extra flags, operating system
// "unknown".
extern const unsigned char PPS_GZIP_HEAD[PPS_GZIP_HEAD_BYTES];

// Writes the end of the gzip member: the empty final block, the checksum and the length.
void pps_gzip_end(unsigned char out[PPS_GZIP_END_BYTES], uint32_t crc, uint64_t text_bytes);
