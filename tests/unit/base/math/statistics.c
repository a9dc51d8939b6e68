// SPDX-License-Identifier: Apache-2.0
// Means with intervals, tests, quantiles and the bootstrap, against figures of independent programs.
#include "base/math/statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static bool is_near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fabs(b);
}

// By a finite sum for whole degrees of freedom, with 100 digits; from 1e7 on by two terms of the series in
// 1 / degrees. Catches a wrong term of the fraction or of
// the gamma series, at its seam (100) and beyond.
Test(statistics, quantiles_of_t)
{
    static const struct {
        double degrees, t;
    } known[] = {
        {1, 12.706204736174705},   {2, 4.3026527297494637},   {3, 3.1824463052837095},
        {4, 2.7764451051977943},   {5, 2.5705818356363155},   {7, 2.3646242515927853},
        {10, 2.2281388519862748},  {29, 2.0452296421327043},  {30, 2.0422724563012382},
        {99, 1.9842169515864174},  {100, 1.9839715185235522}, {101, 1.9837310029556061},
        {499, 1.9647293909876891}, {999, 1.96234146113345},   {9999, 1.9602012636213577},
        {1e7, 1.959964221762753},  {1e9, 1.9599639869122},    {1e15, 1.9599639845400543},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_assert(is_near(statistics_t975(known[i].degrees), known[i].t,
                          known[i].degrees >= 1e7 ? 1e-10 : 1e-12),
                  "%g: %.17g, expected %.17g", known[i].degrees,
                  statistics_t975(known[i].degrees), known[i].t);
}

// The same source. Catches tails that vanish because they are computed as 1 - x.
Test(statistics, tails_of_t)
{
    static const struct {
        double t, degrees, p;
    } known[] = {
        {0.5, 1, 0.70483276469913347},     {0.1, 9, 0.92253644795668122},
        {3, 2, 0.095465966266709126},      {2, 30, 0.054625044962983101},
        {8, 20, 1.1656628271488522e-07},   {5, 999, 6.7683618958010969e-07},
        {12, 999, 4.3431039077162502e-31}, {0.01, 999, 0.99202328392849481},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_assert(is_near(statistics_t_tails(known[i].t, known[i].degrees), known[i].p, 1e-12),
                  "%g, %g: %.17g, expected %.17g", known[i].t, known[i].degrees,
                  statistics_t_tails(known[i].t, known[i].degrees), known[i].p);
    cr_assert_eq(statistics_t_tails(0, 5), 1);
    cr_assert_eq(statistics_t_tails(1e200, 5), 0);
    cr_assert(isnan(statistics_t_tails((double)NAN, 5)));
}

enum { N = 37 };

static void sample(double x[N])
{
    for (int i = 0; i < N; i++)
        x[i] = (i * 7919 % 101) * 1.25 + i % 5 * 0.5;
}

// By an independent program. Catches a population variance, and normal instead of t quantiles.
Test(statistics, mean_and_half_width)
{
    double x[N];
    sample(x);
    const struct statistics_mean mean = statistics_mean(x, N);
    cr_assert(is_near(mean.mean, 63.5945945945946, 1e-14), "%.17g", mean.mean);
    // the standard error times the quantile of 36 degrees of freedom
    cr_assert(is_near(mean.half, 6.159421353552603 * 2.0280940009804502, 1e-12), "%.17g",
              mean.half);
    cr_assert(isnan(statistics_mean(x, 1).half));
    const double large[] = {1e16, 1, -1e16, 1};
    cr_assert_eq(statistics_mean(large, 4).mean, 0.5);
}

// Catches a difference of the wrong sign, ties that count as won, and intervals of unpaired samples.
Test(statistics, paired_difference)
{
    double x[N], y[N];
    sample(x);
    for (int i = 0; i < N; i++)
        y[i] = x[i] + (i % 4); // 10, 9, 9, 9 times 0, 1, 2, 3
    const struct statistics_pair pair = statistics_pair(x, y, N);
    cr_assert(is_near(pair.difference.mean, -54.0 / 37, 1e-14));
    const double squares = (9 * 1 + 9 * 4 + 9 * 9) - 54.0 * 54 / 37;
    cr_assert(
        is_near(pair.difference.half, 2.0280940009804502 * sqrt(squares / 36 / 37), 1e-12));
    cr_assert_eq(pair.won, 27.0 / 37);
    cr_assert(
        is_near(pair.p, statistics_t_tails(54.0 / 37 / sqrt(squares / 36 / 37), 36), 1e-9));
    cr_assert_eq(statistics_pair(x, x, N).p, 1);
    for (int i = 0; i < N; i++)
        y[i] = x[i] * (1 + 1e-15); // rounding
    cr_assert_eq(statistics_pair(x, y, N).p, 1);
    cr_assert_eq(statistics_pair(x, y, N).won, 0);
    cr_assert_eq(statistics_pair(x, x, N).difference.half, 0);
}

// Resamples and intervals by an independent program with a Philox of its own. Catches another counter, key,
// rounding or definition of the quantiles.
Test(statistics, bootstrap_of_quantiles)
{
    static const double p[3] = {0.5, 0.95, 0.99};
    static const double known[3][3] = {{63, 44, 80.84374999999949},
                                       {119.24999999999999, 104.24999999999999, 126},
                                       {124.65, 113.4, 126}};
    static double values[3][STATISTICS_RESAMPLES];
    const uint64_t seed = (UINT64_C(1) << 31) + 42;
    double x[N], sorted[N], quantile[3];
    uint32_t rank[N], counts[N];
    sample(x);
    memcpy(sorted, x, sizeof x);
    statistics_sort(sorted, N);
    statistics_ranks(x, sorted, N, rank);
    cr_assert_eq(statistics_resampled(seed, 0, 0, N), 18);
    cr_assert_eq(statistics_resampled(seed, 0, 36, N), 5);
    cr_assert_eq(statistics_resampled(seed, 1, 0, N), 32);
    cr_assert_eq(statistics_resampled(seed, 1999, 5, N), 0);
    for (uint32_t r = 0; r < STATISTICS_RESAMPLES; r++) {
        statistics_resample(seed, r, sorted, rank, N, p, 3, counts, quantile);
        for (int k = 0; k < 3; k++)
            values[k][r] = quantile[k];
    }
    for (int k = 0; k < 3; k++) {
        statistics_sort(values[k], STATISTICS_RESAMPLES);
        const double got[3] = {
            statistics_quantile(sorted, N, p[k]),
            statistics_quantile(values[k], STATISTICS_RESAMPLES, 0.025),
            statistics_quantile(values[k], STATISTICS_RESAMPLES, 0.975),
        };
        for (int i = 0; i < 3; i++)
            cr_assert(is_near(got[i], known[k][i], 1e-14), "%g: %.17g, expected %.17g", p[k],
                      got[i], known[k][i]);
    }
}

// Catches factors in the wrong order, and adjusted values that fall.
Test(statistics, holm)
{
    double p[5] = {0.01, 0.04, (double)NAN, 0.03, 0.005};
    static const double adjusted[5] = {0.04, 0.09, 1, 0.09, 0.025};
    int order[5];
    statistics_holm(p, order, 5);
    for (int i = 0; i < 5; i++)
        cr_assert(is_near(p[i], adjusted[i], 1e-14), "%d: %.17g", i, p[i]);
}
