// SPDX-License-Identifier: Apache-2.0
// Writes Arrow IPC files ("Feather 2"): the start, record batches and the end. Columns are int64,
// float64, bool and utf8, not compressed, so readers map them into memory; an empty cell is null.
// Source: "Arrow columnar format" and "IPC file format" of Apache Arrow 1.0 and later (metadata
// version 5).
#pragma once

#include "base/columns/schema.h"
#include "base/text/text_buffer.h"

#include <stdint.h>

struct pps_arrow; // one per file

// Opens a writer. `metadata` (UTF-8) is stored under the key "ppsweep" of the schema; "": none. The
// schema must outlive the writer. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_arrow_open(struct pps_arrow **arrow,
                                              const struct pps_schema *schema,
                                              const char *metadata, struct pps_error *err);
void pps_arrow_close(struct pps_arrow *arrow); // NULL is fine

// Append the start of the file, a batch of n > 0 bytes of lines (less than 2 GiB), and the end, in
// this order. PPS_E_INPUT if a cell is not of its column's kind; first_row is the number of the
// first row, for messages.
PPS_MUST_CHECK enum pps_status pps_arrow_start(struct pps_arrow *arrow, struct text_buffer *out,
                                               struct pps_error *err);
PPS_MUST_CHECK enum pps_status pps_arrow_batch(struct pps_arrow *arrow, const char *text,
                                               size_t n, uint64_t first_row,
                                               struct text_buffer *out, struct pps_error *err);
PPS_MUST_CHECK enum pps_status pps_arrow_end(struct pps_arrow *arrow, struct text_buffer *out,
                                             struct pps_error *err);
