// SPDX-License-Identifier: Apache-2.0
// Tells how far the order of rows can be trusted: how often two published layouts of one table were in the
// predicted order, by how far their predicted times are apart.
#pragma once

#include <stddef.h>

// Pairs whose predicted times differ by less than `below` of the shorter one, and by no less than that of the entry before.
struct nd_order_right {
    double below; // HUGE_VAL: the last entry
    int pairs, right;
};

// All entries; *n of them.
const struct nd_order_right *nd_order_right_all(int *n);

enum { ND_ORDER_TEXT = 200 };

// Writes which of the first rows are equal for the model, or how often the order of the first two is right. times: of
// the rows, ascending. Returns NULL for less than two rows.
const char *nd_order_text(const double *times, size_t n, char text[ND_ORDER_TEXT]);
