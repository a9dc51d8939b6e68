// SPDX-License-Identifier: Apache-2.0
// Solves small dense least-squares problems: minimise |A x - b|, plain or with x >= 0. Sums run in a
// fixed order and use + - * / sqrt only, so every machine returns the same bits.
#pragma once

#include <stdbool.h>

enum { LEAST_SQUARES_ROWS = 160, LEAST_SQUARES_COLUMNS = 24 };

// A: `rows` x `columns`, row after row; b: `rows` numbers.
struct least_squares {
    int rows;    // 1..LEAST_SQUARES_ROWS
    int columns; // 1..LEAST_SQUARES_COLUMNS
    const double *a;
    const double *b;
};

struct least_squares_result {
    double x[LEAST_SQUARES_COLUMNS];
    double residual; // |A x - b|, Euclidean
    int rank;        // number of linearly independent columns
};

// Plain: Householder QR with column pivoting (Businger and Golub 1965). Among linearly dependent
// columns, the columns pivoted last get 0. Numbers must be finite.
void least_squares_plain(const struct least_squares *problem,
                         struct least_squares_result *result);

// x >= 0: the active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974,
// chapter 23). Among linearly dependent columns, the later columns stay 0.
// false: no convergence within 10 x columns exchanges; x is the best solution so far.
bool least_squares_nonnegative(const struct least_squares *problem,
                               struct least_squares_result *result);
