// SPDX-License-Identifier: Apache-2.0
// Formats rows as lines of CSV, or as a table with aligned columns for people.
#pragma once

#include "base/text/status.h"
#include "base/text/text_buffer.h"
#include "engine/read/result.h"
#include "engine/read/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Sets row to the line of these cells, without a newline. Cells of a result never contain a
// comma, a quote or a line break. `columns` selects cells by index; NULL selects the first
// n_columns.
PPS_MUST_CHECK enum pps_status pps_row_text_join(struct text_buffer *row,
                                                 const struct pps_cell *cells,
                                                 const int *columns, int n_columns,
                                                 struct pps_error *err);

// Sets row to the line of the names of all columns.
PPS_MUST_CHECK enum pps_status pps_row_text_header(struct text_buffer *row,
                                                   const struct pps_view *view,
                                                   struct pps_error *err);

// Writes n lines (lines[0] is the header) as CSV or, with `table`, as a table: columns are as wide as their
// widest cell, numbers are right-aligned, texts left-aligned, and control characters are replaced by '?'.
PPS_MUST_CHECK enum pps_status pps_row_text_write(FILE *out, const char *const *lines, size_t n,
                                                  bool table, struct pps_error *err);

// Writes a text of such lines, each with a newline; the newlines are overwritten.
PPS_MUST_CHECK enum pps_status pps_row_text_write_text(FILE *out, struct text_buffer *text,
                                                       bool table, struct pps_error *err);
