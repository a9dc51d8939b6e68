// SPDX-License-Identifier: Apache-2.0
// The parts of the result reader share this state: result.c reads lines, result_cells.c splits them
// into cells.
#ifndef PPS_ENGINE_READ_RESULT_PRIVATE_H
#define PPS_ENGINE_READ_RESULT_PRIVATE_H

#include "base/system/read_ahead.h"
#include "engine/read/needed_blocks.h"
#include "engine/read/result.h"

struct pps_result {
    struct pps_text_source *source;   // NULL: ahead or blocks replace it
    struct pps_read_ahead *ahead;     // or NULL
    struct pps_needed_blocks *blocks; // or NULL
    struct pps_read_watch watch;
    char *name;    // for errors
    bool may_stop; // the file is a .part
    bool at_end;   // the source has ended
    char *window;
    size_t begin, end; // unread text in the window
    uint64_t line;     // number of the last line, from 1
    char *header;      // the header line, split at its commas
    const char **names;
    struct pps_cell *cells;
    int n_columns; // cells per line
    int n_joined;
    struct pps_result_pair *joined; // n_joined of at most n_columns, in the order of the joins
    struct pps_result_derived derived[PPS_DERIVED_COLUMNS]; // columns behind those of the file
    char derived_text[PPS_DERIVED_COLUMNS][PPS_DERIVED_CELL];
    int n_derived;
};

struct pps_result_pair {
    int column, other; // indices at the time of the join
};

// Fails at the last line.
enum pps_status pps_result_fail_line(const struct pps_result *result,
                                     struct pps_error *err,
                                     const char *text);

// Splits a line into result->cells, and joins columns.
PPS_MUST_CHECK enum pps_status pps_result_cut_line(struct pps_result *result,
                                                   struct pps_cell line,
                                                   struct pps_error *err);

// Writes the derived cells behind the others.
void pps_result_derive_cells(struct pps_result *result);

// Copies the cells of the header line into names that end with NUL.
PPS_MUST_CHECK enum pps_status pps_result_keep_names(struct pps_result *result,
                                                     struct pps_cell line,
                                                     struct pps_error *err);

#endif
