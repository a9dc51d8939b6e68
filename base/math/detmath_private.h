// SPDX-License-Identifier: Apache-2.0
// Constants of the exponential function, which the scalar code and the code in lanes share.
#pragma once

// x = n ln 2 + rest with |rest| <= ln 2 / 2; e^x = 2^n (1 + rest + rest^2/2! ... + rest^13/13!). The next
// term is below 5e-18.
#define DETMATH_EXP_LEAST (-746.0)
#define DETMATH_EXP_MOST  710.0
#define DETMATH_1_BY_LN2  1.44269504088896340736
#define DETMATH_LN2_HIGH  0x1.62e42fefa0000p-1 // n times the high part is exact
#define DETMATH_LN2_LOW   0x1.cf79abc9e3b3ap-40

// A sum with 2^52 * 1.5 rounds to an integer n; the low bits of the sum hold n. Added to them, the offset
// gives n + 2046 in all 64 bits: the exponents of two factors together.
#define DETMATH_SHIFT      0x1.8p52
#define DETMATH_EXP_OFFSET (2046 - 0x4338000000000000u)

enum { DETMATH_EXP_TERMS = 14 };

static const double detmath_exp_terms[DETMATH_EXP_TERMS] = {1.0 / 6227020800,
                                                            1.0 / 479001600,
                                                            1.0 / 39916800,
                                                            1.0 / 3628800,
                                                            1.0 / 362880,
                                                            1.0 / 40320,
                                                            1.0 / 5040,
                                                            1.0 / 720,
                                                            1.0 / 120,
                                                            1.0 / 24,
                                                            1.0 / 6,
                                                            1.0 / 2,
                                                            1.0,
                                                            1.0};
