// SPDX-License-Identifier: Apache-2.0
// Estimates what the factors of a result explain: Sobol' indices, elementary effects, and first-order indices
// of given data.
#pragma once

#include "engine/sensitivity/estimate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- given data ---------------------------------------------------------------------------------

// Returns a number of classes for n results: the cube root of n, from 2 to 50.
uint32_t pps_usual_classes(uint64_t n);

// Divides the levels 0 ... levels - 1 of a parameter, in order, into at most n_classes classes of about
// equally many of the n results; equal values share a class. code[i] < levels. Writes the class of each
// level and returns the number of classes.
uint32_t pps_classes(const uint32_t *code, uint64_t n, uint32_t levels, uint32_t n_classes,
                     uint64_t *counts, // [levels], overwritten
                     uint32_t *class_of);

// n results y, all finite, with the class of each.
struct pps_given_data {
    const double *y;
    const uint32_t *class_of;
    size_t n;
    uint32_t n_classes;
};

// Estimates the first-order index:
//   1 - (1 - R) (n - 1) / (n - k),  R: the correlation ratio of k classes that are not empty
// Without the correction, k classes of n random numbers explain (k - 1) / (n - 1) of any variance
// (Kelley: An unbiased correlation ratio measure; PNAS 21, 1935). What remains is a bias downwards:
// changes within a class do not count. Its interval is the infinitesimal jackknife's, 1.96 times the root of the
// sum of squared derivatives by the weight of each result (Efron: The jackknife, the bootstrap and other
// resampling plans; SIAM 1982, chapter 6): the limit of the bootstrap, from one pass. With off = y - mean of all
// and m = mean of off in the class of y, the derivative of R is (2 m off - m^2 - R off^2) / sum of off^2.
// Both are NAN if the variance is 0 or n <= k. Returns false without memory.
PPS_MUST_CHECK bool pps_first_order(const struct pps_given_data *data,
                                    struct pps_estimate *index);

// ---- elementary effects -------------------------------------------------------------------------

// effect[j * d + i]: of factor i in trajectory j; NAN: the trajectory has none.
struct pps_effects_sample {
    const double *effect;
    size_t n; // trajectories
    int d;
};

enum pps_effect_value { PPS_MU_STAR, PPS_MU, PPS_SIGMA, PPS_EFFECT_VALUES };

// Writes PPS_EFFECT_VALUES values for each of the d factors: mean of the absolute effects (Campolongo,
// Cariboni, Saltelli: An effective screening design for sensitivity analysis of large models;
// Environmental Modelling & Software 22, 2007), mean, and standard deviation (Morris 1991). Trajectory j
// counts counts[j] times. NAN without effects; the deviation of one effect is NAN, too. `self` is a
// struct pps_effects_sample: the function is a statistic for pps_bootstrap.
void pps_elementary_effects(const void *self, const uint32_t *counts, double *values);

// ---- Sobol' indices -------------------------------------------------------------------------------

// Estimates Sobol' indices from the groups of a saltelli design (engine/space/sample_design.h). The
// first-order index of a factor is the part of the variance that remains explained if only this factor
// is known; the total index is the part that remains unknown if only this factor is unknown.

// n groups of d + 2 results: y[j * (d + 2)] is f(A_j), then f(B_j), then f(A_j with factor i from B_j)
// for each of the d factors. All are finite.
struct pps_sobol_sample {
    const double *y;
    size_t n;
    int d;
};

// Writes 2 d values: the first-order indices, then the total indices. Group j counts counts[j] times.
//
//   mean and V: of all f(A_j) and f(B_j)
//   S_i  = 1/N sum_j (f(B_j) - mean) (f(AB_ij) - f(A_j)) / V     (Saltelli et al. 2010, table 2 (b))
//   ST_i = 1/(2N) sum_j (f(A_j) - f(AB_ij))^2 / V                (Jansen 1999; table 2 (f))
//
// Saltelli, Annoni, Azzini, Campolongo, Ratto, Tarantola: Variance based sensitivity analysis of model
// output; Computer Physics Communications 181, 2010. Jansen: Analysis of variance designs for model
// output; Computer Physics Communications 117, 1999. The mean, which the formula (b) does not subtract,
// changes no expectation and lowers the error. NAN if V is 0. `self` is a struct pps_sobol_sample: the
// function is a statistic for pps_bootstrap.
void pps_sobol_indices(const void *self, const uint32_t *counts, double *indices);
