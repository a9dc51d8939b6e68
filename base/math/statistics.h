// SPDX-License-Identifier: Apache-2.0
// Summarises samples: means with intervals, paired differences, quantiles, the bootstrap, and the
// correction of Holm for several tests. All sums run in the order of the sample, and only detmath
// functions are used: the results have equal bits on every machine.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A mean and the half-width of its 95 % interval by Student's t distribution with n - 1 degrees of freedom.
struct statistics_mean {
    double mean, half; // half: NAN if n < 2
};

// n >= 1. The sum is compensated (Neumaier 1974).
struct statistics_mean statistics_mean(const double *x, size_t n);

// A paired comparison of two samples: x[i] and y[i] belong to the same replicate. Numbers that differ by at
// most 1e-9 of y are equal: their difference is rounding.
struct statistics_pair {
    struct statistics_mean difference; // of x - y
    double won;                        // part of the pairs with x < y; equal pairs are not won
    double
        p; // of the two-sided t test of mean(x - y) = 0; 1 if all pairs are equal; NAN if n < 2
};

struct statistics_pair statistics_pair(const double *x, const double *y, size_t n);

// Returns the 97.5 % point of Student's t distribution with `degrees` >= 1 degrees of freedom, within 1e-12
// (relative).
double statistics_t975(double degrees);

// Returns the probability that |T| exceeds t >= 0: the p value of a two-sided test.
double statistics_t_tails(double t, double degrees);

// Sorts a sample in ascending order.
void statistics_sort(double *x, size_t n);

// Returns the quantile 0 <= p <= 1 of a sorted sample of n >= 1 numbers: with h = (n - 1) p, linear between the
// numbers at floor(h) and floor(h) + 1, counted from 0 (definition 7 of Hyndman and Fan 1996).
double statistics_quantile(const double *sorted, size_t n, double p);

// ---- bootstrap ----------------------------------------------------------------------------------

enum { STATISTICS_RESAMPLES = 2000 };

// Returns the index of member i of resample r of a sample of n numbers: floor(x0 n / 2^32), where x0 is the
// first word of Philox at counter (r, 9 * 2^24, i, 0) under the key of the seed.
uint32_t statistics_resampled(uint64_t seed, uint32_t r, uint32_t i, uint32_t n);

// Writes the rank of each number of a sample, 0 ... n - 1. `sorted`: the sample, sorted. Of equal numbers,
// any ranks.
void statistics_ranks(const double *x, const double *sorted, uint32_t n, uint32_t *rank);

// Writes n_p quantiles of resample r, as statistics_quantile. counts: [n], overwritten.
void statistics_resample(uint64_t seed, uint32_t r, const double *sorted, const uint32_t *rank,
                         uint32_t n, const double *p, int n_p, uint32_t *counts,
                         double *quantile);

// ---- several tests ------------------------------------------------------------------------------

// Replaces k p values by those that Holm (1979) adjusts for k tests: a test with an adjusted value of at most
// 0.05 is significant, with a probability of at most 5 % of any wrong one. NAN counts as 1. order: [k],
// overwritten.
void statistics_holm(double *p, int *order, int k);
