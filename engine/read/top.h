// SPDX-License-Identifier: Apache-2.0
// Finds the best rows of a result by one of its columns: overall, of every group, or all rows
// sorted. Rows without a value of the column (of failed points) and rows of infeasible points
// are never among the best; in a sort of all rows they come last.
#pragma once

#include "base/text/status.h"
#include "engine/read/view.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Bytes that a sort may hold in memory before it writes to disk.
#define PPS_TOP_MEMORY ((size_t)256 << 20)

// A run with --only-top counts equal rows without keeping them. Where `by` or filters split a set
// of these rows, the count of each part is unknown: pps_top skips the set, and the counts of equal
// rows are lower bounds.
struct pps_top_ask {
    struct pps_view_ask view;
    const char *objective; // a column; NULL: the kernel's first
    enum pps_goal goal;    // PPS_NEUTRAL: the column's own, or lower where it has none
    const char
        *by;    // columns with commas between: the best of every group; PPS_BY_NONE: of all;
                // NULL: of every group of rows that do the same amount of work
    uint64_t k; // how many, of every group
    bool ties;  // and all rows equal to the last of them
    bool all;   // every row, sorted; k and by do not count
    size_t memory_bytes; // of the sort
    const char *folder;  // for its temporary file, where TMPDIR is not set
    FILE *out;
    bool table; // aligned columns instead of CSV; not with `all`
    FILE *talk; // gets the groups, and the number of rows equal to the best; or NULL
};

struct pps_top_count {
    uint64_t rows;    // read, and passed the filters
    uint64_t valued;  // of these rows, rows with a value of the objective
    uint64_t written; // lines after the header
    char objective[128];
    bool higher;
};

// Reads the result and writes its best rows to ask->out under its header. Rows of equal value
// keep the order of the file. Equal rows that are not written are counted, including the rows that
// a run with --only-top counted. The owner of `out` checks for writing errors.
PPS_MUST_CHECK enum pps_status pps_top(const struct pps_top_ask *ask,
                                       struct pps_top_count *count, struct pps_error *err);
