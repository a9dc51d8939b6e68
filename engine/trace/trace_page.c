// SPDX-License-Identifier: Apache-2.0
// Lays out and draws pictures of timelines.
#include "engine/trace/trace_page.h"

#include "base/text/human.h"
#include "engine/svg/svg.h"
#include "engine/timeline/colours.h"
#include "engine/trace/time_axis.h"
#include "engine/trace/trace_draw.h"
#include "engine/trace/trace_load.h"

#include <math.h>
#include <string.h>

// ---- trace style --------------------------------------------------------------------------------

const char *pps_trace_shade(int shade)
{
    // From light to dark with equal steps of lightness, in one hue.
    static const char *const shades[PPS_TRACE_SHADES] = {
        "#d9e8f3", "#c2dbec", "#aacde4", "#91bedb", "#76aed2",
        "#599dc7", "#3b8bba", "#1f77a8", "#0f6090", "#064670"};
    return shades[shade - 1];
}

// ---- trace legend -------------------------------------------------------------------------------

struct pps_trace_legend {
    const struct pps_trace_pieces *points;
    int n_points;
    bool loads;     // the picture shows utilisation
    double highest; // rate of full height, or the highest utilisation
};

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
    bool flagged = false, slowed = legend->highest > 1;
    char text[128];
    for (int32_t kind = 0; names->kinds[kind] != NULL; kind++)
        if (occurs(legend, kind))
            put_key(c, pps_kind_colour(names, kind)->fill, names->kinds[kind]);
    for (int i = 0; i < legend->n_points; i++) {
        flagged = flagged || legend->points[i].flagged;
        slowed = slowed || legend->points[i].slowed;
    }
    if (flagged)
        put_key(c, "url(#flag)", names->flag);
    snprintf(text, sizeof text, "height: rate (full: %.3g)", legend->highest);
    if (slowed)
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
        double highest = 0, limit = 0, own;
        char above[48] = ", limit as a line";
        for (int i = 0; i < legend->n_points; i++) {
            highest = fmax(highest, pps_levels_highest(&legend->points[i].levels, k, &own));
            limit = fmax(limit, own);
        }
        if (limit > highest)
            snprintf(above, sizeof above, ", limit %s", pps_digits_text(limit, 6).text);
        snprintf(text, sizeof text, "%.60s: up to %s%s", counters[k],
                 pps_digits_text(highest, 6).text, limit > 0 ? above : "");
        if (highest > 0)
            put_note(c, text);
    }
}

// Draws the legend. x, y: left end and middle of its first line, in pixels; room: the width. Returns
// the number of lines; out NULL: draws nothing.
static int trace_legend_draw(const struct pps_trace_legend *legend, FILE *out, double x,
                             double y, double room)
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

// ---- trace page ---------------------------------------------------------------------------------

// Lengths in pixels.
#define MIN_PLOT   900.0
#define LEAST_PLOT 100.0                // on narrow paper
#define RIGHT      30.0                 // of the plot
#define PAPER      (72 / 25.4 * 11 / 7) // of a millimetre: text of 11 pixels has 7 points
#define MAX_PLOT   4000.0
#define MAX_LINE   1200.0 // of text, since viewers show the left side of a wide picture first
#define TASK       24.0   // average width of a task where MAX_PLOT allows it
#define PANEL_GAP  14.0
enum { POINTS = 2 };

static const char *const labels[POINTS] = {"A", "B"};

struct page {
    const struct pps_trace_page *page;
    struct pps_task_panel tasks[POINTS];
    struct pps_load_panel loads[POINTS];
    struct pps_time_axis axis;
    struct pps_trace_legend legend;
    double top[POINTS]; // of the lanes of each panel
    double w, h;
    char notes[1024];
};

// ---- panels -------------------------------------------------------------------------------------

static bool open_panels(struct page *p)
{
    bool good = true;
    for (int i = 0; i < p->page->n_points && good; i++)
        good = p->page->loads
                   ? pps_load_panel_open(&p->loads[i], &p->page->points[i], p->page->n_points)
                   : pps_task_panel_open(&p->tasks[i], &p->page->points[i]);
    return good;
}

static void close_panels(struct page *p)
{
    for (int i = 0; i < p->page->n_points; i++) {
        pps_load_panel_close(&p->loads[i]);
        pps_task_panel_close(&p->tasks[i]);
    }
}

static double panel_height(const struct page *p, int i)
{
    return p->page->loads ? p->loads[i].h : p->tasks[i].h;
}

// ---- texts --------------------------------------------------------------------------------------

static const char *end_name(const struct page *p)
{
    const char *name = p->page->points->names->end;
    return name != NULL ? name : "end";
}

