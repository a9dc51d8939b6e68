// SPDX-License-Identifier: Apache-2.0
// Subtree counts are exact numbers of points below dependent axes, stored by the parameters on
// which they depend.
#ifndef PPS_ENGINE_SPACE_DEPENDENT_COUNTS_H
#define PPS_ENGINE_SPACE_DEPENDENT_COUNTS_H

#include "engine/space/space.h"

// Counts all points below the first axis of space (whose live masks are set) and stores the
// counts. Sets space->highest to the maxima of dependent axes. Returns PPS_E_INPUT for more
// than 2^63 points or too many combinations to count.
PPS_MUST_CHECK enum pps_status pps_dependent_counts_count(struct pps_space *space,
                                                          uint64_t *n_points,
                                                          struct pps_error *err);

// After a count that found no point: returns an axis without values at the first values of the
// axes before it. Otherwise returns NULL.
const struct pps_axis *pps_dependent_counts_empty_axis(const struct pps_space *space);

void pps_dependent_counts_free(struct pps_dependent_counts *subtrees); // NULL is fine

// Returns the number of points below level d (axes d and inwards) at a point whose axes before
// d are set. Known for every reachable point.
uint64_t pps_dependent_counts_below(const struct pps_space *space, int d, const double *point);

#endif
