// SPDX-License-Identifier: Apache-2.0
// A grid is all combinations of the values of the axes of a space, in order, without draws and
// rules. space.c adds both; sample.c draws from a grid.
#pragma once

#include "engine/space/space.h"

// ---- dependent counts ---------------------------------------------------------------------------

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

// ---- grid ---------------------------------------------------------------------------------------

// Derives the order of the axes: live, first_column and highest. Returns PPS_E_INPUT (no place)
// for an axis that depends on itself or on a later axis.
PPS_MUST_CHECK enum pps_status pps_grid_prepare(struct pps_space *space, struct pps_error *err);

// Counts the points of a prepared grid: below and n_points. Returns PPS_E_INPUT (no place) if
// there are none or too many.
PPS_MUST_CHECK enum pps_status pps_grid_count(struct pps_space *space, struct pps_error *err);

// Moves to point index < n_points. space->sample is ignored.
void pps_grid_seek(struct pps_cursor *cursor, const struct pps_space *space, uint64_t index);

// Moves from the point before to the point cursor->index < n_points, which must be the first
// point past the current value of some axis.
void pps_grid_advance(struct pps_cursor *cursor);
