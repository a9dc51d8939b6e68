// SPDX-License-Identifier: Apache-2.0
// A table of known rows finds rows of an earlier result by the values of all parameters, so that
// a changed or longer experiment computes only its new points.
//
// Memory: for each row a table of 1.3 to 2.7 slots of 24 bytes, its results as text, and 9
// bytes more. 10^7 rows with one result take about 600 MB.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pps_known_rows; // any number of threads may search it once all rows are added

// One row of the earlier result.
struct pps_reused {
    const char *results; // the cells of the wanted columns, separated by commas, with a newline
    size_t n;
    bool infeasible; // the row's point is infeasible
    // The objective. For an infeasible row, the value of the column that the kernel names
    // `nearest`; NAN if there is none.
    double value;
};

// Makes an empty table, of which about n_rows rows are expected. NULL if memory runs out.
struct pps_known_rows *pps_known_rows_new(int n_params, double n_rows);

// Adds a row: a copy of its results. A row of a known point is ignored. Returns false if memory
// runs out.
bool pps_known_rows_add(struct pps_known_rows *reuse, const double *point,
                        const struct pps_reused *row);
void pps_known_rows_close(struct pps_known_rows *reuse); // NULL is fine

// Finds a point. Returns false if the earlier result does not have the point, or has it without
// any result.
bool pps_known_rows_find(const struct pps_known_rows *reuse, const double *point,
                         struct pps_reused *found);
