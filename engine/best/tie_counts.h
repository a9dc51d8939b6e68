// SPDX-License-Identifier: Apache-2.0
// Writes and reads the rows that were counted and not kept, as JSON in a manifest.
#pragma once

#include "engine/best/best.h"
#include "engine/best/best_by_group.h"

#include <cjson/cJSON.h>
#include <stdio.h>

// ---- ties text ----------------------------------------------------------------------------------

// Prints "name=value, name=value" of the cells in the mask; returns how many these are. Header and
// row are lines of cells with commas between.
int pps_print_cells(FILE *out, const char *header, const char *row, uint64_t cells);

// Prints "3 of 11 equal best rows; all have name=value" without a newline; only the
// common values in the mask `cells` are printed. row: one of the rows; shown: number of shown rows.
void pps_print_ties(FILE *out, const struct pps_best_ties *ties, size_t shown,
                    const char *header, const char *row, uint64_t cells);

// ---- tie counts ---------------------------------------------------------------------------------

// An object {"rows", "one", "differ"}: how many rows were counted, the text of one of them, and the
// names of the cells in which they are not all the same. header is the names of all cells with
// commas between.
cJSON *pps_counted_json(const struct pps_best_equal *equal, const char *header);

// An array of these of all groups that have counted rows.
cJSON *pps_counted_list(struct pps_best_by_group *tops, const char *header);

// Reads an object; false where it is none. The text belongs to the item.
bool pps_counted_read(const cJSON *item, const char *header, struct pps_best_equal *equal);
