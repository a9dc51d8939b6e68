// SPDX-License-Identifier: Apache-2.0
// Draws the utilisation of lanes over time as a panel, where tasks are too many to draw: one section per
// track, one row per group (or per several groups), one cell per bin of time.
#pragma once

#include "engine/trace/time_axis.h"
#include "engine/trace/trace_pieces.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Lengths are in pixels.
struct pps_load_panel {
    const struct pps_trace_pieces *pieces;
    int32_t *groups; // that have segments
    int32_t n_groups;
    int32_t *tracks; // that have segments
    int32_t n_tracks;
    int32_t together; // groups of a row
    int32_t n_rows;   // of a section
    bool strips;      // the counters are drawn
    int step;         // bins of a cell
    double row;       // height of a row
    double h;
};

// Lays out a panel of a picture of n_panels. The pieces must stay valid. Returns false if memory runs
// out. The caller closes it in every case.
bool pps_load_panel_open(struct pps_load_panel *panel, const struct pps_trace_pieces *pieces,
                         int n_panels);
void pps_load_panel_close(struct pps_load_panel *panel);

// Sets the time of a cell for all n panels of a picture, so that cells are wide enough to see. Returns
// the time.
double pps_load_panel_cells(struct pps_load_panel *panels, int n,
                            const struct pps_time_axis *axis);

// Draws the panel. Returns false if memory runs out.
bool pps_load_panel_draw(const struct pps_load_panel *panel, FILE *out,
                         const struct pps_time_axis *axis, double top);

// Returns the highest utilisation of a cell.
double pps_load_panel_highest(const struct pps_load_panel *panel);
