// SPDX-License-Identifier: Apache-2.0
// Compares the model with everything that studies of layouts tried: times, the order of layouts, and
// which of them ran out of memory.
#pragma once

#include "bench/measured/fit.h"

#include <stdio.h>

// Writes one line for each source.
void layouts_write(FILE *o, struct measured *m);

// Writes how often two layouts of a table were in the predicted order, by how far their predicted times are apart.
void layouts_write_order(FILE *o, struct measured *m);

// Returns whether the table of nd_order_right_all has other figures.
bool layouts_order_differs(struct measured *m);

// Writes one line for each row, with tabs between the columns.
void layouts_write_rows(FILE *o, struct measured *m);
