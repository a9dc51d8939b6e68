// SPDX-License-Identifier: Apache-2.0
// The plot module draws heatmaps or lines of a result: it cuts the result into slices and draws
// each slice with gnuplot.
#pragma once

#include "base/text/status.h"
#include "engine/picture/pictures.h"
#include "engine/slice/slice.h"

#include <stdbool.h>
#include <stddef.h>

#define PPS_PLOT_LIMIT 24 // default number of maps drawn

struct pps_plot_ask {
    struct pps_slice_ask cut; // max_maps is ignored
    struct pps_picture_ask pictures;
    size_t limit; // maximum number of maps, from the first; 0: all
    bool lines;   // draw the value over x, one line per y, instead of a map; without chosen
                  // axes also if each map would be one row or one column
};

struct pps_plot_count {
    size_t maps, pictures;
    size_t left_out; // maps not drawn because of the limit
    bool at_least;   // left_out is a lower bound
};

// Draws <folder>/<stem>-<values that distinguish the maps>.png and .svg, or -lines.png and
// -lines.svg. Draws nothing if one of the pictures must not be replaced (pps_pictures_check) or
// if gnuplot is missing (PPS_E_MACHINE).
PPS_MUST_CHECK enum pps_status pps_plot(const struct pps_plot_ask *ask,
                                        struct pps_plot_count *count, struct pps_error *err);
