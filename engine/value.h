// SPDX-License-Identifier: Apache-2.0
// Values of a parameter: read from text, checked against the descriptor, written as a cell.
#ifndef PPS_VALUE_H
#define PPS_VALUE_H

#include "kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PPS_CELL_TEXT = 31, PPS_WHY = 208 };

// The text of a value with a comma behind it, as it stands in a row; copied whole.
struct pps_axis_cell {
    char text[PPS_CELL_TEXT];
    uint8_t n; // characters, the comma included
};

// Checks a number that somebody wrote or computed, as it is and rounded as pps_value_cell does;
// false: writes why as one phrase. A choice or a boolean takes no number.
bool pps_value_check(const struct pps_param *param, double number, char why[PPS_WHY]);

// Reads and checks a value from text of n characters.
bool pps_value_parse(const struct pps_param *param,
                     const char *text,
                     size_t n,
                     double *value,
                     char why[PPS_WHY]);

// Writes the cell of a value and returns the value that the cell's text stands for: the double
// nearest to at most 15 significant digits. value is one of param's, as it travels.
double pps_value_cell(const struct pps_param *param, double value, struct pps_axis_cell *cell);

// The text without the comma, ended with NUL; returns its length.
size_t pps_value_text(const struct pps_param *param, double value, char out[PPS_CELL_TEXT]);

// What may be written for param, e.g. "a whole number from 1 to 4096" or "1f1b or gpipe".
void pps_value_domain(const struct pps_param *param, char *out, size_t cap);

// Index of the parameter of this name (n characters); -1 where there is none.
int pps_param_find(const struct pps_kernel *kernel, const char *name, size_t n);

// Index of the column of this name; -1 where there is none.
int pps_column_find(const struct pps_kernel *kernel, const char *name, size_t n);

#endif
