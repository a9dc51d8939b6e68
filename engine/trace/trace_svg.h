// SPDX-License-Identifier: Apache-2.0
// Collects the timeline of one point or of two, and draws them as an SVG: tasks on lanes, or, if these
// are too many, the utilisation of lanes.
#pragma once

#include "base/text/status.h"
#include "engine/timeline/part.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stdio.h>

// A picture with more shows utilisation.
enum { PPS_TRACESVG_PIECES = 20000, PPS_TRACESVG_LANES = 120 };

struct pps_tracesvg;

// Opens an empty picture. names must stay valid. loads: shows utilisation in any case. After an error
// there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_tracesvg_open(struct pps_tracesvg **svg,
                                                 const struct pps_trace_names *names,
                                                 bool loads, struct pps_error *err);

// Begins the timeline of a point, the first or the second. title names the point (one line, split at
// blanks if it is long) and must stay valid.
void pps_tracesvg_begin(struct pps_tracesvg *svg, const char *title,
                        struct pps_trace_window window);

// Returns the sink for the segments of the part that is shown.
struct pps_trace_sink pps_tracesvg_sink(struct pps_tracesvg *svg);

// Ends the timeline of a point. end: of the whole timeline.
void pps_tracesvg_end(struct pps_tracesvg *svg, double end);

struct pps_tracesvg_look {
    const char *shown; // which part of the timelines it shows, as sentences; or ""
    double width;      // on paper, in mm; 0: as wide as the tasks need
    bool is_png;       // the picture becomes a PNG
};

// Draws the picture. Returns PPS_E_MACHINE if it cannot be written.
PPS_MUST_CHECK enum pps_status pps_tracesvg_draw(const struct pps_tracesvg *svg,
                                                 const struct pps_tracesvg_look *look,
                                                 FILE *out, struct pps_error *err);

// Returns whether the picture shows utilisation.
bool pps_tracesvg_shows_loads(const struct pps_tracesvg *svg);

void pps_tracesvg_close(struct pps_tracesvg *svg); // NULL is fine
