// SPDX-License-Identifier: Apache-2.0
// Computes normal numbers from uniform ones.
#include "base/math/detmath.h"
#include "base/math/normal_private.h"
#include "base/math/random.h"

#include <math.h>
#include <stdbool.h>

// Horner's scheme: the coefficient of the highest power first.
static double polynomial(const double *c, int n, double x)
{
    double sum = c[0];
    for (int i = 1; i < n; i++)
        sum = sum * x + c[i];
    return sum;
}

// The tails of algorithm AS 241, PPND16 (Wichura, Applied Statistics 37, 1988): a rational function of
// sqrt(-ln t).
double normal_tail(double t)
{
    static const double near_p[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                                    2.41780725177450611770e-1, 1.27045825245236838258e0,
                                    3.64784832476320460504e0,  5.76949722146069140550e0,
                                    4.63033784615654529590e0,  1.42343711074968357734e0},
                        near_q[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                    1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                    6.89767334985100004550e-1, 1.67638483018380384940e0,
                                    2.05319162663775882187e0,  1},
                        far_p[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                                   1.24266094738807843860e-3, 2.65321895265761230930e-2,
                                   2.96560571828504891230e-1, 1.78482653991729133580e0,
                                   5.46378491116411436990e0,  6.65790464350110377720e0},
                        far_q[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                   1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                   1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                   5.99832206555887937690e-1,  1};
    enum { TERMS = sizeof near_p / sizeof *near_p };
    const double root = sqrt(-detmath_log(t));
    if (root <= 5)
        return polynomial(near_p, TERMS, root - 1.6) / polynomial(near_q, TERMS, root - 1.6);
    return polynomial(far_p, TERMS, root - 5) / polynomial(far_q, TERMS, root - 5);
}

double normal_inverse(uint64_t k)
{
    const uint64_t most = (UINT64_C(1) << 53) - 1;
    const bool is_lower = k <= most / 2;
    const double t = ((double)(is_lower ? k : most - k) + 0.5) * 0x1p-53, q = 0.5 - t,
                 r = 0.25 - q * q;
    const double z = t < NORMAL_TAIL ? normal_tail(t)
                                     : q * polynomial(normal_p, NORMAL_TERMS, r) /
                                           polynomial(normal_q, NORMAL_TERMS, r);
    return is_lower ? -z : z;
}

double normal_draw(const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t x[4];
    pps_philox(counter, key, x);
    return normal_inverse((uint64_t)(x[0] >> 5) << 26 | x[1] >> 6);
}

double normal_uniform(const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t x[4];
    pps_philox(counter, key, x);
    return (x[0] + 0.5) * 0x1p-32;
}
