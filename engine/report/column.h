// SPDX-License-Identifier: Apache-2.0
// A column of a page holds the cells of one column of a result: texts as codes of labels, numbers
// as doubles. It is written in the smallest form that keeps every cell exactly.
#pragma once

#include "base/table/cell.h"
#include "base/text/status.h"
#include "base/text/string_pool.h"
#include "base/text/text_buffer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- pack ---------------------------------------------------------------------------------------

// Compresses n bytes to one gzip member and writes it as base64 without line breaks. The owner of
// `out` checks for writing errors. PPS_E_MACHINE: out of memory; PPS_E_STOPPED after a stop (NULL:
// never).
PPS_MUST_CHECK enum pps_status pps_pack_write(const char *bytes, size_t n,
                                              const atomic_bool *stop, FILE *out,
                                              struct pps_error *err);

// ---- column -------------------------------------------------------------------------------------

struct pps_page_column {
    bool numeric;                  // numbers; otherwise labels
    struct pps_string_pool labels; // of texts, in the order in which they first appear
    uint32_t *codes;               // of rows
    double *numbers;               // NAN: an empty cell
    size_t room;
};

void pps_page_column_free(struct pps_page_column *column); // a zeroed one is fine

// Sets the cell of a row, at most one behind the last. A cell of a numeric column that holds no
// number is empty.
PPS_MUST_CHECK enum pps_status pps_page_column_set(struct pps_page_column *column, size_t row,
                                                   struct pps_cell cell, struct pps_error *err);

// Writes the text of a cell, at most cap - 1 characters (cap >= PPS_DECIMAL_CAP), and returns the
// number of its characters.
size_t pps_page_column_text(const struct pps_page_column *column, size_t row, char *text,
                            size_t cap);

// How the cells of a column are written.
enum pps_page_form {
    PPS_PAGE_GRID,   // codes: (row / stride) % count; no bytes
    PPS_PAGE_CODES,  // `width` bytes a row
    PPS_PAGE_SCALED, // (least + code) / 10^digits; the code 256^width - 1 is an empty cell
    PPS_PAGE_DOUBLE, // 8 bytes a row
};

struct pps_page_cells {
    enum pps_page_form form;
    size_t stride, count; // of PPS_PAGE_GRID
    int width, digits;
    double least;
};

// Appends the cells of n rows to `bytes`. Bytes of equal weight stand together, the lowest first:
// byte k of row i is at k n + i.
struct pps_page_cells pps_page_column_write(const struct pps_page_column *column, size_t n,
                                            struct text_buffer *bytes);
