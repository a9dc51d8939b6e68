// SPDX-License-Identifier: Apache-2.0
// Heatmaps, or lines, of a result: cuts it into slices and has gnuplot draw each.
#ifndef PPS_PLOT_H
#define PPS_PLOT_H

#include "picture.h"
#include "slice.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>

#define PPS_PLOT_LIMIT 24 // maps drawn unless told otherwise

struct pps_plot_ask {
    struct pps_cut_ask cut; // max_maps does not count
    struct pps_picture_ask pictures;
    size_t limit; // maps drawn, the first ones; 0: all
    bool lines;   // the value over x, a line for each y, and no map
};

struct pps_plot_count {
    size_t maps, pictures;
    size_t left_out; // maps beyond the limit
    bool at_least;   // they may be more
};

// Draws <folder>/<stem>-<what tells the maps apart>.png and .svg, -lines.png and so on. Nothing is
// drawn where one of the pictures may not be replaced (pps_pictures_check), or where gnuplot is
// missing (PPS_E_MACHINE).
PPS_MUST_CHECK enum pps_status pps_plot(const struct pps_plot_ask *ask,
                                        struct pps_plot_count *count,
                                        struct pps_error *err);

#endif