static void append(struct page *p, const char *text)
{
    const size_t at = strlen(p->notes);
    snprintf(p->notes + at, sizeof p->notes - at, "%s%s", at > 0 ? " " : "", text);
}

// Says what a cell of utilisation is, and why there are no tasks.
static void note_loads(struct page *p, double cell)
{
    const struct pps_load_panel *panel = &p->loads[0];
    const struct pps_trace_names *names = p->page->points->names;
    char text[512], time[96];
    pps_time_unit_text(&p->axis.unit, cell, 4, time, sizeof time);
    snprintf(
        text, sizeof text,
        "Utilisation in place of tasks%s%.120s. Each cell: average load of the lane over %s "
        "(1 = fully busy).",
        p->page->why[0] != '\0' ? ": " : "", p->page->why, time);
    append(p, text);
    if (panel->together > 1) {
        snprintf(text, sizeof text, "A row is the mean of %d %.60ss.", (int)panel->together,
                 names->group);
        append(p, text);
    }
    if (p->page->points->levels_lost || (p->page->points->levels.n > 0 && !panel->strips)) {
        snprintf(text, sizeof text, "Counters (%.60s) are not drawn: %s.", names->counters[0],
                 p->page->points->levels_lost ? "they change too often" : "there are too many");
        append(p, text);
    }
}

// Draws titles and notes, or measures them. Returns the y below them.
static double put_head(const struct page *p, FILE *out)
{
    const double room = fmin(p->w, MAX_LINE) - 2 * PPS_TRACE_MARGIN;
    const size_t chars = (size_t)(room / (PPS_TRACE_CHAR * 13 / 11));
    const bool pair = p->page->n_points > 1;
    char title[2048];
    double y = PPS_TRACE_MARGIN + PPS_TRACE_LINE / 2;
    for (int i = 0; i < p->page->n_points; i++) {
        snprintf(title, sizeof title, "%s%s%s", pair ? labels[i] : "", pair ? ": " : "",
                 p->page->points[i].title);
        y += PPS_TRACE_LINE * pps_svg_lines(out, PPS_TRACE_MARGIN, y, PPS_TRACE_LINE, chars, 13,
                                            PPS_TRACE_INK, title);
    }
    y += PPS_TRACE_LINE * pps_svg_lines(out, PPS_TRACE_MARGIN, y, PPS_TRACE_LINE,
                                        (size_t)(room / PPS_TRACE_CHAR), 11, PPS_TRACE_PALE,
                                        p->notes);
    y += 4;
    return y + PPS_TRACE_LINE * trace_legend_draw(&p->legend, out, PPS_TRACE_MARGIN, y, room);
}

// "total_time 66.05", for the second point with the difference from the first.
static void end_text(const struct page *p, int i, char *text, size_t cap)
{
    const struct pps_trace_pieces *points = p->page->points;
    char time[96];
    pps_time_unit_text(&p->axis.unit, points[i].end, 7, time, sizeof time);
    int n = snprintf(text, cap, "%.60s %s", end_name(p), time);
    const double change = i > 0 ? 100 * (points[i].end / points[0].end - 1) : 0;
    if (i > 0 && points[i].end == points[0].end)
        n += snprintf(text + n, cap - (size_t)n, ", equal to A");
    else if (i > 0 && isfinite(change))
        n += snprintf(text + n, cap - (size_t)n, ", %.3g %% %s than A", fabs(change),
                      change < 0 ? "less" : "more");
    if (points[i].end > p->axis.end)
        snprintf(text + n, cap - (size_t)n, " (later than this part)");
    else if (points[i].end < p->axis.begin)
        snprintf(text + n, cap - (size_t)n, " (before this part)");
}

// ---- layout -------------------------------------------------------------------------------------

// Returns the width of the longest name of a lane or a counter.
static double names_width(const struct page *p, bool brief)
{
    const struct pps_trace_names *names = p->page->points->names;
    size_t most = 0;
    for (int i = 0; i < p->page->n_points; i++) {
        const struct pps_lanes *lanes = &p->page->points[i].lanes;
        for (size_t k = 0; k < lanes->n; k++) {
            const size_t n = strcspn(names->tracks[lanes->list[k].track], brief ? ":" : "");
            most = n > most ? n : most;
        }
    }
    for (int c = 0; names->counters != NULL && names->counters[c] != NULL; c++)
        most = strlen(names->counters[c]) > most ? strlen(names->counters[c]) : most;
    return PPS_TRACE_CHAR * (double)most;
}

