// SPDX-License-Identifier: Apache-2.0
// Computes main effects and exact indices of a full grid: every combination of the values of its
// factors, once. Values of the result may be missing.
#pragma once

#include <stdint.h>

// The result at the combination with values v_0, v_1, ... of the factors is
// y[(v_0 * levels[1] + v_1) * levels[2] + ...]; NAN: missing.
struct pps_grid {
    const double *y;
    int n_factors;
    const uint32_t *levels; // values of each factor
};

struct pps_moments {
    uint64_t n;            // values that are not missing
    double mean, variance; // of the population: divided by n
};

struct pps_moments pps_moments_of(const double *y, uint64_t n);

// Writes the first-order and the total index of factor f, all values weighing the same:
//   first = V[E(y | x_f)] / V(y),  total = E[V(y | all other factors)] / V(y)
// (Sobol': Sensitivity estimates for nonlinear mathematical models; Math. Modelling Comput. Experiment
// 1, 1993; Homma and Saltelli, Reliability Engineering & System Safety 52, 1996). They are exact sums
// for a grid without missing values; then all first-order indices add up to at most 1. Both are NAN if
// the variance is 0.
void pps_grid_indices(const struct pps_grid *grid, int f, const struct pps_moments *all,
                      double *first, double *total);

// The means of the result by value of a factor: sums[v] / counts[v] for v < levels. code[i] is the value
// at result i. Results that are missing do not count.
void pps_level_sums(const double *y, const uint32_t *code, uint64_t n, uint32_t levels,
                    double *sums, uint64_t *counts);

// Returns the correlation ratio, V[E(y | x)] / V(y), from the sums of all values of x (Pearson 1905);
// NAN if the variance is 0.
double pps_correlation_ratio(const double *sums, const uint64_t *counts, uint32_t levels,
                             const struct pps_moments *all);
