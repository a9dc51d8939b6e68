// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a page: all rows of a result that pass the filters, or, if these are too many,
// the best row of every combination of some parameters.
#pragma once

#include "base/text/status.h"
#include "engine/read/grouping.h"
#include "engine/read/view.h"
#include "engine/report/column.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_page_rows_ask {
    struct pps_view_ask view;
    const char *objective; // ranks rows; NULL: as pps_view_objective
    enum pps_goal goal;    // PPS_NEUTRAL: the column's own, or lower where it has none
    size_t most;           // rows that a page holds
};

struct pps_page_rows {
    struct pps_view view;
    struct pps_grouping work;        // parameters that change the amount of work
    int objective;                   // column
    bool higher;                     // is better
    struct pps_page_column *columns; // view.n_columns
    uint64_t *at;                    // number of each row in the file, from 1
    size_t at_room;
    size_t n;       // rows
    uint64_t total; // rows that pass the filters
    int *over; // n_over columns whose values a row is the best of; empty: all rows are here
    int n_over;
    // Of every row, if n_over > 0: how many rows with a value it stands for, and the sum of their
    // objectives. NULL otherwise.
    double *stands_for, *sum;
    size_t stands_for_room, sum_room;
};

// Returns whether a column is a parameter. Where no kernel is known, these are all columns but the
// objective and those whose numbers hardly repeat.
bool pps_page_rows_is_param(const struct pps_page_rows *rows, int column);

// PPS_E_INPUT for a result that cannot be read, without rows, or whose best rows are still too many.
// After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_page_rows_open(struct pps_page_rows *rows,
                                                  const struct pps_page_rows_ask *ask,
                                                  struct pps_error *err);
void pps_page_rows_close(struct pps_page_rows *rows); // a zeroed one is fine

// Returns whether row i is better than row j by the objective. A row without a value is not.
bool pps_page_rows_better(const struct pps_page_rows *rows, size_t i, size_t j);
