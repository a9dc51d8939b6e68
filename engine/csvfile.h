// SPDX-License-Identifier: Apache-2.0
// CSV that people write: files of points, and the input of `eval`. Read line by line with
// libcsv, so that every cell has a place.
#ifndef PPS_CSVFILE_H
#define PPS_CSVFILE_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PPS_CSV_COLUMNS = 256, PPS_CSV_LINE = 1 << 20 };

struct pps_csv;

struct pps_csv_row {
    int n;
    const char *text[PPS_CSV_COLUMNS]; // unquoted, ended with NUL
    size_t length[PPS_CSV_COLUMNS];
    // The cells as the line has them, blanks around them included, not ended with NUL. Of a line
    // with quotes the same as `text`.
    const char *raw[PPS_CSV_COLUMNS];
    size_t raw_length[PPS_CSV_COLUMNS];
};

// Opens a file, or stdin for "-". A byte-order mark is skipped, CRLF and empty lines are fine.
PPS_MUST_CHECK enum pps_status pps_csv_open(struct pps_csv **csv,
                                            const char *path,
                                            struct pps_error *err);
void pps_csv_close(struct pps_csv *csv); // NULL is fine

// The next row, valid until the next call; NULL at the end. Broken quotes, NUL bytes, more than
// PPS_CSV_COLUMNS cells or a line beyond PPS_CSV_LINE bytes are PPS_E_INPUT. PPS_E_STOPPED where
// a signal ended the wait for input.
PPS_MUST_CHECK enum pps_status pps_csv_next(struct pps_csv *csv,
                                            const struct pps_csv_row **row,
                                            struct pps_error *err);

// After PPS_E_INPUT of pps_csv_next: forgets the row that is no CSV, so that the next one can be
// read. False: the input itself cannot be read on.
bool pps_csv_skip(struct pps_csv *csv);

// Whether a cell of the row is this text.
bool pps_csv_has(const struct pps_csv_row *row, const char *text);

// A whole line is already in memory: pps_csv_next will not wait for input.
bool pps_csv_ready(const struct pps_csv *csv);

// XXH64 of the bytes read so far.
uint64_t pps_csv_digest(const struct pps_csv *csv);

// PPS_E_INPUT at a cell of the current row (column -1: the row).
enum pps_status pps_csv_fail(const struct pps_csv *csv,
                             int column,
                             struct pps_error *err,
                             const char *format,
                             ...) __attribute__((format(printf, 4, 5)));

#endif
