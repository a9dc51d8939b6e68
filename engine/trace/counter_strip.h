// SPDX-License-Identifier: Apache-2.0
// Draws a counter of a trace as a strip below the lanes of its group: its value over time, and
// its limit.
#pragma once

#include "engine/trace/time_axis.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// All levels and limits of a trace in the order in which the kernel sends them. Levels of one
// group and counter are in order of time. A zeroed struct is empty.
struct pps_trace_levels {
    struct pps_level *list;
    size_t n, room;
    struct pps_limit *limits;
    size_t n_limits, limits_room;
    double end; // of the timeline: the last values end there; 0: with the picture
};

// Return false if memory runs out.
bool pps_levels_add(struct pps_trace_levels *levels, const struct pps_level *level);
bool pps_levels_limit(struct pps_trace_levels *levels, const struct pps_limit *limit);
void pps_levels_free(struct pps_trace_levels *levels);

// Returns how high the strip of a counter is: its highest value or limit in all groups; 0 if the counter does not occur. A limit
// that is far above all values would make them flat, and does not count. *limit: the highest limit; 0: there is none.
double pps_levels_highest(const struct pps_trace_levels *levels, int32_t counter,
                          double *limit);

bool pps_levels_has(const struct pps_trace_levels *levels, int32_t group);

// Draws the counter of a group along the axis from y on, as high as the value `highest`; a limit is a line. Where
// values change more often than every half pixel, the highest is drawn.
void pps_strip_draw(FILE *out, const struct pps_trace_levels *levels, int32_t group,
                    int32_t counter, const struct pps_time_axis *axis, double y, double h,
                    double highest);
