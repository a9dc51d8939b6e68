// SPDX-License-Identifier: Apache-2.0
// Heatmaps of a result: cuts it into slices and has gnuplot draw each.
#ifndef PPS_PLOT_H
#define PPS_PLOT_H

#include "slice.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PPS_PLOT_LIMIT 24 // maps drawn unless told otherwise

struct pps_plot_ask {
    struct pps_cut_ask cut; // max_maps does not count
    const char *scripts;    // the folder that holds heatmap.gp
    const char *folder;     // for the pictures; it is made. NULL: as pps_plot_folder says
    bool png, svg;
    bool force;   // replace pictures that exist
    size_t limit; // maps drawn, the first ones; 0: all
    FILE *paths;  // gets the pictures' paths, one a line; or NULL
};

struct pps_plot_count {
    size_t maps, pictures;
    size_t left_out; // maps beyond the limit
    bool at_least;   // they may be more
};

// Draws <folder>/<stem>-<what tells the maps apart>.png and .svg. Nothing is drawn where one of
// the pictures exists and !force (PPS_E_INPUT), or where gnuplot is missing (PPS_E_MACHINE).
PPS_MUST_CHECK enum pps_status pps_plot(const struct pps_plot_ask *ask,
                                        struct pps_plot_count *count,
                                        struct pps_error *err);

// Where pictures of a result go by default: heatmaps/ beside the folder data/ that holds it,
// otherwise outputs/heatmaps.
void pps_plot_folder(const char *result, char *out, size_t cap);

// Finds the folder of the plot scripts: $PPSWEEP_PLOT_SCRIPTS, built_in, or
// ../share/ppsweep/plot_scripts from the program. PPS_E_MACHINE where none has heatmap.gp.
PPS_MUST_CHECK enum pps_status pps_plot_scripts(const char *built_in,
                                                char *out,
                                                size_t cap,
                                                struct pps_error *err);

#endif
