// SPDX-License-Identifier: Apache-2.0
// Computes transcendental functions with the same bits on every machine. The functions use additions,
// multiplications and divisions only; the functions of libm may differ in the last bit between
// processors.
#pragma once

// Base-2 logarithm, within 1e-15 of max(1, |result|); exact for powers of two.
// 0: -INFINITY; below 0 and NaN: NaN; INFINITY: itself.
double detmath_log2(double x);

// Natural logarithm: detmath_log2(x) times ln 2.
double detmath_log(double x);

// e to the power of x, within 2.5e-16 of the result, below 2^-1022 within 2^-1074. Above 709.78: INFINITY;
// below -745.13: 0; NaN: NaN. detmath_exp(0) is 1.
double detmath_exp(double x);
