// SPDX-License-Identifier: Apache-2.0
// Collects the rows of an exported program and writes them as a file. MPS stores columns, but a
// program is built in rows; this module transposes them.
#pragma once

#include "base/text/text_buffer.h"
#include "planner/exchange/mps_variables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nd_mps_row {
    int32_t group; // names of rows are that of their group and a number
    int32_t number;
    char sense; // 'N' the objective, 'L' <=, 'G' >=, 'E' =
    double right;
};

struct nd_mps_number {
    int32_t row, column;
    double value;
};

enum { ND_MPS_GROUPS = 32 };

struct nd_mps_rows {
    const char *const *groups;       // their names
    int32_t of_group[ND_MPS_GROUPS]; // rows of each so far
    struct nd_mps_row *rows;
    int64_t n_rows;
    size_t cap_rows;
    struct nd_mps_number *numbers;
    int64_t n_numbers;
    size_t cap_numbers;
    bool failed; // no memory, or too many numbers
};

// All zero, but for the names of groups, has no rows. A row goes on until the next begins.
void nd_mps_begin(struct nd_mps_rows *rows, int group, char sense, double right);
// Adds up numbers of one variable in one row. Skips 0.
void nd_mps_put(struct nd_mps_rows *rows, int32_t variable, double value);
void nd_mps_rows_free(struct nd_mps_rows *rows);

// ROWS, COLUMNS and RHS. false: no memory.
bool nd_mps_rows_write(struct text_buffer *text, struct nd_mps_rows *rows,
                       const struct nd_mps_layout *layout);
