// SPDX-License-Identifier: Apache-2.0
// Draws the trace of one point as an SVG: one band per group, one lane per track (several if
// tasks of a track overlap), time on the x axis. Colours show kinds; the height of a segment
// shows its rate.
#ifndef PPS_ENGINE_TRACE_TRACE_SVG_H
#define PPS_ENGINE_TRACE_TRACE_SVG_H

#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stdio.h>

#define PPS_TRACESVG_PIECES 20000 // more segments are too many for an SVG

struct pps_tracesvg;

struct pps_trace_window {
    double from, to; // 0, INFINITY: the whole trace
};

// Opens an empty picture. title (one line, split at spaces if it is long) and names must stay
// valid. Only segments inside the window count. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_tracesvg_open(struct pps_tracesvg **svg,
                                                 const char *title,
                                                 struct pps_trace_window window,
                                                 const struct pps_trace_names *names,
                                                 struct pps_error *err);

// Returns the sink for a kernel's `trace`, which sends segments in order of their start.
struct pps_trace_sink pps_tracesvg_sink(struct pps_tracesvg *svg);

// Draws the picture. Returns PPS_E_INPUT, with an alternative, for more than
// PPS_TRACESVG_PIECES segments; PPS_E_MACHINE if the picture cannot be written.
PPS_MUST_CHECK enum pps_status pps_tracesvg_draw(const struct pps_tracesvg *svg,
                                                 FILE *out,
                                                 struct pps_error *err);

void pps_tracesvg_close(struct pps_tracesvg *svg); // NULL is fine

#endif
