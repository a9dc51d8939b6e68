// SPDX-License-Identifier: Apache-2.0
// Sorting more rows than memory holds: an external merge sort. Rows that do not fit are written
// in sorted runs to one temporary file that has no name any more, so that it vanishes with the
// process, however that ends.
#ifndef PPS_ROWSORT_H
#define PPS_ROWSORT_H

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

struct pps_rowsort;

// Takes about memory_bytes (at least 64 KiB). Runs go to the folder in TMPDIR, or where that is
// not set to `folder`; nothing is written while everything fits in memory.
PPS_MUST_CHECK enum pps_status pps_rowsort_open(struct pps_rowsort **sort,
                                                size_t memory_bytes,
                                                bool higher,
                                                const char *folder,
                                                struct pps_error *err);
void pps_rowsort_close(struct pps_rowsort *sort); // NULL is fine

// Adds a row; the text is copied.
PPS_MUST_CHECK enum pps_status pps_rowsort_add(struct pps_rowsort *sort,
                                               const struct pps_sort_row *row,
                                               struct pps_error *err);

// After the last add: the next row in order, valid until the next call; row->text is NULL at
// the end.
PPS_MUST_CHECK enum pps_status pps_rowsort_next(struct pps_rowsort *sort,
                                                struct pps_sort_row *row,
                                                struct pps_error *err);

#endif
