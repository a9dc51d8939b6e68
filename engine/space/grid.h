// SPDX-License-Identifier: Apache-2.0
// A grid is all combinations of the values of the axes of a space, in order, without draws and
// rules. space.c adds both; sample.c draws from a grid.
#ifndef PPS_ENGINE_SPACE_GRID_H
#define PPS_ENGINE_SPACE_GRID_H

#include "engine/space/space.h"

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

#endif
