// SPDX-License-Identifier: Apache-2.0
// Parses values of a parameter from text, checks them against the descriptor, and writes them
// as cells. Thread-safe.
#pragma once

#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PPS_CELL_TEXT = 31, PPS_DOMAIN = 600, PPS_WHY = PPS_DOMAIN + 100 };

// The text of a value followed by a comma, as in a row; copied as a whole.
struct pps_axis_cell {
    char text[PPS_CELL_TEXT];
    uint8_t n; // characters, comma included
};

// Checks a number, both as given and as rounded by pps_value_cell. Returns false with the
// reason in why, one phrase. A choice or a boolean accepts no number.
bool pps_value_check(const struct pps_param *param, double number, char why[PPS_WHY]);

// Parses and checks a value from text of n characters; accepts aliases of a choice. Returns false with the reason in why.
bool pps_value_parse(const struct pps_param *param, const char *text, size_t n, double *value,
                     char why[PPS_WHY]);

// Writes the cell of a value and returns the value that the cell's text represents: the double
// nearest to at most 15 significant digits. value is a value of param in its stored form.
double pps_value_cell(const struct pps_param *param, double value, struct pps_axis_cell *cell);

// Writes the text without the comma, ended with NUL, and returns its length.
size_t pps_value_text(const struct pps_param *param, double value, char out[PPS_CELL_TEXT]);

// Describes the values that param accepts, e.g. "a whole number from 1 to 4096" or "1f1b or
// gpipe". Writes at most cap bytes.
void pps_value_domain(const struct pps_param *param, char *out, size_t cap);

// Returns the kernel of this name in a list that ends with NULL, or NULL.
const struct pps_kernel *pps_kernels_find(const struct pps_kernel *const *kernels,
                                          const char *name);

// Returns the index of the parameter with this name (n characters), or -1.
int pps_param_find(const struct pps_kernel *kernel, const char *name, size_t n);

// Returns the kernel's seed parameter (its name is "seed"), or -1 if it has none.
int pps_seed_param(const struct pps_kernel *kernel);

// Returns the index of the column with this name (n characters), or -1.
int pps_column_find(const struct pps_kernel *kernel, const char *name, size_t n);

// Returns the index of the column that ranks rows if no option names one: the kernel's `ranks` where rows
// show it, otherwise the first. shown: [n_columns].
int pps_column_ranks(const struct pps_kernel *kernel, const bool *shown);
