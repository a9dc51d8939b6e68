// SPDX-License-Identifier: Apache-2.0
// Tables of numbers that people hand in: CSV text whose first line names the columns, or its JSON
// twin, an array of objects with the same keys. Columns come in any order; those that nobody asks
// for are ignored, whatever they hold.
#ifndef PPS_TABLE_H
#define PPS_TABLE_H

#include "docfault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TABLE_COLUMNS = 256,   // at most
    TABLE_LINE = 1 << 20,  // bytes of a line of CSV, at most
    TABLE_ROWS = 10000000, // at most
};

struct table;

// What is wrong, and where.
struct table_fault {
    struct docfault document; // its text; of JSON also the value at fault
    int64_t line;             // of CSV text, from 1; 0: the text as a whole, or JSON
    int64_t column;           // byte of that line, from 1; 0: the line as a whole
};

// Reads CSV text: comma separated, quotes around a cell that holds commas, CRLF or LF. A byte-order
// mark, empty lines and lines that begin with '#' are skipped. The text is not needed afterwards.
// false: fault says what is wrong, *table is NULL.
bool table_read_csv(struct table **table,
                    const char *text,
                    size_t n,
                    struct table_fault *fault);

struct cJSON;

// Reads an array of objects. A key that is missing or null is an empty cell. The document must
// outlive the table.
bool table_read_json(struct table **table,
                     const struct cJSON *document,
                     struct table_fault *fault);

void table_free(struct table *table); // NULL is fine

int64_t table_rows(const struct table *table);

// A column that a reader wants, all of numbers.
struct table_field {
    const char *name;
    const char *alias; // another name of the column; NULL: none
    bool required;     // the column must be there, and no cell of it empty
    bool whole;        // whole numbers only
    double min, max;   // limits, themselves allowed
};

// Finds n fields among the columns; columns[i] is -1 where one that is not required is missing.
// false: a required column is missing, or one that is wanted stands there twice.
bool table_bind(const struct table *table,
                const struct table_field *fields,
                int n,
                int *columns,
                struct table_fault *fault);

// The numbers of a row, NAN where a cell is empty or its column missing. false: a cell is not what
// its field wants.
bool table_row(const struct table *table,
               int64_t row,
               const struct table_field *fields,
               int n,
               const int *columns,
               double *values,
               struct table_fault *fault);

// A fault of a row that its reader found. column: of the table, or -1 for the row. Returns false.
bool table_fail(const struct table *table,
                int64_t row,
                int column,
                struct table_fault *fault,
                const char *format,
                ...) __attribute__((format(printf, 5, 6)));

// Line (CSV) or number (JSON, from 1) of a row, for messages.
int64_t table_line(const struct table *table, int64_t row);

#endif
