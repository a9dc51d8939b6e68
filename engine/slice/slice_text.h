// SPDX-License-Identifier: Apache-2.0
// Writes the titles and names of the maps of a sliced result, for matrix.c.
#pragma once

#include "engine/slice/slice_private.h"

#include <stdbool.h>

// Decides whether maps are named by the values that distinguish them or by number. Returns
// false if memory runs out.
bool pps_slice_choose_names(struct pps_slices *cut);

// Returns value b of the columns that distinguish maps, in map i.
struct pps_cell pps_slice_map_value(const struct pps_slices *cut, size_t map, int b);

// Fills the title of map i. Returns false if memory runs out.
bool pps_slice_title(const struct pps_slices *cut, size_t i, struct pps_slice *slice);
