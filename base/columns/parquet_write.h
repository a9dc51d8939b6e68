// SPDX-License-Identifier: Apache-2.0
// Writes Parquet: the start of a file, blocks of rows as row groups, and the footer. A block depends
// on its rows alone, so blocks can be made on many threads, kept, copied between files of the same
// columns, and written in any number of runs. Every column is optional: an empty cell is null.
// Source: the specification of Apache Parquet 2.x (encodings PLAIN, RLE and RLE_DICTIONARY, codec GZIP). All
// readers of Parquet read these files; parquet_read.h turns a block back into the same text.
#pragma once

#include "base/columns/schema.h"
#include "base/text/text_buffer.h"

#include <stdint.h>

// The most text of a block, in bytes. (A sweep writes blocks of at most 64 MiB.)
#define PPS_PARQUET_TEXT_MAX ((size_t)64 << 20)

// Appends the start of a file. The metadata (n bytes of UTF-8, possibly none) is stored under the
// key "ppsweep". Thread-safe.
PPS_MUST_CHECK enum pps_status pps_parquet_header(struct text_buffer *out,
                                                  const struct pps_schema *schema,
                                                  const char *metadata, size_t n,
                                                  struct pps_error *err);

struct pps_parquet; // one per thread

// Opens a writer of blocks. Level 1 ... 9: of gzip. The schema must outlive it. After an error there
// is nothing to close.
PPS_MUST_CHECK enum pps_status pps_parquet_open(struct pps_parquet **parquet,
                                                const struct pps_schema *schema, int level,
                                                struct pps_error *err);
void pps_parquet_close(struct pps_parquet *parquet); // NULL is fine

// Appends the block of n bytes of text: lines of schema->n plain cells. No text gives no bytes.
// PPS_E_INPUT if a cell is not of its column's kind; first_row is the number of the first row, for
// messages. `out` is unchanged after an error.
PPS_MUST_CHECK enum pps_status pps_parquet_block(struct pps_parquet *parquet, const char *text,
                                                 size_t n, uint64_t first_row,
                                                 struct text_buffer *out,
                                                 struct pps_error *err);

// A file that holds its start and its blocks and nothing else.
struct pps_parquet_file {
    uint64_t bytes;
    const char *creator; // "ppsweep version 1.2"
    void *self;
    // Reads exactly n bytes.
    enum pps_status (*read)(void *self, void *data, size_t n, uint64_t offset,
                            struct pps_error *err);
    // Appends n bytes.
    enum pps_status (*write)(void *self, const void *data, size_t n, struct pps_error *err);
};

// Writes the footer. It reads the heads of all blocks twice and needs constant memory. PPS_E_WRONG
// if the bytes are not those of a start and blocks.
PPS_MUST_CHECK enum pps_status pps_parquet_finish(const struct pps_parquet_file *file,
                                                  struct pps_error *err);
