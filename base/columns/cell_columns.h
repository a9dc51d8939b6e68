// SPDX-License-Identifier: Apache-2.0
// Walks the columns of a block of rows, one column after the other: the cells of all rows, and
// codes of equal cells. Rows are lines of plain cells, separated by commas; quotes are part of a
// cell. Each walk belongs to one thread and reuses its memory for the next block.
#pragma once

#include "base/text/hash_slots.h"
#include "base/text/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPS_NO_CODE UINT32_MAX // of an empty cell

// The column of the last pps_cell_columns_next. A zeroed walk is empty.
struct pps_cell_columns {
    const char *text; // the rows
    uint32_t n_rows;
    uint32_t *start, *end; // of each row's cell, in bytes of the text
    uint32_t n_empty;
    // Equal cells have equal codes, numbered in order of first appearance. If few cells are equal,
    // or the caller set never_coded, there are no codes.
    bool never_coded;
    bool coded;
    uint32_t *code;
    uint32_t n_codes;
    uint32_t *first; // the first row with each code

    size_t room; // rows that the arrays have room for
    struct pps_hash_slots slots;
};

// Begins with n < 2^32 bytes of whole lines, which must stay valid. Returns PPS_E_MACHINE if memory
// runs out.
PPS_MUST_CHECK enum pps_status pps_cell_columns_begin(struct pps_cell_columns *columns,
                                                      const char *text, size_t n,
                                                      struct pps_error *err);

// Goes to the first column, or to the next one. A row without another cell has an empty one.
PPS_MUST_CHECK enum pps_status pps_cell_columns_next(struct pps_cell_columns *columns,
                                                     struct pps_error *err);

void pps_cell_columns_free(struct pps_cell_columns *columns);
