// SPDX-License-Identifier: Apache-2.0
// Exact numbers of points below dependent axes, remembered by what they depend on.
#ifndef PPS_SUBTREES_H
#define PPS_SUBTREES_H

#include "space.h"

// Counts everything below the first axis of space (whose live masks are set) and remembers it;
// notes the greatest values of dependent axes in space->highest. PPS_E_INPUT beyond 2^63 points
// or when there is too much to count.
PPS_MUST_CHECK enum pps_status pps_subtrees_count(struct pps_space *space,
                                                  uint64_t *n_points,
                                                  struct pps_error *err);

// Where all was counted and there is no point: an axis that has no values at the first of those
// before it. Otherwise NULL.
const struct pps_axis *pps_subtrees_empty_axis(const struct pps_space *space);

void pps_subtrees_free(struct pps_subtrees *subtrees); // NULL is fine

// Points below level d (axes d and inwards) at a point whose axes before d are set. Known for
// every point that can be reached.
uint64_t pps_subtrees_below(const struct pps_space *space, int d, const double *point);

#endif