static void lay_axis(struct page *p)
{
    const struct pps_trace_pieces *points = p->page->points;
    const struct pps_trace_names *names = points->names;
    const bool brief = p->page->width > 0;
    const double group = PPS_TRACE_CHAR * ((double)strlen(names->group) + 5);
    size_t most = 0;
    double end = 0;
    p->axis.begin = p->axis.end = points->begin;
    for (int i = 0; i < p->page->n_points; i++) {
        most = p->tasks[i].most > most ? p->tasks[i].most : most;
        p->tasks[i].brief = brief;
        p->axis.end = fmax(p->axis.end, points[i].shown_end);
        end = fmax(end, points[i].end);
    }
    p->axis.unit = pps_time_unit_of(names->time_unit, fmax(p->axis.end, end));
    // The rows of utilisation have the names of groups only.
    p->axis.left =
        PPS_TRACE_MARGIN + 10 +
        (p->page->loads ? group + 5 * PPS_TRACE_CHAR : group + names_width(p, brief));
    p->axis.w = fmin(fmax(TASK * (double)most, MIN_PLOT), MAX_PLOT);
    if (brief)
        p->axis.w = fmax(p->page->width * PAPER - p->axis.left - RIGHT, LEAST_PLOT);
    p->w = p->axis.left + p->axis.w + RIGHT;
}

static void lay_out(struct page *p)
{
    const int n = p->page->n_points;
    lay_axis(p);
    const double cell = p->page->loads ? pps_load_panel_cells(p->loads, n, &p->axis) : 0;
    p->legend = (struct pps_trace_legend){p->page->points, n, p->page->loads, 1};
    for (int i = 0; i < n; i++)
        p->legend.highest =
            fmax(p->legend.highest, p->page->loads ? pps_load_panel_highest(&p->loads[i])
                                                   : p->page->points[i].highest);
    if (p->page->shown[0] != '\0')
        append(p, p->page->shown);
    if (p->page->loads)
        note_loads(p, cell);
    double y = put_head(p, NULL) + 4;
    for (int i = 0; i < n; i++) {
        p->top[i] = y + PPS_TRACE_LINE;
        y = p->top[i] + panel_height(p, i) + PANEL_GAP;
    }
    p->h = y - PANEL_GAP + PPS_TIME_AXIS_HEIGHT + 6;
}

// ---- drawing ------------------------------------------------------------------------------------

// Draws the name of a panel and the end of its timeline.
static void put_band(const struct page *p, FILE *out, int i)
{
    const struct pps_trace_pieces *points = p->page->points;
    const double y = p->top[i] - PPS_TRACE_LINE / 2, bottom = p->top[i] + panel_height(p, i);
    char text[160];
    end_text(p, i, text, sizeof text);
    pps_time_axis_mark(&p->axis, out, points[i].end, y, bottom, text);
    if (p->page->n_points > 1)
        pps_svg_text(out, PPS_TRACE_MARGIN, y, PPS_SVG_START, 13, PPS_TRACE_INK, labels[i]);
    const double first = points[0].end;
    if (i > 0 && first <= p->axis.end && first >= p->axis.begin && first != points[i].end)
        pps_svg_dashed(out, pps_time_x(&p->axis, first), p->top[i] - 2,
                       pps_time_x(&p->axis, first), bottom, "#000000", 1);
}

static bool put_panel(const struct page *p, FILE *out, int i)
{
    bool good = true;
    if (p->page->loads)
        good = pps_load_panel_draw(&p->loads[i], out, &p->axis, p->top[i]);
    else
        pps_task_panel_draw(&p->tasks[i], out, &p->axis, p->top[i], p->legend.highest);
    put_band(p, out, i);
    return good;
}

static void begin(const struct page *p, FILE *out)
{
    const double mm = p->page->width, dots = 300 / 25.4; // of a millimetre
    if (mm > 0)
        pps_svg_begin_scaled(out, p->w, p->h, mm / p->w * (p->page->is_png ? dots : 1),
                             p->page->is_png ? "" : "mm");
    else
        pps_svg_begin(out, p->w, p->h);
}

bool pps_trace_page_draw(const struct pps_trace_page *page, FILE *out)
{
    struct page p = {.page = page};
    const int n = page->n_points;
    bool good = open_panels(&p);
    if (good) {
        lay_out(&p);
        const double bottom = p.top[n - 1] + panel_height(&p, n - 1);
        begin(&p, out);
        pps_svg_hatch(out, "flag", "#444444");
        put_head(&p, out);
        for (int i = 0; i < n && !page->loads; i++)
            pps_task_panel_ground(&p.tasks[i], out, &p.axis, p.top[i]);
        pps_time_axis_draw(&p.axis, out, p.top[0], bottom);
        for (int i = 0; i < n && good; i++)
            good = put_panel(&p, out, i);
        pps_svg_end(out);
    }
    close_panels(&p);
    return good;
}
