// SPDX-License-Identifier: Apache-2.0
// A part of a timeline: chosen groups and a window of time. A sink passes on what is in the part, and
// counts what there is.
#ifndef PPS_ENGINE_TIMELINE_PART_H
#define PPS_ENGINE_TIMELINE_PART_H

#include "engine/timeline/group_list.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>

struct pps_trace_window {
    double from, to; // 0, INFINITY: the whole timeline
};

struct pps_part {
    const struct pps_group_list *groups; // NULL: all
    struct pps_trace_window window;
};

// A sink. Segments are cut at the borders of the window. A counter keeps the value that it has at
// `from`: this value is passed on with the time `from`.
struct pps_part_sink {
    struct pps_part part;
    struct pps_trace_sink to;
    int n_counters;
    struct pps_part_level *waiting; // [group * n_counters + counter]: the value at `from`
    size_t n_waiting;               // groups
    double end;                     // of all segments
    int32_t n_groups;               // of all segments
    bool no_memory;
};

void pps_part_open(struct pps_part_sink *sink,
                   const struct pps_part *part,
                   struct pps_trace_sink to,
                   const struct pps_trace_names *names);

// Returns the sink for a kernel's `trace`, which sends segments in order of their start.
struct pps_trace_sink pps_part_sink(struct pps_part_sink *sink);

// Sends what remains. Returns PPS_E_MACHINE if memory ran out.
PPS_MUST_CHECK enum pps_status pps_part_end(struct pps_part_sink *sink, struct pps_error *err);

void pps_part_close(struct pps_part_sink *sink);

#endif
