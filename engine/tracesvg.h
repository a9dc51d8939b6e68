// SPDX-License-Identifier: Apache-2.0
// The trace of one point as a picture: a band a group, in it a lane a track (several where tasks
// of a track overlap), time to the right. Colours tell kinds, the height of a piece its rate.
#ifndef PPS_TRACESVG_H
#define PPS_TRACESVG_H

#include "kernel.h"
#include "status.h"

#include <stdio.h>

#define PPS_TRACESVG_PIECES 20000 // more are no picture

struct pps_tracesvg;

struct pps_trace_window {
    double from, to; // 0, INFINITY: all of it
};

// title (one line, words part it into several) and names must stay valid. Only what the window
// shows counts.
PPS_MUST_CHECK enum pps_status pps_tracesvg_open(struct pps_tracesvg **svg,
                                                 const char *title,
                                                 struct pps_trace_window window,
                                                 const struct pps_trace_names *names,
                                                 struct pps_error *err);

// Where a kernel's `trace` puts its pieces, in order of their start.
struct pps_trace_sink pps_tracesvg_sink(struct pps_tracesvg *svg);

// Draws the picture. PPS_E_INPUT where there are more pieces than PPS_TRACESVG_PIECES, with
// what to write instead; PPS_E_MACHINE where it could not be written.
PPS_MUST_CHECK enum pps_status pps_tracesvg_draw(const struct pps_tracesvg *svg,
                                                 FILE *out,
                                                 struct pps_error *err);

void pps_tracesvg_close(struct pps_tracesvg *svg); // NULL is fine

#endif
