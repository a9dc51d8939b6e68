// SPDX-License-Identifier: Apache-2.0
// Defines the order of bytes in our Parquet files. Other readers find the pages through the footer
// and never look at the bytes between them; these bytes hold what our own readers need: they read
// the file from the front, also while it has no footer.
//
//   file:   "PAR1", header, blocks, end mark "PPSE", footer, length of the footer, "PAR1"
//   header: struct pps_parquet_head, kinds (a byte each), line of names, metadata
//   block:  struct pps_parquet_block_head, one struct pps_parquet_chunk per column, then for each
//           column: the dictionary page if it is coded, the data page, the spelled cells if any
//
// Numbers are little endian, as in memory. A block is a row group.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#define PPS_PARQUET_MAGIC "PAR1"
#define PPS_PARQUET_END   "PPSE"

enum { PPS_PARQUET_MAGIC_BYTES = 4 };

struct pps_parquet_head {
    char magic[4]; // "PPSH"
    uint32_t n_columns;
    uint32_t line_bytes;
    uint32_t metadata_bytes;
    uint32_t checksum; // of this head, the kinds, the line and the metadata
    uint32_t unused;
};

struct pps_parquet_block_head {
    char magic[4]; // "PPSB"
    uint32_t n_columns;
    uint32_t n_rows;
    uint32_t text_bytes;
    uint64_t bytes;    // of the block, this head included
    uint32_t checksum; // of these bytes
    uint32_t unused;
};

// Returns the CRC-32 of n bytes, in which the checksum itself, at offset `at`, counts as zeros.
static inline uint32_t pps_parquet_checksum(const void *bytes, size_t n, size_t at)
{
    static const unsigned char zeros[sizeof(uint32_t)] = {0};
    const unsigned char *all = bytes, *rest = all + at + sizeof zeros;
    const uLong crc = crc32_z(crc32_z(0, all, at), zeros, sizeof zeros);
    return (uint32_t)crc32_z(crc, rest, n - at - sizeof zeros);
}

// Sizes of a page in bytes. `packed` are the bytes behind the page's head, `raw` the same before
// compression.
struct pps_parquet_page {
    uint32_t head, packed, raw;
};

struct pps_parquet_chunk {
    uint8_t kind, form, decimals; // enum pps_cell_kind, enum pps_spelling_form
    uint8_t is_coded, is_packed, has_range, unused[2];
    uint32_t n_empty, n_items;
    struct pps_parquet_page dictionary, data; // the head of a page that does not exist is 0
    uint32_t spelled_packed, spelled_raw;
    uint64_t least, greatest; // of an integer or a real, if has_range
};
