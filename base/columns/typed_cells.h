// SPDX-License-Identifier: Apache-2.0
// The typed values of the columns of a block of rows, one column after the other, whatever file
// they are written to. Each belongs to one thread and reuses its memory for the next block.
#pragma once

#include "base/columns/cell_columns.h"
#include "base/columns/cell_kind.h"

// The column of the last pps_typed_cells_next. Its items are the different cells if cells.coded, and
// otherwise all cells that are not empty; item i is the cell of row cells.first[i]. A zeroed struct
// is empty.
struct pps_typed_cells {
    struct pps_cell_columns cells;
    enum pps_cell_kind kind;
    uint32_t n_items;
    uint64_t *values; // of each item (pps_cell_value); not of a text
    size_t room;
};

// Begins with a block of rows, as pps_cell_columns_begin.
PPS_MUST_CHECK enum pps_status pps_typed_cells_begin(struct pps_typed_cells *typed,
                                                     const char *text, size_t n,
                                                     struct pps_error *err);

// Goes to the next column. Returns PPS_E_INPUT, with the column's name and the row, if a cell is not
// of this kind; first_row is the number of the block's first row, from 1.
PPS_MUST_CHECK enum pps_status pps_typed_cells_next(struct pps_typed_cells *typed,
                                                    enum pps_cell_kind kind, const char *name,
                                                    uint64_t first_row, struct pps_error *err);

// Returns the item of a row that is not empty, given the number of rows before it that are not
// empty.
static inline uint32_t pps_typed_cells_item(const struct pps_typed_cells *typed, uint32_t row,
                                            uint32_t before)
{
    return typed->cells.coded ? typed->cells.code[row] : before;
}

// Returns the text of an item, *n bytes long.
static inline const char *pps_typed_cells_text(const struct pps_typed_cells *typed,
                                               uint32_t item, uint32_t *n)
{
    const uint32_t row = typed->cells.first[item];
    *n = typed->cells.end[row] - typed->cells.start[row];
    return typed->cells.text + typed->cells.start[row];
}

// Returns how all cells of the column are spelled.
struct pps_spelling pps_typed_cells_spelling(const struct pps_typed_cells *typed);

// Sets the least and the greatest value of whole numbers or reals. Returns false if there is none.
bool pps_typed_cells_range(const struct pps_typed_cells *typed, uint64_t *least,
                           uint64_t *greatest);

void pps_typed_cells_free(struct pps_typed_cells *typed);
