// SPDX-License-Identifier: Apache-2.0
// Declares the internals of a row sort: sorted_runs.c sorts rows and writes runs, row_merge.c
// merges the runs, row_sort.c uses both.
#ifndef PPS_ENGINE_SORT_ROW_SORT_PRIVATE_H
#define PPS_ENGINE_SORT_ROW_SORT_PRIVATE_H

#include "engine/sort/row_sort.h"

#include <sys/types.h>

// A row in memory, and before its text in the file.
struct pps_sort_entry {
    double value;
    uint64_t index;
    size_t at; // of the text in the buffer
    size_t n;
};

// A sorted run in the file, and its window in memory. The window always holds the first remaining
// row completely.
struct pps_sort_run {
    off_t at, end; // what is still in the file
    char *window;
    size_t begin, filled, room; // the window's rows
    struct pps_sort_entry head;
};

struct pps_row_sort {
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

// Returns whether a comes before b. Rows without a value come last.
bool pps_sort_before(const struct pps_sort_entry *a,
                     const struct pps_sort_entry *b,
                     bool higher);

// Sorts the rows in memory.
void pps_row_sort_sort(struct pps_row_sort *sort);

// Writes the rows in memory as a run to the file.
PPS_MUST_CHECK enum pps_status pps_row_sort_spill(struct pps_row_sort *sort,
                                                  struct pps_error *err);

// The next row of all runs; the first call begins to merge.
PPS_MUST_CHECK enum pps_status pps_row_sort_next_merged(struct pps_row_sort *sort,
                                                        struct pps_sort_row *row,
                                                        struct pps_error *err);

#endif
