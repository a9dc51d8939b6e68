// SPDX-License-Identifier: Apache-2.0
// A cell is a piece of a line of CSV that this program wrote: without quotes, commas or line
// breaks. Lines are split at their commas; nothing is copied. CSV files of people are read by
// csv.h. Thread-safe.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pps_cell {
    const char *text; // not ended with NUL
    size_t n;
};

// Sets *cell to the first cell of the text before `end` and returns the text behind its comma;
// NULL at the end of the line.
const char *pps_cell_next(const char *line, const char *end, struct pps_cell *cell);

// Returns cell k of the line; an empty cell if the line has fewer.
struct pps_cell pps_cell_at(const char *line, const char *end, int k);

// Splits the n bytes of a line into n_cells cells; missing cells are empty. Returns the number of
// cells of the line, or n_cells + 1 if there are more than n_cells.
int pps_cells_split(const char *line, size_t n, struct pps_cell *cells, int n_cells);

// Reads a finite number into *value. Returns false if the cell holds anything else; *value is
// unchanged then.
bool pps_cell_number(struct pps_cell cell, double *value);
