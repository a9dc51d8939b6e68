// SPDX-License-Identifier: Apache-2.0
// Draws the legend of a picture: the colours of the kinds of tasks, or the shades of utilisation, and
// what heights and numbers mean. It takes as many lines as it needs.
#ifndef PPS_ENGINE_TRACE_TRACE_LEGEND_H
#define PPS_ENGINE_TRACE_TRACE_LEGEND_H

#include "engine/trace/trace_pieces.h"

#include <stdbool.h>
#include <stdio.h>

struct pps_trace_legend {
    const struct pps_trace_pieces *points;
    int n_points;
    bool loads;     // the picture shows utilisation
    double highest; // rate of full height, or the highest utilisation
};

// Draws the legend. x, y: left end and middle of its first line, in pixels; room: the width. Returns
// the number of lines; out NULL: draws nothing.
int pps_trace_legend_draw(const struct pps_trace_legend *legend,
                          FILE *out,
                          double x,
                          double y,
                          double room);

#endif
