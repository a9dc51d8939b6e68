// SPDX-License-Identifier: Apache-2.0
// Draws time axes.
#include "engine/trace/time_axis.h"

#include "base/text/human.h"
#include "engine/svg/svg.h"
#include "engine/trace/trace_page.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define TICK 80.0 // distance of labels on a wide axis
enum { MOST_TICKS = 1000 };

double pps_time_x(const struct pps_time_axis *axis, double time)
{
    const double span = axis->end - axis->begin;
    return axis->left + (span > 0 ? (time - axis->begin) / span * axis->w : 0);
}

// Returns 1, 2 or 5 times a power of ten, in the unit of the axis, so that labels have room.
static double tick_step(const struct pps_time_axis *axis)
{
    char text[32];
    pps_human_number(axis->end / axis->unit.size, 4, text, sizeof text);
    const double room = PPS_TRACE_CHAR * (double)(strlen(text) + 3);
    const double least = (axis->end - axis->begin) / axis->unit.size / axis->w *
                         fmax(room, fmin(TICK, axis->w / 5));
    return pps_svg_round_step(least);
}

static void put_name(const struct pps_time_axis *axis, FILE *out, double y)
{
    char text[64] = "time";
    if (axis->unit.name[0] != '\0')
        snprintf(text, sizeof text, "time (%.40s)", axis->unit.name);
    pps_svg_text(out, axis->left + axis->w / 2, y, PPS_SVG_MIDDLE, 13, PPS_TRACE_INK, text);
}

void pps_time_axis_draw(const struct pps_time_axis *axis, FILE *out, double top, double bottom)
{
    const double step = tick_step(axis), size = axis->unit.size;
    const double first = ceil(axis->begin / size / step);
    char text[32];
    bottom += 6;
    if (axis->end > axis->begin)
        for (int i = 0; i < MOST_TICKS && (first + i) * step * size <= axis->end; i++) {
            const double time = (first + i) * step, x = pps_time_x(axis, time * size);
            pps_svg_line(out, x, top - 4, x, bottom, "#dddddd");
            pps_human_number(time, 10, text, sizeof text);
            pps_svg_text(out, x, bottom + 9, PPS_SVG_MIDDLE, 11, PPS_TRACE_INK, text);
        }
    pps_svg_line(out, axis->left, bottom, axis->left + axis->w, bottom, PPS_TRACE_INK);
    put_name(axis, out, bottom + 28);
}

void pps_time_axis_mark(const struct pps_time_axis *axis, FILE *out, double end, double y,
                        double bottom, const char *text)
{
    const double wide = PPS_TRACE_CHAR * (double)strlen(text) + 4;
    const bool is_on = end >= axis->begin && end <= axis->end;
    const double x = is_on ? pps_time_x(axis, end) : axis->left + axis->w;
    // The text may reach over the names of lanes: there are none beside it.
    const bool before = !is_on || x - wide > PPS_TRACE_MARGIN + 20 ||
                        x + 4 + wide > axis->left + axis->w + PPS_TRACE_MARGIN;
    if (is_on)
        pps_svg_line(out, x, y - 7, x, bottom, "#000000");
    pps_svg_text(out, before ? x - 4 : x + 4, y, before ? PPS_SVG_END : PPS_SVG_START, 11,
                 PPS_TRACE_INK, text);
}
