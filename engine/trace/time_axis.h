// SPDX-License-Identifier: Apache-2.0
// Draws the time axis of a picture, and the ends of timelines on it. Lengths are in pixels.
#pragma once

#include "engine/timeline/time_unit.h"

#include <stdio.h>

#define PPS_TIME_AXIS_HEIGHT 44.0

struct pps_time_axis {
    double left, w;            // of the plot
    double begin, end;         // of the time it shows
    struct pps_time_unit unit; // of labels
};

double pps_time_x(const struct pps_time_axis *axis, double time);

// Draws lines from top to bottom at round times, with labels below, and the name of the axis.
void pps_time_axis_draw(const struct pps_time_axis *axis, FILE *out, double top, double bottom);

// Marks the end of a timeline by a line from y to bottom and a text beside its upper end. If the end
// is not on the axis, only the text is drawn.
void pps_time_axis_mark(const struct pps_time_axis *axis, FILE *out, double end, double y,
                        double bottom, const char *text);
