// SPDX-License-Identifier: Apache-2.0
// Summarises samples.
#include "base/math/statistics.h"

#include "base/math/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-9 // of a number

// ---- means --------------------------------------------------------------------------------------

// A sum, and what its additions have lost.
struct sum {
    double value, lost;
};

static void add(struct sum *sum, double x)
{
    const double next = sum->value + x;
    sum->lost +=
        fabs(sum->value) >= fabs(x) ? (sum->value - next) + x : (x - next) + sum->value;
    sum->value = next;
}

static double half_width(double mean, const double *x, const double *y, size_t n)
{
    struct sum squares = {0, 0};
    if (n < 2)
        return (double)NAN;
    for (size_t i = 0; i < n; i++) {
        const double d = (y == NULL ? x[i] : x[i] - y[i]) - mean;
        add(&squares, d * d);
    }
    const double variance = (squares.value + squares.lost) / (double)(n - 1);
    return statistics_t975((double)(n - 1)) * sqrt(variance / (double)n);
}

// Of x, or of x - y.
static struct statistics_mean mean_of(const double *x, const double *y, size_t n)
{
    struct sum sum = {0, 0};
    for (size_t i = 0; i < n; i++)
        add(&sum, y == NULL ? x[i] : x[i] - y[i]);
    const double mean = (sum.value + sum.lost) / (double)n;
    return (struct statistics_mean){mean, half_width(mean, x, y, n)};
}

struct statistics_mean statistics_mean(const double *x, size_t n)
{
    return mean_of(x, NULL, n);
}

static double p_of(const struct statistics_mean *difference, size_t n)
{
    const double degrees = (double)(n - 1);
    if (n < 2)
        return (double)NAN;
    if (difference->half == 0)
        return 0;
    return statistics_t_tails(
        fabs(difference->mean) / difference->half * statistics_t975(degrees), degrees);
}

struct statistics_pair statistics_pair(const double *x, const double *y, size_t n)
{
    struct statistics_pair pair = {.difference = mean_of(x, y, n)};
    size_t won = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        won += y[i] - x[i] > ROUNDING * fabs(y[i]);
        lost += x[i] - y[i] > ROUNDING * fabs(y[i]);
    }
    pair.won = (double)won / (double)n;
    pair.p = won + lost == 0 && n > 1 ? 1 : p_of(&pair.difference, n);
    return pair;
}

// ---- quantiles ----------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void statistics_sort(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare);
}

double statistics_quantile(const double *sorted, size_t n, double p)
{
    const double h = (double)(n - 1) * p;
    const size_t at = (size_t)h;
    if (at + 1 >= n)
        return sorted[n - 1];
    return sorted[at] + (h - (double)at) * (sorted[at + 1] - sorted[at]);
}

// ---- bootstrap ----------------------------------------------------------------------------------

uint32_t statistics_resampled(uint64_t seed, uint32_t r, uint32_t i, uint32_t n)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {r, UINT32_C(9) << 24, i, 0};
    uint32_t out[4];
    pps_philox(counter, key, out);
    return (uint32_t)(((uint64_t)out[0] * n) >> 32);
}

void statistics_ranks(const double *x, const double *sorted, uint32_t n, uint32_t *rank)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t low = 0, high = n - 1; // the first number that is not less than x[i]
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (sorted[middle] < x[i])
                low = middle + 1;
            else
                high = middle;
        }
        rank[i] = low;
    }
}

// Returns the number at position `at` of a sample that contains sorted[k] counts[k] times.
static double counted(const double *sorted, const uint32_t *counts, uint32_t n, uint32_t at)
{
    uint32_t k = 0, before = 0;
    while (k + 1 < n && before + counts[k] <= at)
        before += counts[k++];
    return sorted[k];
}

void statistics_resample(uint64_t seed, uint32_t r, const double *sorted, const uint32_t *rank,
                         uint32_t n, const double *p, int n_p, uint32_t *counts,
                         double *quantile)
{
    memset(counts, 0, n * sizeof *counts);
    for (uint32_t i = 0; i < n; i++)
        counts[rank[statistics_resampled(seed, r, i, n)]]++;
    for (int k = 0; k < n_p; k++) {
        const double h = (double)(n - 1) * p[k];
        const uint32_t at = (uint32_t)h;
        const double low = counted(sorted, counts, n, at),
                     high = counted(sorted, counts, n, at + 1 < n ? at + 1 : n - 1);
        quantile[k] = low + (h - (double)at) * (high - low);
    }
}

// ---- several tests ------------------------------------------------------------------------------

void statistics_holm(double *p, int *order, int k)
{
    double least = 0;
    for (int i = 0; i < k; i++) {
        int at = i;
        if (isnan(p[i]))
            p[i] = 1;
        for (; at > 0 && p[order[at - 1]] > p[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < k; i++) {
        double *value = &p[order[i]];
        least = fmax(least, fmin(1, (k - i) * *value));
        *value = least;
    }
}
