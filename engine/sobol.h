// SPDX-License-Identifier: Apache-2.0
// Sobol' sequences: points of the unit cube that fill it more evenly than chance, in whatever
// number they are taken. Scrambled by a seed, so that samples of different seeds are different
// and none has a point in the corner.
#ifndef PPS_SOBOL_H
#define PPS_SOBOL_H

#include <stdint.h>

enum { PPS_SOBOL_DIMENSIONS = 37, PPS_SOBOL_BITS = 53 };

// Built once, then const.
struct pps_sobol {
    uint64_t direction[PPS_SOBOL_DIMENSIONS][PPS_SOBOL_BITS]; // of bit b of a point's number
    uint64_t shift[PPS_SOBOL_DIMENSIONS];
};

// The plain sequence.
void pps_sobol_init(struct pps_sobol *sobol);

// Scrambles it: a random lower triangular matrix and a random shift of digits for every
// dimension (Matousek: On the L2-discrepancy for anchored boxes; J. Complexity 14, 1998), which
// keep every property of its nets.
void pps_sobol_scramble(struct pps_sobol *sobol, uint64_t seed, uint32_t purpose);

// Coordinate of point k < 2^53, times 2^53.
uint64_t pps_sobol_at(const struct pps_sobol *sobol, uint64_t k, int dimension);

#endif
