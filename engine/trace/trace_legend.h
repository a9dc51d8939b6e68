// SPDX-License-Identifier: Apache-2.0
// The legend shows the colours of the kinds of tasks, and what heights and numbers mean.
#ifndef PPS_ENGINE_TRACE_TRACE_LEGEND_H
#define PPS_ENGINE_TRACE_TRACE_LEGEND_H

#include "engine/trace/trace_draw.h"

#define PPS_TRACE_INK  "#333333"
#define PPS_TRACE_PALE "#777777"
#define PPS_TRACE_CHAR 7.0 // width in pixels of a character of the default size, rounded up

struct pps_trace_colour {
    const char *fill;
    const char *tint; // fill of a task that is slowed down
    const char *ink;  // text on `fill`
};

// Returns the colour of a kind; kinds share colours if there are many.
const struct pps_trace_colour *pps_trace_colour(int32_t kind);

// Draws one line with the left end x and the middle y, in pixels.
void pps_trace_legend(const struct pps_trace_pieces *pieces, FILE *out, double x, double y);

#endif
