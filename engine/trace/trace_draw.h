// SPDX-License-Identifier: Apache-2.0
// Draws the segments of a trace, for trace_svg.c, which collects them.
#ifndef PPS_ENGINE_TRACE_TRACE_DRAW_H
#define PPS_ENGINE_TRACE_TRACE_DRAW_H

#include "engine/trace/counter_strip.h"
#include "engine/trace/lanes.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pps_drawn_piece {
    struct pps_piece piece;
    int32_t lane; // index in lanes.list
};

struct pps_trace_pieces {
    const char *title; // split into lines at spaces
    const struct pps_trace_names *names;
    struct pps_lanes lanes;
    struct pps_drawn_piece *list; // in order of their start
    size_t n;
    struct pps_trace_levels levels;
    double begin;   // of the picture
    double end;     // end of the last segment
    double highest; // highest rate
    bool flagged;   // at least one segment has a flag
};

// Returns false if memory runs out. Writing errors show in `out`.
bool pps_trace_draw(const struct pps_trace_pieces *pieces, FILE *out);

#endif
