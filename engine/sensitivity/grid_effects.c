// SPDX-License-Identifier: Apache-2.0
// Splits the variance of a full grid.
#include "engine/sensitivity/grid_effects.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct pps_moments pps_moments_of(const double *y, uint64_t n)
{
    struct pps_moments m = {0, 0, 0};
    for (uint64_t i = 0; i < n; i++) {
        m.n += isnan(y[i]) ? 0 : 1;
        m.mean += isnan(y[i]) ? 0 : y[i];
    }
    m.mean = m.n > 0 ? m.mean / (double)m.n : (double)NAN;
    for (uint64_t i = 0; i < n; i++)
        m.variance += isnan(y[i]) ? 0 : (y[i] - m.mean) * (y[i] - m.mean);
    m.variance = m.n > 0 ? m.variance / (double)m.n : (double)NAN;
    return m;
}

void pps_level_sums(const double *y, const uint32_t *code, uint64_t n, uint32_t levels,
                    double *sums, uint64_t *counts)
{
    memset(sums, 0, levels * sizeof *sums);
    memset(counts, 0, levels * sizeof *counts);
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(y[i])) {
            sums[code[i]] += y[i];
            counts[code[i]]++;
        }
}

double pps_correlation_ratio(const double *sums, const uint64_t *counts, uint32_t levels,
                             const struct pps_moments *all)
{
    double between = 0;
    for (uint32_t v = 0; v < levels; v++)
        if (counts[v] > 0) {
            const double off = sums[v] / (double)counts[v] - all->mean;
            between += (double)counts[v] * off * off;
        }
    return all->variance > 0 ? between / (double)all->n / all->variance : (double)NAN;
}

// ---- lines of a grid ------------------------------------------------------------------------------

// The results along one factor: y[0], y[stride], ...
struct line {
    const double *y;
    uint64_t n, stride;
};

// Returns the sum of the squares around the mean of a line.
static double squares_of(struct line line)
{
    double sum = 0, squares = 0;
    uint64_t n = 0;
    for (uint64_t v = 0; v < line.n; v++) {
        const double y = line.y[v * line.stride];
        n += isnan(y) ? 0 : 1;
        sum += isnan(y) ? 0 : y;
    }
    for (uint64_t v = 0; v < line.n; v++) {
        const double y = line.y[v * line.stride];
        const double off = y - sum / (double)n;
        squares += isnan(y) ? 0 : off * off;
    }
    return squares;
}

// Returns n (E(y | x_f = v) - mean)^2 over the n results of one value of the factor.
static double between_of(const double *y, uint64_t outer, uint64_t block, uint64_t inner,
                         double mean)
{
    double sum = 0;
    uint64_t n = 0;
    for (uint64_t o = 0; o < outer; o++)
        for (uint64_t i = 0; i < inner; i++) {
            const double value = y[o * block + i];
            n += isnan(value) ? 0 : 1;
            sum += isnan(value) ? 0 : value;
        }
    const double off = n > 0 ? sum / (double)n - mean : 0;
    return (double)n * off * off;
}

void pps_grid_indices(const struct pps_grid *grid, int f, const struct pps_moments *all,
                      double *first, double *total)
{
    uint64_t outer = 1, inner = 1;
    const uint64_t levels = grid->levels[f];
    for (int g = 0; g < f; g++)
        outer *= grid->levels[g];
    for (int g = f + 1; g < grid->n_factors; g++)
        inner *= grid->levels[g];
    double between = 0, within = 0;
    for (uint64_t v = 0; v < levels; v++)
        between += between_of(grid->y + v * inner, outer, levels * inner, inner, all->mean);
    for (uint64_t o = 0; o < outer; o++)
        for (uint64_t i = 0; i < inner; i++)
            within +=
                squares_of((struct line){grid->y + o * levels * inner + i, levels, inner});
    const bool varies = all->variance > 0;
    const double whole = (double)all->n * all->variance;
    *first = varies ? between / whole : (double)NAN;
    *total = varies ? within / whole : (double)NAN;
}
