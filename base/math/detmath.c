// SPDX-License-Identifier: Apache-2.0
// Computes a logarithm from the exponent of the number and a series for its mantissa; the exponential
// function in the reverse way.
#include "base/math/detmath.h"
#include "base/math/detmath_private.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LN2        0.69314718055994530942
#define TWO_BY_LN2 2.88539008177792681472
#define SQRT2      1.41421356237309504880

// Splits positive finite x into m * 2^exponent, 1 <= m < 2. Reads the bits, since frexp is a call.
static double split(double x, int *exponent)
{
    uint64_t bits;
    int below = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        below = 54;
    }
    memcpy(&bits, &x, sizeof bits);
    *exponent = (int)(bits >> 52) - 1023 - below;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// With z = (m - 1) / (m + 1), ln m = 2 (z + z^3/3 + z^5/5 ...). |z| < 0.1716, so the terms after
// z^21 are below 1e-17 of the sum.
double detmath_log2(double x)
{
    static const double odd[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                 1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
    if (!(x > 0))
        return x == 0 ? -HUGE_VAL : (double)NAN;
    if (x == HUGE_VAL)
        return x;
    int exponent;
    double m = split(x, &exponent);
    if (m == 1)
        return exponent;
    if (m > SQRT2) {
        m /= 2;
        exponent++;
    }
    double z = (m - 1) / (m + 1), square = z * z, sum = odd[0];
    for (int i = 1; i < (int)(sizeof odd / sizeof *odd); i++)
        sum = sum * square + odd[i];
    return exponent + TWO_BY_LN2 * (z + z * (square * sum));
}

double detmath_log(double x)
{
    return detmath_log2(x) * LN2;
}

// Multiplies by 2^n in two steps, so that neither factor leaves the range of normal numbers.
double detmath_exp(double x)
{
    x = x < DETMATH_EXP_LEAST ? DETMATH_EXP_LEAST : x;
    x = x > DETMATH_EXP_MOST ? DETMATH_EXP_MOST : x;
    const double shifted = x * DETMATH_1_BY_LN2 + DETMATH_SHIFT, n = shifted - DETMATH_SHIFT,
                 rest = (x - n * DETMATH_LN2_HIGH) - n * DETMATH_LN2_LOW;
    double sum = detmath_exp_terms[0], factor[2];
    for (int i = 1; i < DETMATH_EXP_TERMS; i++)
        sum = sum * rest + detmath_exp_terms[i];
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    const uint64_t whole = bits + DETMATH_EXP_OFFSET, half = whole >> 1,
                   exponent[2] = {half << 52, (whole - half) << 52};
    memcpy(factor, exponent, sizeof factor);
    return sum * factor[0] * factor[1];
}
