// SPDX-License-Identifier: Apache-2.0
// Draws the legend of a trace.
#include "engine/trace/trace_legend.h"

#include "engine/trace/svg.h"

#include <string.h>

static const struct pps_trace_colour colours[] = {
    {"#3b6ea5", "#cedbe9", "#ffffff"}, {"#57a773", "#d5e9dc", "#000000"},
    {"#e8c547", "#f9f1d1", "#000000"}, {"#f0943c", "#fbe4ce", "#000000"},
    {"#c94f5d", "#f1d3d7", "#ffffff"}, {"#79b8c4", "#deedf0", "#000000"},
    {"#8a6bb1", "#e2daec", "#ffffff"}, {"#8c6d52", "#e2dad4", "#ffffff"},
    {"#f2a9b4", "#fceaec", "#000000"}, {"#9aa84f", "#e6e9d3", "#000000"},
};

const struct pps_trace_colour *pps_trace_colour(int32_t kind)
{
    return &colours[(size_t)kind % (sizeof colours / sizeof *colours)];
}

static bool occurs(const struct pps_trace_pieces *pieces, int32_t kind)
{
    for (size_t i = 0; i < pieces->n; i++)
        if (pieces->list[i].piece.kind == kind)
            return true;
    return false;
}

// Draws a coloured box with a name. Returns where the next one begins.
static double put_key(FILE *out, double x, double y, const char *fill, const char *name)
{
    const struct pps_svg_box box = {x, y - 6, 16, 12};
    pps_svg_rect(out, box, fill, NULL);
    if (fill[0] != '#')
        pps_svg_frame(out, box, PPS_TRACE_PALE, 0.5);
    pps_svg_text(out, x + 22, y, PPS_SVG_START, 11, PPS_TRACE_INK, name);
    return x + 22 + PPS_TRACE_CHAR * (double)strlen(name) + 20;
}

// Appends the scale of each counter.
static void add_scales(const struct pps_trace_pieces *pieces, char *text, size_t cap)
{
    const char *const *counters = pieces->names->counters;
    size_t at = strlen(text);
    for (int c = 0; counters != NULL && counters[c] != NULL && at < cap; c++) {
        const double highest = pps_levels_highest(&pieces->levels, c);
        if (highest > 0)
            at += (size_t)snprintf(text + at, cap - at, "; %s: up to %.4g, limit red",
                                   counters[c], highest);
    }
}

void pps_trace_legend(const struct pps_trace_pieces *pieces, FILE *out, double x, double y)
{
    const struct pps_trace_names *names = pieces->names;
    for (int32_t kind = 0; names->kinds[kind] != NULL; kind++)
        if (occurs(pieces, kind))
            x = put_key(out, x, y, pps_trace_colour(kind)->fill, names->kinds[kind]);
    if (pieces->flagged)
        x = put_key(out, x, y, "url(#flag)", names->flag);
    char text[256];
    snprintf(text, sizeof text, "height: rate (full: %.3g); numbers: %s or ordinal",
             pieces->highest, names->item);
    add_scales(pieces, text, sizeof text);
    pps_svg_text(out, x, y, PPS_SVG_START, 11, PPS_TRACE_PALE, text);
}
