// SPDX-License-Identifier: Apache-2.0
// Finds the numbers of the rows that show given points: rows are numbered from 1, as `trace
// --row` takes them.
#ifndef PPS_ENGINE_RUN_ROW_NUMBERS_H
#define PPS_ENGINE_RUN_ROW_NUMBERS_H

#include "engine/run/sweep.h"

// The rows of n points of a sweep, whose numbers ascend and which have rows. Walks the points that
// come before them, which takes far less than computing these.
PPS_MUST_CHECK enum pps_status pps_row_numbers(const struct pps_sweep *sweep,
                                               const uint64_t *points,
                                               size_t n,
                                               uint64_t *rows,
                                               struct pps_error *err);

#endif
