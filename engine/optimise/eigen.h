// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of small symmetric matrices.
#ifndef PPS_ENGINE_OPTIMISE_EIGEN_H
#define PPS_ENGINE_OPTIMISE_EIGEN_H

// Writes the eigenvalues of the symmetric matrix a[n * n], in no order, and its eigenvectors of length 1:
// vector k is vectors[i * n + k]. By rotations (Jacobi 1846; Golub, Van Loan: Matrix Computations, 8.5).
// a is overwritten. Uses only + - * / sqrt: the bits are the same on every machine.
void pps_eigen(double *a, int n, double *values, double *vectors);

#endif
