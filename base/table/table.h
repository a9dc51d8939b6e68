// SPDX-License-Identifier: Apache-2.0
// Reads tables of numbers from users: CSV text whose first line names the columns, or a JSON array of
// objects with the same keys. Columns may be in any order; a column that no reader asks for is
// ignored and may hold anything.
#pragma once

#include "base/document/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TABLE_COLUMNS = 256,   // at most
    TABLE_LINE = 1 << 20,  // bytes of a line of CSV, at most
    TABLE_ROWS = 10000000, // at most
};

struct table;

// Reads CSV text: comma separated, quotes around a cell that holds commas, CRLF or LF. A byte-order
// mark, empty lines and lines that begin with '#' are skipped. The text is copied.
// false: fault describes the error, *table is NULL.
bool table_read_csv(struct table **table, const char *text, size_t n, struct pps_fault *fault);

struct cJSON;

// Reads an array of objects. A missing key or null is an empty cell. The document must outlive the
// table.
bool table_read_json(struct table **table, const struct cJSON *document,
                     struct pps_fault *fault);

void table_free(struct table *table); // NULL is allowed

int64_t table_rows(const struct table *table);

// A column of numbers that a reader asks for.
struct table_field {
    const char *name;
    const char *alias; // another name of the column; NULL: none
    bool required;     // the column must exist and have no empty cell
    bool whole;        // whole numbers only
    double min, max;   // limits, inclusive
};

// Finds n fields among the columns; columns[i] is -1 for a missing optional column.
// false: a required column is missing, or a column appears twice.
bool table_bind(const struct table *table, const struct table_field *fields, int n,
                int *columns, struct pps_fault *fault);

// Reads the numbers of a row; NAN for an empty cell or a missing column. false: a cell does not match
// its field.
bool table_row(const struct table *table, int64_t row, const struct table_field *fields, int n,
               const int *columns, double *values, struct pps_fault *fault);

// Fills a fault that the reader of a row found. column: of the table, or -1 for the row. Returns
// false.
bool table_fail(const struct table *table, int64_t row, int column, struct pps_fault *fault,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

// Returns the line (CSV) or number (JSON, from 1) of a row, for messages.
int64_t table_line(const struct table *table, int64_t row);
