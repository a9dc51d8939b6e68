// SPDX-License-Identifier: Apache-2.0
// The result reader opens a result file, reads its rows in order and splits them into cells. It
// streams: memory does not grow with the file. Readers share no state: each thread may have its
// own.
#pragma once

#include "base/table/cell.h"
#include "base/text/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_result;
struct pps_needed_blocks;

// The blocks of a result that is read by block.
struct pps_block_counts {
    uint64_t read;   // so far
    uint64_t chosen; // to be read
    uint64_t all;    // of the result
};

// Watches the reading of a result. All may be NULL or false.
struct pps_read_watch {
    const atomic_bool *stop; // pps_result_next returns PPS_E_STOPPED soon after it is set
    void *self;
    // Called now and then with the fraction of the file's bytes that have been read (NAN:
    // unknown; 1: all) and the number of rows.
    void (*read)(void *self, double part, uint64_t rows);
    bool ahead; // decompresses a file on a thread of its own
    // Called once if only some blocks of the file have to be read; or NULL.
    void (*chosen)(void *self, const struct pps_block_counts *counts);
};

// Opens NAME.csv.gz, NAME.csv or a .part of either (whole blocks are read), or "-" for stdin,
// and reads the header line. The first bytes show whether stdin is plain text or gzip. Several
// gzip members are read one after the other. A byte-order mark is skipped; CRLF line ends are
// accepted. Returns PPS_E_INPUT if the header line is invalid, PPS_E_MACHINE if reading fails.
// After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_result_open(struct pps_result **result, const char *path,
                                               struct pps_error *err);
PPS_MUST_CHECK enum pps_status pps_result_open_watched(struct pps_result **result,
                                                       const char *path,
                                                       const struct pps_read_watch *watch,
                                                       struct pps_error *err);
void pps_result_close(struct pps_result *result); // NULL is fine

int pps_result_columns(const struct pps_result *result);
const char *pps_result_column_name(const struct pps_result *result, int column);

// Returns the index of the column with this name, or -1.
int pps_result_find(const struct pps_result *result, const char *name);

// Joins two different columns for all later rows: `column` holds the cells of `other` where its
// own are empty. `other` is removed; columns behind it move up by one. A row with both cells
// set is PPS_E_INPUT.
void pps_result_join(struct pps_result *result, int column, int other);

// A column that is computed from the other cells of a row.
struct pps_result_derived {
    const char *name; // stays valid
    void *self;
    // Writes the cell at a row into text (PPS_DERIVED_CELL bytes) and returns its length; 0: empty.
    size_t (*write)(void *self, const struct pps_cell *cells, char *text);
};
enum { PPS_DERIVED_CELL = 32, PPS_DERIVED_COLUMNS = 16 };

// Appends a column to all later rows, behind the columns of the file and earlier derived columns,
// whose cells it may use. Joins come before. PPS_E_INPUT for more than PPS_DERIVED_COLUMNS.
PPS_MUST_CHECK enum pps_status pps_result_derive(struct pps_result *result,
                                                 const struct pps_result_derived *derived,
                                                 struct pps_error *err);

// Reads the rows of these blocks instead of the whole file; before the first row. The reader closes
// the blocks.
void pps_result_use_blocks(struct pps_result *result, struct pps_needed_blocks *blocks);

// Returns zeros if the whole file is read.
struct pps_block_counts pps_result_blocks(const struct pps_result *result);

// Reads the next row. *cells points to one cell per column, valid until the next call; NULL at
// the end. PPS_E_INPUT, with the line number, for a row with another number of cells, a NUL
// byte or more than 1 MiB of text. Quotes around a cell are removed; commas, quotes and
// newlines within quotes are rejected. A truncated file (a gzip file without its end, or a last
// line without its newline) is PPS_E_INPUT after its last whole row; a .part file simply ends
// there. After an error only pps_result_close may follow.
PPS_MUST_CHECK enum pps_status pps_result_next(struct pps_result *result,
                                               const struct pps_cell **cells,
                                               struct pps_error *err);

static inline uint64_t pps_column_bit(int column)
{
    return column >= 0 && column < 64 ? (uint64_t)1 << column : 0;
}

// Says which cells the later rows need, one bit for each of the first 64 columns; the other cells of a row are set after
// pps_result_whole. At first all are needed. Columns of Parquet that nobody needs are not decoded.
void pps_result_need(struct pps_result *result, uint64_t columns);
PPS_MUST_CHECK enum pps_status pps_result_whole(struct pps_result *result,
                                                struct pps_error *err);

// Returns the number of the last row in the file, from 1; rows of skipped blocks count.
uint64_t pps_result_row(const struct pps_result *result);
