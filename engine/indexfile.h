// SPDX-License-Identifier: Apache-2.0
// Reading the index of a whole result: its records in order, and what must hold of each and
// between them. blockindex.h reads records of an index that may be anything.
#ifndef PPS_INDEXFILE_H
#define PPS_INDEXFILE_H

#include "blockindex.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PPS_GZIP_HEAD_BYTES = 10, PPS_GZIP_END_BYTES = 10 };

#define PPS_BLOCK_TEXT_MAX ((uint64_t)64 << 20) // no block of a sweep has more text

struct pps_index {
    struct pps_blockindex file; // fd -1: not open
    bool only_some;     // the best rows: not every point has its row; set it after opening
    uint64_t n_records; // that there must be, the header line's included
    uint64_t next;      // record to be read
    uint64_t data_end;  // where the data of the records read so far ends
    uint64_t rows;      // of the records read so far
};

// A record and what follows from its place.
struct pps_index_entry {
    struct pps_index_record record;
    uint64_t left_out[PPS_MAX_REASONS];
    bool is_header;     // the header line
    uint64_t first;     // first point
    uint64_t n_points;  // of the block
    uint64_t first_row; // rows before it
};

// Opens and checks the head and the length of the file. PPS_E_INPUT where there is none,
// PPS_E_WRONG with what is wrong; path must outlive the index. Close it in every case.
PPS_MUST_CHECK enum pps_status pps_index_open(struct pps_index *index,
                                              const char *path,
                                              struct pps_error *err);
void pps_index_close(struct pps_index *index); // one with fd -1 is fine

// The next record; *more is false after the last. PPS_E_WRONG where its checksum is wrong, it
// is not the one due, its data do not follow those before, or its counts cannot be.
PPS_MUST_CHECK enum pps_status pps_index_next(struct pps_index *index,
                                              struct pps_index_entry *entry,
                                              bool *more,
                                              struct pps_error *err);

// The blocks that this file holds.
uint64_t pps_index_blocks(const struct pps_index_head *head);

// Whether the data are compressed.
bool pps_index_is_gzip(const struct pps_index_head *head);

#endif
