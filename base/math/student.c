// SPDX-License-Identifier: Apache-2.0
// Computes tails and quantiles of Student's t distribution by the incomplete beta function: the
// probability that |T| exceeds t is I_x(degrees / 2, 1 / 2) with x = degrees / (degrees + t^2).
#include "base/math/detmath.h"
#include "base/math/statistics.h"

#include <math.h>

#define SQRT_PI 1.77245385090551602730

// Terms of the fraction; it needs about sqrt(degrees). With more than DEGREES_MOST degrees, the distribution is that
// of DEGREES_MOST within 1e-10.
enum { FRACTION_MOST = 1000000 };
#define DEGREES_MOST 1e10

// ln(1 + x), x >= 0, within 1e-15 of the result: with z = x / (2 + x), 2 (z + z^3/3 + z^5/5 ...). detmath_log
// loses the digits of small x.
static double log_1_plus(double x)
{
    if (x > 0.4)
        return detmath_log(1 + x);
    const double z = x / (2 + x), square = z * z;
    double sum = 0;
    for (int k = 21; k >= 3; k -= 2)
        sum = (sum + 1.0 / k) * square;
    return 2 * (z + z * sum);
}

// Gamma((n + 1) / 2) / Gamma(n / 2): a series in 1 / n for large n, reached by steps of 2.
static double gamma_ratio(double n)
{
    double factor = 1;
    for (; n < 100; n += 2)
        factor *= n / (n + 1);
    const double r = 1 / n;
    const double series =
        1 +
        r * (-1.0 / 4 +
             r * (1.0 / 32 + r * (5.0 / 128 + r * (-21.0 / 2048 +
                                                   r * (-399.0 / 8192 + r * 869.0 / 65536)))));
    return factor * sqrt(n / 2) * series;
}

// The continued fraction of I_x(a, b), evaluated by the method of Lentz. Converges fast for
// x < (a + 1) / (a + b + 2).
static double fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < FRACTION_MOST; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16)
            break;
    }
    return h;
}

double statistics_t_tails(double t, double degrees)
{
    if (!(t > 0))
        return t == 0 ? 1 : (double)NAN;
    degrees = fmin(degrees, DEGREES_MOST);
    const double a = degrees / 2, ratio = t / degrees * t;
    if (ratio == HUGE_VAL)
        return 0;
    const double x = 1 / (1 + ratio), rest = ratio / (1 + ratio);
    const double front =
        detmath_exp(-a * log_1_plus(ratio)) * sqrt(rest) * gamma_ratio(degrees) / SQRT_PI;
    if (x < (a + 1) / (a + 2.5))
        return front / a * fraction(a, 0.5, x);
    return 1 - front / 0.5 * fraction(0.5, a, rest);
}

// The tails shrink with t: halves the interval that holds the point until it cannot be halved. With many
// degrees, z + (z^3 + z) / (4 degrees) is exact enough (Fisher and Cornish 1960).
double statistics_t975(double degrees)
{
    const double z = 1.95996398454005424;
    double low = 1.9, high = 13;
    if (degrees > 1e7)
        return z + (z * z * z + z) / 4 / degrees;
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return middle;
        if (statistics_t_tails(middle, degrees) > 0.05)
            low = middle;
        else
            high = middle;
    }
}
