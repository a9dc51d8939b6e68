// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a result as lines of typed columns: every column has cells of one kind. A
// parameter that accepts numbers and names becomes two columns, X for numbers and X_tier for names.
#pragma once

#include "base/columns/schema.h"
#include "base/text/text_buffer.h"
#include "engine/read/view.h"

struct pps_typed_rows {
    struct pps_view view;
    struct pps_schema schema;
    int *from;       // the column of the view that each column of the schema comes from
    uint8_t *cells;  // which cells of that column: enum pps_typed_part
    uint64_t n_rows; // read so far
};

// Opens a result. `columns` selects columns by their names, separated by commas; NULL: all. The
// kinds come from the kernel. Where it does not know a column, the cells of the whole result decide,
// and the result is read twice; PPS_E_INPUT then for "-". After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_typed_rows_open(struct pps_typed_rows *rows,
                                                   const struct pps_view_ask *ask,
                                                   const char *columns, struct pps_error *err);
void pps_typed_rows_close(struct pps_typed_rows *rows); // a zeroed struct is fine

// Sets block to the lines of the next rows, at most most_rows of them and about most_bytes bytes of
// text; to "" at the end.
PPS_MUST_CHECK enum pps_status pps_typed_rows_next(struct pps_typed_rows *rows,
                                                   uint64_t most_rows, size_t most_bytes,
                                                   struct text_buffer *block,
                                                   struct pps_error *err);
