// SPDX-License-Identifier: Apache-2.0
// Marks the cells of a map. Private to slice.c and matrix.c.
#pragma once

#include "engine/slice/slice_private.h"

// Returns PPS_E_INPUT for a mean if the rows of two cells of a map cover different combinations
// of the other parameters.
PPS_MUST_CHECK enum pps_status pps_slice_check_mean(const struct pps_slices *cut,
                                                    struct pps_error *err);

// Fills ties, hatched and uneven of a slice whose cells and best cell are known. x_place and
// y_place map the rank of a label to its place in the slice. Returns false if memory runs out.
bool pps_slice_mark(const struct pps_slices *cut, struct pps_slice_span span,
                    const uint32_t *x_place, const uint32_t *y_place, struct pps_slice *slice);
