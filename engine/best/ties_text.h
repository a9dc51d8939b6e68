// SPDX-License-Identifier: Apache-2.0
// Prints how many rows equal the best row, and which values these rows have in common.
#ifndef PPS_ENGINE_BEST_TIES_TEXT_H
#define PPS_ENGINE_BEST_TIES_TEXT_H

#include "engine/best/best.h"

#include <stdio.h>

// Prints "name=value, name=value" of the cells in the mask; returns how many these are. Header and
// row are lines of cells with commas between.
int pps_print_cells(FILE *out, const char *header, const char *row, uint64_t cells);

// Prints "3 of 11 equal best rows; all have name=value" without a newline; only the
// common values in the mask `cells` are printed. row: one of the rows; shown: number of shown rows.
void pps_print_ties(FILE *out,
                    const struct pps_best_ties *ties,
                    size_t shown,
                    const char *header,
                    const char *row,
                    uint64_t cells);

#endif
