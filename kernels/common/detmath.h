// SPDX-License-Identifier: Apache-2.0
// Transcendental functions with the same bits on every machine: additions, multiplications and
// divisions only. Those of libm may differ in the last bit with the processor.
#ifndef PPS_DETMATH_H
#define PPS_DETMATH_H

// Base-2 logarithm, within 1e-15 of max(1, |result|); exact for powers of two.
// 0: -INFINITY; below 0 and NaN: NaN; INFINITY: itself.
double detmath_log2(double x);

// Natural logarithm: the above times ln 2.
double detmath_log(double x);

#endif
