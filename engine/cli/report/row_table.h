// SPDX-License-Identifier: Apache-2.0
// Prints rows as a table with aligned columns, with as many columns as fit on a line.
#ifndef PPS_ENGINE_CLI_REPORT_ROW_TABLE_H
#define PPS_ENGINE_CLI_REPORT_ROW_TABLE_H

#include "engine/best/best.h"
#include "engine/experiment/experiment.h"

#include <stddef.h>

struct pps_row_table {
    int params; // the first columns, which are parameters; values have blanks between groups of three digits
    int n; // columns
    int width[PPS_MAX_PARAMS + PPS_MAX_COLUMNS];
};

// Returns the widths of all columns of n rows and their header.
struct pps_row_table pps_rowtable(const char *header,
                                  int params,
                                  const struct pps_best_row *rows,
                                  size_t n);

// Returns how many columns fit on a line; at least those up to the named column.
int pps_rowtable_columns(const struct pps_row_table *table,
                         const char *header,
                         const char *name);

// Prints the first cells of the header or of a row as one line on stderr.
void pps_rowtable_line(const struct pps_row_table *table, const char *row, int columns);

#endif
