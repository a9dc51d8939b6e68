// SPDX-License-Identifier: Apache-2.0
// A design is a sample whose draws belong together, so that `ppsweep sensitivity` can tell what each
// axis does. The draws come in groups of equal size. A factor is an axis with more than one value.
//
// saltelli: a group has d + 2 draws for d factors: A, B, and for each factor A with that factor from
// B. A and B are the two halves of a point of a scrambled Sobol' sequence of 2 d dimensions, or random
// numbers if the sequence has too few dimensions (Saltelli et al.: Variance based sensitivity analysis
// of model output; Computer Physics Communications 181, 2010).
//
// morris: a group is a trajectory of d + 1 draws. From one draw to the next, one factor moves by about
// half of its range; every factor moves once, in random order (Morris: Factorial sampling plans for
// preliminary computational experiments; Technometrics 33, 1991). A continuous factor takes four
// levels. A factor without an order (names, paired lists, the kernel's composite axis) moves to any
// other of its values.
#pragma once

#include "engine/space/sample.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_MORRIS_LEVELS = 4 };

static inline bool pps_sample_is_design(const struct pps_sample *sample)
{
    return sample != NULL &&
           (sample->method == PPS_SAMPLE_SALTELLI || sample->method == PPS_SAMPLE_MORRIS);
}

// Finds the factors of the space, outermost first, and sets n_factors, factors, factor_of and group of
// the sample.
void pps_design_prepare(const struct pps_space *space, struct pps_sample *sample);

// Returns whether the values of an axis have an order: numbers, not names, pairs or a composite axis.
bool pps_design_is_ordered(const struct pps_space *space, int d);

// saltelli: returns the random number of axis d in draw k, times 2^53.
uint64_t pps_saltelli_draw(const struct pps_space *space, int d, uint64_t k);

// morris: returns which of n values axis d takes in draw k.
uint64_t pps_morris_value(const struct pps_space *space, int d, uint64_t k, uint64_t n);

// morris: returns the factor, from 0, that moves between draw k - 1 and draw k; -1: draw k begins a
// trajectory.
int pps_morris_moved(const struct pps_space *space, uint64_t k);
