// SPDX-License-Identifier: Apache-2.0
// Rows as a table for people: cells under their names, aligned, as many as stand in a line.
#ifndef PPS_CLI_ROWTABLE_H
#define PPS_CLI_ROWTABLE_H

#include "engine/best.h"

#include <stddef.h>

// The width of every column of n rows below the header; width has room for all. Returns how many
// columns there are.
int pps_rowtable_widths(const struct pps_best_row *rows,
                        size_t n,
                        const char *header,
                        int *width);

// How many columns of n stand in a line, but no fewer than up to the one of this name.
int pps_rowtable_columns(const char *header, const int *width, int n, const char *name);

// The first n cells of the header, or of a row's text, as a line on stderr.
void pps_rowtable_line(const char *text, const int *width, int n);

#endif
