// SPDX-License-Identifier: Apache-2.0
// A counter of a trace as a strip below the lanes of its group: how its value changes over time, and
// the bound it should keep to.
#ifndef PPS_TRACESTRIP_H
#define PPS_TRACESTRIP_H

#include "kernel.h"
#include "svg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// All levels and limits of a trace, in the order they were told; levels of one group and counter are
// in order of time. Zero is empty.
struct pps_trace_levels {
    struct pps_level *list;
    size_t n, room;
    struct pps_limit *limits;
    size_t n_limits, limits_room;
};

// false: no memory.
bool pps_levels_add(struct pps_trace_levels *levels, const struct pps_level *level);
bool pps_levels_limit(struct pps_trace_levels *levels, const struct pps_limit *limit);
void pps_levels_free(struct pps_trace_levels *levels);

// The greatest value or limit of a counter in any group; 0 where it does not occur.
double pps_levels_highest(const struct pps_trace_levels *levels, int32_t counter);

bool pps_levels_has(const struct pps_trace_levels *levels, int32_t group);

// Draws the counter of a group into the box, whose width is the time from begin to end and whose
// height is `highest`; a limit is a red line.
void pps_strip_draw(FILE *out,
                    const struct pps_trace_levels *levels,
                    int32_t group,
                    int32_t counter,
                    struct pps_svg_box box,
                    double begin,
                    double end,
                    double highest);

#endif
