// SPDX-License-Identifier: Apache-2.0
// Collects the timeline of one point for a page: segments on lanes, as in pictures of timelines, or, if these
// are too many, the utilisation of lanes.
#pragma once

#include "base/text/text_buffer.h"
#include "engine/timeline/lanes.h"
#include "engine/timeline/load.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    PPS_PAGE_PIECES = 20000, // of a timeline; a longer one is shown as utilisation,
    PPS_PAGE_LANES = 1500,   // and so is one with more lanes
    PPS_PAGE_CELLS = 60000,  // of the utilisation of a timeline
};

struct pps_timeline_parts {
    const struct pps_trace_names *names;
    struct text_buffer text; // the segments, until they are too many
    struct pps_lanes lanes;
    struct pps_load load;
    size_t n; // segments
    double end;
    double highest; // rate; 1 or more: 1 is the rate without contention
    bool flagged, no_memory;
};

// The names must stay valid. The caller closes the parts.
void pps_timeline_parts_open(struct pps_timeline_parts *parts,
                             const struct pps_trace_names *names);
void pps_timeline_parts_close(struct pps_timeline_parts *parts);

// Returns the sink of the segments, which come in order of their start.
struct pps_trace_sink pps_timeline_parts_sink(struct pps_timeline_parts *parts);

// Returns the segments or what the utilisation counts for at most, as pps_timeline_parts_write does.
size_t pps_timeline_parts_most(const struct pps_timeline_parts *parts);

// Appends members of a JSON object. Returns the number of segments, or what the utilisation counts for in place
// of segments.
size_t pps_timeline_parts_write(const struct pps_timeline_parts *parts,
                                struct text_buffer *json);
