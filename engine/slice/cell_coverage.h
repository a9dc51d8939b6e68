// SPDX-License-Identifier: Apache-2.0
// Records which combinations of the other parameters the rows of each cell cover. Two cells of
// a map are comparable if their rows cover the same combinations. Otherwise a mean over two
// groups beside a mean over one of these groups shows the difference of the groups, not of the
// axes.
//
// A parameter with one value in every cell depends on the cell (p = 1 - x - y, or an axis
// paired with x) and is ignored.
#pragma once

#include "engine/read/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_covered {
    int *columns; // parameters that are neither axes nor separate the maps
    int n;
    int split;       // the column whose numbers all count as one value; -1: none
    bool *varies;    // columns[c] varies within a cell
    bool *differs;   // set at the end: cells have values of columns[c] in other proportions
    uint32_t *first; // first[i * n + c]: hash of the value in the first row of cell i
    size_t room;     // room in `first`, in cells
    // for the first cells only: n sums of hashes per cell, then the number of rows
    uint64_t *sums;
    size_t sums_room;
};

// Takes ownership of `columns` (malloc), an array of n column numbers. Returns false if memory
// runs out. After an error there is nothing to close.
bool pps_covered_open(struct pps_covered *covered, int *columns, int n, int split);
void pps_covered_close(struct pps_covered *covered); // a zeroed struct is allowed

// Adds a row to the sum of cell i. `first` is true for the first row of the cell. Returns false
// if memory runs out.
bool pps_covered_add(struct pps_covered *covered, size_t i, bool first,
                     const struct pps_cell *cells, uint64_t *sum);

// Fills `differs`. Call this function after all rows of the n_cells cells were added.
void pps_covered_finish(struct pps_covered *covered, size_t n_cells);

// Returns an id of the combinations that cell i covers, from the cell's sum. Cells that cover
// the same combinations have equal ids; other cells have different ids except with a
// probability of about 2^-40. Call this function after all rows were added.
uint64_t pps_covered_id(const struct pps_covered *covered, size_t i, uint64_t sum);
