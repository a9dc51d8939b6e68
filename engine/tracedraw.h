// SPDX-License-Identifier: Apache-2.0
// Draws the pieces of a trace; for tracesvg.c, which collects them.
#ifndef PPS_TRACEDRAW_H
#define PPS_TRACEDRAW_H

#include "kernel.h"
#include "tracelanes.h"
#include "tracestrip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct pps_drawn_piece {
    struct pps_piece piece;
    int32_t lane; // index in lanes.list
};

struct pps_trace_pieces {
    const char *title; // words part it into lines
    const struct pps_trace_names *names;
    struct pps_lanes lanes;
    struct pps_drawn_piece *list; // in order of their start
    size_t n;
    struct pps_trace_levels levels;
    double begin;   // of the picture
    double end;     // of the last one
    double highest; // rate
    bool flagged;   // has any a flag?
};

// False: no memory. Writing errors show in `out`.
bool pps_trace_draw(const struct pps_trace_pieces *pieces, FILE *out);

#endif
