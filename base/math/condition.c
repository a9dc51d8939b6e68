// SPDX-License-Identifier: Apache-2.0
// Computes condition numbers.
#include "base/math/condition.h"

#include <math.h>

enum { SWEEPS = 60 };

static double product(int rows, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < rows; i++)
        sum += a[i] * b[i];
    return sum;
}

// Makes two columns orthogonal. Returns whether they were not.
static int rotate(int rows, double *a, double *b)
{
    const double aa = product(rows, a, a), bb = product(rows, b, b), ab = product(rows, a, b);
    if (fabs(ab) <= 1e-15 * sqrt(aa * bb))
        return 0;
    const double z = (bb - aa) / (2 * ab), t = (z >= 0 ? 1 : -1) / (fabs(z) + sqrt(1 + z * z)),
                 c = 1 / sqrt(1 + t * t), s = c * t;
    for (int i = 0; i < rows; i++) {
        const double x = a[i];
        a[i] = c * x - s * b[i];
        b[i] = s * x + c * b[i];
    }
    return 1;
}

double condition_number(int rows, int columns, const double *a)
{
    double column[CONDITION_COLUMNS][CONDITION_ROWS], least = (double)INFINITY, most = 0;
    for (int k = 0; k < columns; k++) {
        for (int i = 0; i < rows; i++)
            column[k][i] = a[i * columns + k];
        const double length = sqrt(product(rows, column[k], column[k]));
        if (!(length > 0))
            return (double)INFINITY;
        for (int i = 0; i < rows; i++)
            column[k][i] /= length;
    }
    int rotated = 1;
    for (int sweep = 0; sweep < SWEEPS && rotated; sweep++) {
        rotated = 0;
        for (int k = 0; k < columns; k++)
            for (int l = k + 1; l < columns; l++)
                rotated |= rotate(rows, column[k], column[l]);
    }
    for (int k = 0; k < columns; k++) {
        const double value = sqrt(product(rows, column[k], column[k]));
        least = fmin(least, value);
        most = fmax(most, value);
    }
    return rows < columns || least <= 1e-13 * most ? (double)INFINITY : most / least;
}
