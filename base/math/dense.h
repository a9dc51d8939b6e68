// SPDX-License-Identifier: Apache-2.0
// Computes dense layers of small networks: products of a vector and a matrix, their gradients, and the
// hyperbolic tangent. Every instruction set computes the same bits: sums have a fixed order.
//
// Outputs come in rows of DENSE_LANES: n_out is a multiple of it, and matrices lie as
// weight[input * n_out + output].
#pragma once

enum { DENSE_LANES = 8 };

struct dense {
    // y[o] += sum over i of x[i] weight[i][o], in ascending order of i.
    void (*forward)(int n_in, int n_out, const double *x, const double *weight, double *y);
    // dweight[i][o] += x[i] dy[o].
    void (*weights)(int n_in, int n_out, const double *x, const double *dy, double *dweight);
    // dx[i] += sum over o of weight[i][o] dy[o]: output o is part of the partial sum o mod DENSE_LANES,
    // and the partial sums are added in pairs.
    void (*inputs)(int n_in, int n_out, const double *weight, const double *dy, double *dx);
    // Adam (Kingma, Ba 2015, algorithm 1), n a multiple of DENSE_LANES: updates the moments by the gradient
    // times `scale`, then the parameters. rate: step size with the corrections of both moments.
    void (*adam)(int n, const double *gradient, double scale, double rate, double *first,
                 double *second, double *parameter);
};

// Returns the implementation for the fastest instruction set of this processor.
const struct dense *dense_fastest(void);

// Returns the implementation for every processor; for tests.
const struct dense *dense_portable(void);

// Replaces n numbers, a multiple of DENSE_LANES, by their hyperbolic tangent, within 1e-15.
void dense_tanh(int n, double *inout);
