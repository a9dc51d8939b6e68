// SPDX-License-Identifier: Apache-2.0
// The names and kinds of the columns of a table.
#pragma once

#include "base/columns/cell_kind.h"
#include "base/text/status.h"

#include <stddef.h>

enum { PPS_SCHEMA_COLUMNS = 4096 };

struct pps_schema {
    int n;
    enum pps_cell_kind *kinds;
    const char **names;
    char *line; // the names as a line of CSV, line_bytes long with its newline
    size_t line_bytes;
    char *split; // the same line, split
};

// Sets the names from a line of n bytes that ends with a newline; all kinds are
// PPS_CELLS_TEXT. Returns PPS_E_INPUT for a line without names, with an empty name or with more than
// PPS_SCHEMA_COLUMNS names. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status pps_schema_open(struct pps_schema *schema, const char *line,
                                               size_t n, struct pps_error *err);
void pps_schema_free(struct pps_schema *schema); // a zeroed schema is fine
