// SPDX-License-Identifier: Apache-2.0
// Diagonalises matrices by cyclic Jacobi rotations.
#include "engine/optimise/eigen.h"

#include <math.h>

enum { MOST_SWEEPS = 60 };

// Makes a[p][q] zero.
static void rotate(double *a, double *v, int n, int p, int q)
{
    const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        const double kp = a[k * n + p], kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (int k = 0; k < n; k++) {
        const double pk = a[p * n + k], qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
    for (int k = 0; k < n; k++) {
        const double kp = v[k * n + p], kq = v[k * n + q];
        v[k * n + p] = c * kp - s * kq;
        v[k * n + q] = s * kp + c * kq;
    }
}

static double off_diagonal(const double *a, int n)
{
    double sum = 0;
    for (int p = 0; p < n; p++)
        for (int q = p + 1; q < n; q++)
            sum += a[p * n + q] * a[p * n + q];
    return sum;
}

void pps_eigen(double *a, int n, double *values, double *vectors)
{
    double scale = 0;
    for (int i = 0; i < n * n; i++) {
        vectors[i] = i % (n + 1) == 0 ? 1 : 0;
        scale += a[i] * a[i];
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && off_diagonal(a, n) > 1e-30 * scale; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (a[p * n + q] != 0)
                    rotate(a, vectors, n, p, q);
    for (int i = 0; i < n; i++)
        values[i] = a[i * n + i];
}
