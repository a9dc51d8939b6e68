// SPDX-License-Identifier: Apache-2.0
// Reading a result file again: its rows in order, split into cells, and its manifest. Streams;
// memory does not grow with the file.
#ifndef PPS_RESULT_H
#define PPS_RESULT_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct pps_result;

struct pps_cell {
    const char *text; // not ended with NUL
    size_t n;
};

// Opens NAME.csv.gz, NAME.csv or a .part of either (whole blocks are read), or "-" for plain or
// gzip text on stdin; which of the two is seen from the first bytes. Several gzip members are
// read one after the other. A byte-order mark is skipped, CRLF is fine. Reads the header line.
// PPS_E_INPUT with what is wrong when it is none; PPS_E_MACHINE when reading fails. Free of
// shared state: each thread may have readers of its own.
PPS_MUST_CHECK enum pps_status pps_result_open(struct pps_result **result,
                                               const char *path,
                                               struct pps_error *err);
void pps_result_close(struct pps_result *result); // NULL is fine

int pps_result_columns(const struct pps_result *result);
const char *pps_result_column_name(const struct pps_result *result, int column);

// Index of the column of this name; -1 where there is none.
int pps_result_find(const struct pps_result *result, const char *name);

// From now on `column` holds the cells of `other` where its own are empty, and `other`, which is
// another column, is none: columns behind it move up by one. A row in which both have a cell is
// PPS_E_INPUT.
void pps_result_join(struct pps_result *result, int column, int other);

// The next row: *cells points to one cell a column, valid until the next call; NULL at the end.
// A row with another number of cells, a NUL byte or text beyond 1 MiB is PPS_E_INPUT with its
// line. Quotes around a cell are taken off; commas, quotes and newlines within are not for
// result files and refused. A truncated file (a gzip file without its end, a last line without
// its newline) is PPS_E_INPUT after its last whole row; for a .part that is its end. After a
// fault only pps_result_close may follow.
PPS_MUST_CHECK enum pps_status pps_result_next(struct pps_result *result,
                                               const struct pps_cell **cells,
                                               struct pps_error *err);

// Number of data rows read so far.
uint64_t pps_result_row(const struct pps_result *result);

// Parses NAME.json beside the result into *manifest (the caller deletes it); *manifest is NULL
// where there is no such file, which is no error, for "-" and for a .part, which has none yet.
PPS_MUST_CHECK enum pps_status pps_result_manifest(const char *path,
                                                   struct cJSON **manifest,
                                                   struct pps_error *err);

// The same of path with this ending (".json.part": what an interrupted run was).
PPS_MUST_CHECK enum pps_status pps_result_manifest_of(const char *path,
                                                      const char *ending,
                                                      struct cJSON **manifest,
                                                      struct pps_error *err);

// Reads a finite number, or false. The cell must be nothing but the number.
int pps_cell_number(struct pps_cell cell, double *value);

#endif
