// SPDX-License-Identifier: Apache-2.0
// What the two halves of pps_rowsort share: row_sort.c takes rows and writes sorted runs of them,
// row_merge.c merges the runs. Private to these.
#ifndef PPS_ROWSORTPARTS_H
#define PPS_ROWSORTPARTS_H

#include "engine/read/row_sort.h"

#include <sys/types.h>

// A row in memory, and before its text in the file.
struct pps_sort_entry {
    double value;
    uint64_t index;
    size_t at; // of the text in the buffer
    size_t n;
};

// A sorted run in the file and the window of it that is in memory. The window always holds the
// run's first row whole.
struct pps_sort_run {
    off_t at, end; // what is still in the file
    char *window;
    size_t begin, filled, room; // the window's rows
    struct pps_sort_entry head;
};

struct pps_rowsort {
    size_t memory_bytes;
    bool higher;
    bool merging;
    const char *folder;

    char *text; // rows in memory
    size_t text_bytes, text_room;
    struct pps_sort_entry *entries;
    size_t n_entries, entries_room, next;

    int fd; // of the runs; -1: there is none
    off_t file_bytes;
    struct pps_sort_run *runs;
    size_t n_runs, runs_room;
    size_t *heap; // indices of runs, the one with the first row on top
    size_t n_heap;
};

// Does a stand before b? Rows without a value stand last.
bool pps_sort_before(const struct pps_sort_entry *a,
                     const struct pps_sort_entry *b,
                     bool higher);

// The rows in memory become a run in the file.
PPS_MUST_CHECK enum pps_status pps_rowsort_spill(struct pps_rowsort *sort,
                                                 struct pps_error *err);

// The next row of all runs; the first call begins to merge.
PPS_MUST_CHECK enum pps_status pps_rowsort_next_merged(struct pps_rowsort *sort,
                                                       struct pps_sort_row *row,
                                                       struct pps_error *err);

#endif
