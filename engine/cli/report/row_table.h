// SPDX-License-Identifier: Apache-2.0
// Prints rows as a table with aligned columns, with as many columns as fit on a line.
#ifndef PPS_ENGINE_CLI_REPORT_ROW_TABLE_H
#define PPS_ENGINE_CLI_REPORT_ROW_TABLE_H

#include "engine/best/best.h"

#include <stddef.h>

// Writes the width of every column of n rows and the header to `width`, which has room for all
// columns. Returns the number of columns.
int pps_rowtable_widths(const struct pps_best_row *rows,
                        size_t n,
                        const char *header,
                        int *width);

// Returns how many of n columns fit on a line; at least the columns up to the named column.
int pps_rowtable_columns(const char *header, const int *width, int n, const char *name);

// Prints the first n cells of the header or of the text of a row as one line on stderr.
void pps_rowtable_line(const char *text, const int *width, int n);

#endif
