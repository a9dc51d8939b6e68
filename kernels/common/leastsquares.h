// SPDX-License-Identifier: Apache-2.0
// Small dense least squares: minimise |A x - b|, plain or with x >= 0. Sums run in a fixed order and
// use + - * / sqrt only, so that every machine gives the same bits.
#ifndef PPS_LEASTSQUARES_H
#define PPS_LEASTSQUARES_H

#include <stdbool.h>

enum { LEASTSQUARES_ROWS = 160, LEASTSQUARES_COLUMNS = 24 };

// A: `rows` x `columns`, row after row; b: `rows` numbers.
struct leastsquares {
    int rows;    // 1..LEASTSQUARES_ROWS
    int columns; // 1..LEASTSQUARES_COLUMNS
    const double *a;
    const double *b;
};

struct leastsquares_result {
    double x[LEASTSQUARES_COLUMNS];
    double residual; // |A x - b|, Euclidean
    int rank;        // of the columns in use
};

// Plain: Householder triangles with column exchange (Businger and Golub 1965). Where columns depend
// on each other, those exchanged last get 0. Numbers must be finite.
void leastsquares_plain(const struct leastsquares *problem, struct leastsquares_result *result);

// x >= 0: the active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974,
// chapter 23). Of columns that depend on each other, those that come later stay 0.
// false: it did not come to an end within 10 x columns exchanges; x is the best so far.
bool leastsquares_nonnegative(const struct leastsquares *problem,
                              struct leastsquares_result *result);

#endif
