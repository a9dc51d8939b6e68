// SPDX-License-Identifier: Apache-2.0
// Computes the condition number of a small dense matrix, columns scaled to length 1: by how much errors of the
// right side can grow in a solution.
#pragma once

enum { CONDITION_ROWS = 160, CONDITION_COLUMNS = 24 };

// Returns the largest singular value divided by the smallest, by one-sided Jacobi rotations (Hestenes 1958). a: rows x
// columns, row after row; at most CONDITION_ROWS and CONDITION_COLUMNS. INFINITY: the columns are dependent.
double condition_number(int rows, int columns, const double *a);
