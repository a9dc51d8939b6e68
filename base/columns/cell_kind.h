// SPDX-License-Identifier: Apache-2.0
// The kinds of typed columns, and how the cells of a column are spelled: a typed value and the
// spelling of its column give the text of the cell again, character by character. An empty cell is
// a missing value of every kind. Thread-safe.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pps_cell_kind {
    PPS_CELLS_INTEGER, // 64 bits, with sign
    PPS_CELLS_REAL,    // a double
    PPS_CELLS_BOOLEAN, // true or false
    PPS_CELLS_TEXT,
    PPS_CELLS_KINDS
};

// The name of a kind as NumPy and Polars have it: "int64", "float64", "bool", "text".
const char *pps_cell_kind_name(enum pps_cell_kind kind);

// Reads a cell that is not empty. The value of an integer is its two's complement, that of a real
// the bits of the double, that of a boolean 0 or 1. Returns false if the cell is not of the kind
// (an integer may be written as "8.0" or "1e3"). Not for text.
bool pps_cell_value(enum pps_cell_kind kind, const char *text, size_t n, uint64_t *value);

enum pps_spelling_form {
    PPS_SPELLED_PLAIN, // integers without a decimal point; true, false; texts as they are
    PPS_SPELLED_FIXED, // reals with `decimals` decimals, as printf writes them
    PPS_SPELLED_MEANT, // reals as pps_decimal_meant writes them
    PPS_SPELLED_FULL,  // reals as pps_decimal_full writes them
    PPS_SPELLED_OTHER, // in no form of these: the cells are kept as text
    PPS_SPELLED_FORMS
};

struct pps_spelling {
    enum pps_spelling_form form;
    int decimals; // of PPS_SPELLED_FIXED, 0 ... 17
};

enum { PPS_SPELLED_CAP = 336 }; // bytes of any number

// Returns the spelling that may fit a column whose first cell is this one.
struct pps_spelling pps_spelling_first(enum pps_cell_kind kind, const char *text, size_t n);

// Returns whether the value of the cell, spelled so, is the cell's text.
bool pps_spelling_fits(struct pps_spelling spelling, enum pps_cell_kind kind, const char *text,
                       size_t n, uint64_t value);

// Returns the next spelling to try for a column that `spelling` does not fit.
struct pps_spelling pps_spelling_next(struct pps_spelling spelling, enum pps_cell_kind kind);

// Writes the text of a number or boolean in at most PPS_SPELLED_CAP bytes without a NUL and returns
// its length. Not for PPS_SPELLED_OTHER.
size_t pps_spell(struct pps_spelling spelling, enum pps_cell_kind kind, uint64_t value,
                 char *out);
