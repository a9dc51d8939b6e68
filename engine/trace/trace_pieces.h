// SPDX-License-Identifier: Apache-2.0
// What a picture knows of the timeline of a point: its segments on lanes, its counters, its load.
#pragma once

#include "engine/timeline/lanes.h"
#include "engine/timeline/load.h"
#include "engine/trace/counter_strip.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>

struct pps_drawn_piece {
    struct pps_piece piece;
    int32_t lane;   // index in lanes.list
    bool continues; // the task of the segment before on the lane
};

struct pps_trace_pieces {
    const char *title; // names the point
    const struct pps_trace_names *names;
    struct pps_lanes lanes;
    struct pps_drawn_piece *list; // in order of their start; not all if the picture shows loads
    size_t n, room;
    size_t n_seen; // segments, those that are not in the list included
    struct pps_trace_levels levels;
    bool levels_lost; // there were too many levels to keep
    struct pps_load load;
    double begin;     // of the picture
    double shown_end; // end of the last segment in the picture
    double end;       // of the whole timeline
    double highest;   // highest rate
    bool slowed;      // at least one segment has a rate below 1
    bool flagged;     // at least one segment has a flag
    bool kinds[64];   // kinds that occur; later ones share the last
};
