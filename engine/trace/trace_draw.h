// SPDX-License-Identifier: Apache-2.0
// Draws the tasks of one timeline as a panel: one band per group, one lane per track (several if tasks
// of a track overlap), counters below. Colours show kinds; the height of a segment shows its rate.
#pragma once

#include "engine/trace/time_axis.h"
#include "engine/trace/trace_pieces.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Lengths are in pixels.
struct pps_task_panel {
    const struct pps_trace_pieces *pieces;
    struct pps_drawn_task *tasks;
    size_t n_tasks;
    struct pps_lane_place *places; // from top to bottom, one per lane
    double *y;                     // of each lane
    double h;
    size_t most; // tasks of a lane
    bool brief;  // names of lanes end at a colon
};

// Lays out a panel. The pieces must stay valid. Returns false if memory runs out. The caller closes it
// in every case.
bool pps_task_panel_open(struct pps_task_panel *panel, const struct pps_trace_pieces *pieces);
void pps_task_panel_close(struct pps_task_panel *panel);

// Draws the names of lanes, their grounds and the counters; then the tasks over the lines of the axis.
// highest: the rate of full height.
void pps_task_panel_ground(const struct pps_task_panel *panel, FILE *out,
                           const struct pps_time_axis *axis, double top);
void pps_task_panel_draw(const struct pps_task_panel *panel, FILE *out,
                         const struct pps_time_axis *axis, double top, double highest);
