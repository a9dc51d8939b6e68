// SPDX-License-Identifier: Apache-2.0
// Sobol' sequences are points of the unit cube that fill it more evenly than random points, for
// any number of points. A seed scrambles the sequence, so that different seeds give different
// samples and no point is in the corner.
#pragma once

#include <stdint.h>

enum { PPS_SOBOL_DIMENSIONS = 37, PPS_SOBOL_BITS = 53 };

// Built once, then const and shared by all threads.
struct pps_sobol {
    uint64_t direction[PPS_SOBOL_DIMENSIONS][PPS_SOBOL_BITS]; // for bit b of a point's number
    uint64_t shift[PPS_SOBOL_DIMENSIONS];
};

// Builds the sequence without scrambling.
void pps_sobol_init(struct pps_sobol *sobol);

// Scrambles the sequence with a random lower triangular matrix and a random shift of digits for
// every dimension (Matousek: On the L2-discrepancy for anchored boxes; J. Complexity 14, 1998).
// Scrambling keeps every property of its nets.
void pps_sobol_scramble(struct pps_sobol *sobol, uint64_t seed, uint32_t purpose);

// Returns coordinate `dimension` of point k < 2^53, times 2^53.
uint64_t pps_sobol_at(const struct pps_sobol *sobol, uint64_t k, int dimension);
