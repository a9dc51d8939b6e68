// SPDX-License-Identifier: Apache-2.0
// Reads the index of a complete result: its records in order, with all checks of each record
// and between records. index_write.h reads the records of an index that may be incomplete or
// damaged.
#pragma once

#include "base/text/status.h"
#include "engine/store/index_write.h"

#include <stdbool.h>
#include <stdint.h>

#define PPS_BLOCK_TEXT_MAX ((uint64_t)64 << 20) // maximum text of a block in a sweep, in bytes

struct pps_index {
    struct pps_index_reader file; // fd -1: not open
    // a result of the best rows: not every point has a row; set it after opening
    bool only_some;
    uint64_t n_records; // expected number of records, including the header line's
    uint64_t next;      // number of the next record
    uint64_t data_end;  // end of the data of the records read so far
    uint64_t rows;      // rows in the records read so far
};

// A record and its position in the result.
struct pps_index_entry {
    struct pps_index_record record;
    uint64_t left_out[PPS_MAX_REASONS];
    bool is_header;     // record of the header line
    uint64_t first;     // first point of the block
    uint64_t n_points;  // points of the block
    uint64_t first_row; // rows before the block
};

// Opens the index and checks its header and its length. Returns PPS_E_INPUT if there is no
// index, and PPS_E_WRONG if the index is wrong. path must outlive the index. After an
// error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_index_open(struct pps_index *index, const char *path,
                                              struct pps_error *err);
void pps_index_close(struct pps_index *index); // does nothing if fd is -1

// Reads the next record; *more is false after the last one. Returns PPS_E_WRONG if the checksum
// is wrong, the record is not the expected one, its data do not follow the data of the record
// before, or its counts are impossible.
PPS_MUST_CHECK enum pps_status pps_index_next(struct pps_index *index,
                                              struct pps_index_entry *entry, bool *more,
                                              struct pps_error *err);

// Returns the number of blocks in this file.
uint64_t pps_index_blocks(const struct pps_index_head *head);

// Returns true if the file is a gzip member.
bool pps_index_is_gzip(const struct pps_index_head *head);
