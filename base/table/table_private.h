// SPDX-License-Identifier: Apache-2.0
// The storage of a table holds names, cells and rows. Private to table.c, table_csv.c, table_json.c.
#pragma once

#include "base/table/table.h"

struct table_name {
    const char *text; // need not end with NUL
    size_t n;
};

struct table_cell {
    const char *text;         // CSV: without the quotes around it; need not end with NUL
    const struct cJSON *item; // JSON; NULL: the key is missing
    uint32_t n;               // bytes of text
    uint32_t place;           // byte of the line, from 1
};

struct table {
    char *text;                 // CSV: our copy; NULL: JSON
    const struct cJSON **items; // JSON: of each row
    int64_t *lines;             // CSV: of each row
    int64_t header_line;        // 0: JSON
    int n_columns;
    struct table_name names[TABLE_COLUMNS];
    int64_t n_rows, cap_rows;
    struct table_cell *cells; // n_rows x n_columns
};
