// SPDX-License-Identifier: Apache-2.0
// Sorts more rows than memory holds, by an external merge sort. Rows that do not fit in memory
// are written in sorted runs to one temporary file. The file has no name any more, so it
// disappears with the process in every case.
#pragma once

#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_sort_row {
    double value;   // NAN: sorts behind all others
    uint64_t index; // rows of equal value keep the order of their indices, which differ
    const char *text;
    size_t n;
};

struct pps_row_sort;

// Takes about memory_bytes (at least 64 KiB). Runs go to the folder in TMPDIR, or where that is
// not set to `folder`; nothing is written while everything fits in memory. After an error
// there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_row_sort_open(struct pps_row_sort **sort,
                                                 size_t memory_bytes, bool higher,
                                                 const char *folder, struct pps_error *err);
void pps_row_sort_close(struct pps_row_sort *sort); // NULL is fine

// Adds a row; the text is copied.
PPS_MUST_CHECK enum pps_status pps_row_sort_add(struct pps_row_sort *sort,
                                                const struct pps_sort_row *row,
                                                struct pps_error *err);

// After the last add: the next row in order, valid until the next call; row->text is NULL at
// the end.
PPS_MUST_CHECK enum pps_status pps_row_sort_next(struct pps_row_sort *sort,
                                                 struct pps_sort_row *row,
                                                 struct pps_error *err);
