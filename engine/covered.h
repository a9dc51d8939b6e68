// SPDX-License-Identifier: Apache-2.0
// Combinations of the other parameters that the rows of each cell cover. Two cells of a map are
// comparable where their rows cover the same combinations: a mean over two groups beside a mean
// over one of them shows the groups, not the axes.
//
// A parameter that has one value within every cell depends on the cell (p = 1 - x - y, or an axis
// zipped with x); it does not count.
#ifndef PPS_COVERED_H
#define PPS_COVERED_H

#include "result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pps_covered {
    int *columns; // parameters that are neither axes nor tell maps apart
    int n;
    int split;       // of those, one whose numbers all count as one value; -1: none
    bool *varies;    // does columns[c] vary within a cell?
    bool *differs;   // after the end: do cells have values of columns[c] in other proportions?
    uint32_t *first; // first[i * n + c]: hash of the value in the first row of cell i
    size_t room;     // of `first`, in cells
    uint64_t *sums;  // likewise, of the first cells only: sums of hashes, then the rows
    size_t sums_room;
};

// Takes `columns` (malloc) of n numbers. False: no memory. pps_covered_close in every case.
bool pps_covered_open(struct pps_covered *covered, int *columns, int n, int split);
void pps_covered_close(struct pps_covered *covered); // a zeroed one is fine

// Adds a row to the sum of cell i; `first`: it is the cell's first. False: no memory.
bool pps_covered_add(struct pps_covered *covered,
                     size_t i,
                     bool first,
                     const struct pps_cell *cells,
                     uint64_t *sum);

// Fills `differs`, having added all rows, n_cells cells.
void pps_covered_finish(struct pps_covered *covered, size_t n_cells);

// The same number for cells that cover the same combinations, another one otherwise (but for a
// chance of 2^-40 or so), of the sum of cell i. Only after all rows were added.
uint64_t pps_covered_id(const struct pps_covered *covered, size_t i, uint64_t sum);

#endif
