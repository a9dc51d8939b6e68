// SPDX-License-Identifier: Apache-2.0
// Draws a picture of the timelines of one point or of two: titles, notes, a legend, one panel per point
// and one time axis.
#ifndef PPS_ENGINE_TRACE_TRACE_PAGE_H
#define PPS_ENGINE_TRACE_TRACE_PAGE_H

#include "engine/trace/trace_pieces.h"

#include <stdbool.h>
#include <stdio.h>

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

#endif
