// SPDX-License-Identifier: Apache-2.0
// CMA-ES lowers a function without its derivatives: every generation draws points from a normal
// distribution whose mean and covariance follow the best points so far (Hansen: The CMA Evolution
// Strategy: A Tutorial; arXiv:1604.00772, 2016; weights of the better half only, as in its section 3).
// Points outside the domain are moved into it, and the moved points count as drawn.
#pragma once

#include "engine/optimise/search_space.h"

#include <stdbool.h>
#include <stdint.h>

// ---- eigen --------------------------------------------------------------------------------------

// Writes the eigenvalues of the symmetric matrix a[n * n], in no order, and its eigenvectors of length 1:
// vector k is vectors[i * n + k]. By rotations (Jacobi 1846; Golub, Van Loan: Matrix Computations, 8.5).
// a is overwritten. Uses only + - * / sqrt: the bits are the same on every machine.
void pps_eigen(double *a, int n, double *values, double *vectors);

// ---- cma es -------------------------------------------------------------------------------------

enum { PPS_MOST_OFFSPRING = 512 };

struct pps_cma {
    const struct pps_domain *domain;
    int n;      // coordinates
    int lambda; // points of a generation
    int mu;     // points of these that the next generation follows
    double weights[PPS_MOST_OFFSPRING / 2], mu_eff;
    double c_sigma, d_sigma, c_c, c_1, c_mu, chi;
    double mean[PPS_MOST_COORDINATES], sigma;
    double p_sigma[PPS_MOST_COORDINATES], p_c[PPS_MOST_COORDINATES];
    double covariance[PPS_MOST_COORDINATES * PPS_MOST_COORDINATES];
    double axes[PPS_MOST_COORDINATES * PPS_MOST_COORDINATES], lengths[PPS_MOST_COORDINATES];
    uint64_t seed;
    uint32_t generation;
    double best;         // lowest value so far
    uint32_t since_best; // generations without a lower one
    bool flat;           // the last generation had one value only
};

// Returns the usual number of points of a generation for n coordinates: 4 + 3 ln n, at least 8.
int pps_cma_lambda(int n);

// Starts at a point of the domain. sigma: first standard deviation; lambda is at most
// PPS_MOST_OFFSPRING.
void pps_cma_begin(struct pps_cma *cma, const struct pps_domain *domain, const double *x,
                   double sigma, int lambda, uint64_t seed);

// Returns whether the search has ended: the distribution is narrower than all grains, the values are all
// equal, or no lower value came for a long time.
bool pps_cma_has_ended(const struct pps_cma *cma);

// Writes the lambda points of the next generation: x[i * n + c].
void pps_cma_ask(const struct pps_cma *cma, double *x);

// Takes the points of the generation with their values; INFINITY: no value.
void pps_cma_tell(struct pps_cma *cma, const double *x, const double *values);
