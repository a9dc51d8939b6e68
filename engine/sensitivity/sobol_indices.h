// SPDX-License-Identifier: Apache-2.0
// Estimates Sobol' indices from the groups of a saltelli design (engine/space/sample_design.h). The
// first-order index of a factor is the part of the variance that remains explained if only this factor
// is known; the total index is the part that remains unknown if only this factor is unknown.
#ifndef PPS_ENGINE_SENSITIVITY_SOBOL_INDICES_H
#define PPS_ENGINE_SENSITIVITY_SOBOL_INDICES_H

#include <stddef.h>
#include <stdint.h>

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

#endif
