// SPDX-License-Identifier: Apache-2.0
// A part of a timeline: chosen groups and a window of time. A sink passes on what is in the part, and
// counts what there is.
#pragma once

#include "base/text/status.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- group list ---------------------------------------------------------------------------------

enum { PPS_GROUP_RANGES = 256 };

// Ranges in ascending order that neither overlap nor touch. A zeroed struct is empty.
struct pps_group_list {
    int n;
    struct pps_group_range {
        int32_t first, last;
    } range[PPS_GROUP_RANGES];
};

// Reads a list of whole numbers and ranges in any order. Returns PPS_E_INPUT, with `option` in
// front, for anything else and for more than PPS_GROUP_RANGES entries.
PPS_MUST_CHECK enum pps_status pps_group_list_read(struct pps_group_list *list,
                                                   const char *option, const char *text,
                                                   struct pps_error *err);

bool pps_group_list_has(const struct pps_group_list *list, int32_t group);

// Returns the largest number of a list that is not empty.
int32_t pps_group_list_last(const struct pps_group_list *list);

// Writes the list as "0, 3, 8-11"; "..." replaces what has no room.
void pps_group_list_text(const struct pps_group_list *list, char *text, size_t cap);

// ---- part ---------------------------------------------------------------------------------------

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

void pps_part_open(struct pps_part_sink *sink, const struct pps_part *part,
                   struct pps_trace_sink to, const struct pps_trace_names *names);

// Returns the sink for a kernel's `trace`, which sends segments in order of their start.
struct pps_trace_sink pps_part_sink(struct pps_part_sink *sink);

// Sends what remains. Returns PPS_E_MACHINE if memory ran out.
PPS_MUST_CHECK enum pps_status pps_part_end(struct pps_part_sink *sink, struct pps_error *err);

void pps_part_close(struct pps_part_sink *sink);
