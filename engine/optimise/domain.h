// SPDX-License-Identifier: Apache-2.0
// A domain is the set of coordinates that an optimiser may try: some numbers in [0, 1], and weights that
// are at least 0 and add up to 1.
#ifndef PPS_ENGINE_OPTIMISE_DOMAIN_H
#define PPS_ENGINE_OPTIMISE_DOMAIN_H

#include <stdint.h>

enum {
    PPS_MOST_COORDINATES = 32,
    PPS_FOR_START = 12 << 24, // the random numbers that choose starts
};

struct pps_domain {
    int n_box;                          // coordinates 0 ... n_box - 1
    int n_weights;                      // the coordinates after them; 0, or at least 2
    double grain[PPS_MOST_COORDINATES]; // least change of a number that matters
};

// Returns the number of coordinates.
static inline int pps_domain_size(const struct pps_domain *domain)
{
    return domain->n_box + domain->n_weights;
}

// Moves x to the nearest place in the domain: numbers are cut at 0 and 1, and weights are projected on
// the simplex (Held, Wolfe, Crowder 1974; Duchi, Shalev-Shwartz, Singer, Chandra: Efficient projections
// onto the l1-ball; ICML 2008, figure 1).
void pps_domain_repair(const struct pps_domain *domain, double *x);

void pps_domain_middle(const struct pps_domain *domain, double *x);

// Draws place k evenly: weights are spacings of exponential numbers.
void pps_domain_draw(const struct pps_domain *domain, uint64_t seed, uint64_t k, double *x);

#endif
