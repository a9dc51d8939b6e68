// SPDX-License-Identifier: Apache-2.0
// Solves small dense least-squares problems: minimise |A x - b|, plain or with x >= 0. Sums run in a
// fixed order and use + - * / sqrt only, so every machine returns the same bits.
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
    int rank;        // number of linearly independent columns
};

// Plain: Householder QR with column pivoting (Businger and Golub 1965). Among linearly dependent
// columns, the columns pivoted last get 0. Numbers must be finite.
void leastsquares_plain(const struct leastsquares *problem, struct leastsquares_result *result);

// x >= 0: the active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974,
// chapter 23). Among linearly dependent columns, the later columns stay 0.
// false: no convergence within 10 x columns exchanges; x is the best solution so far.
bool leastsquares_nonnegative(const struct leastsquares *problem,
                              struct leastsquares_result *result);

#endif
