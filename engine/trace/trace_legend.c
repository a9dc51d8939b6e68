// SPDX-License-Identifier: Apache-2.0
// Draws legends.
#include "engine/trace/trace_legend.h"

#include "base/text/human.h"
#include "engine/svg/svg.h"
#include "engine/timeline/colours.h"
#include "engine/trace/trace_style.h"

#include <math.h>
#include <string.h>

#define SHADE 14.0 // width of a shade, in pixels

// Where the next entry goes.
struct cursor {
    FILE *out; // NULL: entries are only placed
    double left, room, x, y;
    int line;
};

// Takes room for an entry: in this line, else at the beginning of the next.
static double take(struct cursor *c, double wide)
{
    if (c->x > c->left && c->x + wide > c->left + c->room) {
        c->x = c->left;
        c->y += PPS_TRACE_LINE;
        c->line++;
    }
    const double x = c->x;
    c->x += wide + 20;
    return x;
}

static void put_key(struct cursor *c, const char *fill, const char *name)
{
    const double x = take(c, 22 + PPS_TRACE_CHAR * (double)strlen(name));
    const struct pps_svg_box box = {x, c->y - 6, 16, 12};
    if (c->out == NULL)
        return;
    pps_svg_rect(c->out, box, fill, NULL);
    if (fill[0] != '#')
        pps_svg_frame(c->out, box, PPS_TRACE_PALE, 0.5);
    pps_svg_text(c->out, x + 22, c->y, PPS_SVG_START, 11, PPS_TRACE_INK, name);
}

static void put_note(struct cursor *c, const char *text)
{
    const double x = take(c, PPS_TRACE_CHAR * (double)strlen(text));
    if (c->out != NULL)
        pps_svg_text(c->out, x, c->y, PPS_SVG_START, 11, PPS_TRACE_PALE, text);
}

// ---- tasks ----------------------------------------------------------------------------------

static bool occurs(const struct pps_trace_legend *legend, int32_t kind)
{
    const int32_t known =
        (int32_t)(sizeof legend->points->kinds / sizeof *legend->points->kinds);
    for (int i = 0; i < legend->n_points; i++)
        if (legend->points[i].kinds[kind < known ? kind : known - 1])
            return true;
    return false;
}

static void put_kinds(const struct pps_trace_legend *legend, struct cursor *c)
{
    const struct pps_trace_names *names = legend->points->names;
    bool flagged = false;
    char text[128];
    for (int32_t kind = 0; names->kinds[kind] != NULL; kind++)
        if (occurs(legend, kind))
            put_key(c, pps_kind_colour(kind)->fill, names->kinds[kind]);
    for (int i = 0; i < legend->n_points; i++)
        flagged = flagged || legend->points[i].flagged;
    if (flagged)
        put_key(c, "url(#flag)", names->flag);
    snprintf(text, sizeof text, "height: rate (full: %.3g)", legend->highest);
    put_note(c, text);
    snprintf(text, sizeof text, "numbers: %.60s or ordinal", names->item);
    put_note(c, text);
}

// ---- utilisation ----------------------------------------------------------------------------

static void put_shades(const struct pps_trace_legend *legend, struct cursor *c)
{
    char most[64] = "1";
    if (legend->highest > 1.0005)
        snprintf(most, sizeof most, "1 or more (up to %.3g)", legend->highest);
    const double zero = PPS_TRACE_CHAR * (double)strlen("utilisation 0") + 4;
    const double shades = PPS_TRACE_SHADES * SHADE;
    const double x = take(c, zero + shades + 4 + PPS_TRACE_CHAR * (double)strlen(most));
    if (c->out == NULL)
        return;
    pps_svg_text(c->out, x + zero - 6, c->y, PPS_SVG_END, 11, PPS_TRACE_INK, "utilisation 0");
    for (int shade = 1; shade <= PPS_TRACE_SHADES; shade++)
        pps_svg_rect(c->out,
                     (struct pps_svg_box){x + zero + (shade - 1) * SHADE, c->y - 6, SHADE, 12},
                     pps_trace_shade(shade), NULL);
    pps_svg_text(c->out, x + zero + shades + 5, c->y, PPS_SVG_START, 11, PPS_TRACE_INK, most);
}

// ---- counters -------------------------------------------------------------------------------

static void put_scales(const struct pps_trace_legend *legend, struct cursor *c)
{
    const char *const *counters = legend->points->names->counters;
    char text[160];
    for (int k = 0; counters != NULL && counters[k] != NULL; k++) {
        double highest = 0;
        bool limited = false;
        for (int i = 0; i < legend->n_points; i++) {
            highest = fmax(highest, pps_levels_highest(&legend->points[i].levels, k));
            limited = limited || legend->points[i].levels.n_limits > 0;
        }
        snprintf(text, sizeof text, "%.60s: up to %s%s", counters[k],
                 pps_digits_text(highest, 6).text, limited ? ", limit as a line" : "");
        if (highest > 0)
            put_note(c, text);
    }
}

int pps_trace_legend_draw(const struct pps_trace_legend *legend,
                          FILE *out,
                          double x,
                          double y,
                          double room)
{
    struct cursor c = {out, x, room, x, y, 1};
    if (legend->loads)
        put_shades(legend, &c);
    else
        put_kinds(legend, &c);
    put_scales(legend, &c);
    if (legend->n_points > 1 && legend->points[0].end != legend->points[1].end)
        put_note(&c, "dashed: the end of A");
    return c.line;
}
