// SPDX-License-Identifier: Apache-2.0
// The CSV reader reads files that people write: files of points, and the input of `eval`. It
// reads line by line with libcsv and knows the place of every cell.
#pragma once

#include "base/text/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PPS_CSV_COLUMNS = 256, PPS_CSV_LINE = 1 << 20 };

struct pps_csv;

struct pps_csv_row {
    int n;
    const char *text[PPS_CSV_COLUMNS]; // unquoted, ended by NUL
    size_t length[PPS_CSV_COLUMNS];
    // The cells as written in the line, including surrounding blanks, not ended by NUL. In a
    // line with quotes they equal `text`.
    const char *raw[PPS_CSV_COLUMNS];
    size_t raw_length[PPS_CSV_COLUMNS];
};

// Opens a file, or stdin if path is "-". A byte-order mark is skipped. CRLF and empty lines are
// allowed. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_csv_open(struct pps_csv **csv, const char *path,
                                            struct pps_error *err);
void pps_csv_close(struct pps_csv *csv); // NULL is allowed

// Makes pps_csv_next return PPS_E_STOPPED soon after the flag is set while it waits for input.
void pps_csv_stop(struct pps_csv *csv, const atomic_bool *stop);

// Returns the fraction of the file's bytes that have been read, or NAN if its size is unknown.
double pps_csv_part(const struct pps_csv *csv);

// Returns the next row, valid until the next call; *row is NULL at the end. Returns PPS_E_INPUT
// for broken quotes, NUL bytes, more than PPS_CSV_COLUMNS cells, or a line longer than
// PPS_CSV_LINE bytes. Returns PPS_E_STOPPED if the stop flag or a signal ended the wait for input.
PPS_MUST_CHECK enum pps_status pps_csv_next(struct pps_csv *csv, const struct pps_csv_row **row,
                                            struct pps_error *err);

// Discards the row that pps_csv_next refused with PPS_E_INPUT, so that the next row can be
// read. Returns false if the input cannot be read further.
bool pps_csv_skip(struct pps_csv *csv);

// Returns true if a cell of the row equals this text.
bool pps_csv_has(const struct pps_csv_row *row, const char *text);

// Returns true if a whole line is in memory, so that pps_csv_next does not wait for input.
bool pps_csv_ready(const struct pps_csv *csv);

// Returns the XXH64 of the bytes read so far.
uint64_t pps_csv_digest(const struct pps_csv *csv);

// Fills err with the place of a cell of the current row (column -1: the row) and the message.
// Returns PPS_E_INPUT.
enum pps_status pps_csv_fail(const struct pps_csv *csv, int column, struct pps_error *err,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));
