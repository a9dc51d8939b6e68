// SPDX-License-Identifier: Apache-2.0
// Draws a picture of the timelines of one point or of two: titles, notes, a legend, one panel per point
// and one time axis.
#pragma once

#include "engine/trace/trace_pieces.h"

#include <stdbool.h>
#include <stdio.h>

// ---- trace style --------------------------------------------------------------------------------

#define PPS_TRACE_INK    "#333333"
#define PPS_TRACE_PALE   "#666666"
#define PPS_TRACE_GROUND "#f4f4f4"

// Lengths in pixels.
#define PPS_TRACE_CHAR   6.6 // width of a character of the default size, rounded up
#define PPS_TRACE_LINE   19.0
#define PPS_TRACE_MARGIN 16.0

enum { PPS_TRACE_SHADES = 10 };

// Returns the colour of a utilisation above (shade - 1) / 10 up to shade / 10, from 1 to
// PPS_TRACE_SHADES: the higher, the darker.
const char *pps_trace_shade(int shade);

// ---- trace page ---------------------------------------------------------------------------------

struct pps_trace_page {
    const struct pps_trace_pieces *points;
    int n_points;      // 1 or 2
    bool loads;        // utilisation in place of tasks
    const char *why;   // there is utilisation: a clause, or ""
    const char *shown; // the part of the timelines: sentences, or ""
    double width;      // on paper, in mm; 0: as wide as the tasks need
    bool is_png;       // the picture becomes a PNG, which has 300 dots per inch of paper
};

// Returns false if memory runs out. Writing errors show in `out`.
bool pps_trace_page_draw(const struct pps_trace_page *page, FILE *out);
