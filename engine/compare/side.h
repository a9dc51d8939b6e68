// SPDX-License-Identifier: Apache-2.0
// A side is one of the two results of a comparison, held in memory: the key columns of every row
// as 64 bits each, and the compared values as numbers.
#pragma once

#include "base/text/string_pool.h"
#include "engine/read/view.h"

#include <stddef.h>
#include <stdint.h>

struct pps_compare_column {
    int column; // of the view
    bool real;  // its numbers are written with a decimal: "1.0"
};

struct pps_compare_side {
    struct pps_view view;
    int n_keys, n_values;
    const struct pps_compare_column *keys;   // n_keys; they belong to the caller
    const struct pps_compare_column *values; // n_values
    size_t rows, room;
    uint64_t *cells; // rows x n_keys: the bits of a number, or a NaN with the number of a text
    double *numbers; // rows x n_values; NAN: the row has no result
    uint64_t *at;    // number of each row in the file, from 1
};

// Reads all rows of an open view. Both sides share `texts`, so that equal cells have equal bits;
// numbers that are written differently ("0.5", "0.50") are equal. Returns PPS_E_INPUT
// for a file that cannot be read, PPS_E_STOPPED after a stop. pps_compare_side_close in every case.
PPS_MUST_CHECK enum pps_status pps_compare_side_read(struct pps_compare_side *side,
                                                     struct pps_string_pool *texts,
                                                     struct pps_error *err);

// Writes a cell of a key column to out (at least PPS_DECIMAL_CAP bytes), unless it is a text, and
// returns the cell.
struct pps_cell pps_compare_cell(uint64_t bits, bool real, const struct pps_string_pool *texts,
                                 char *out);
void pps_compare_side_close(struct pps_compare_side *side); // a zeroed one is fine
