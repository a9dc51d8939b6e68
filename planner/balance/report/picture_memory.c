// SPDX-License-Identifier: Apache-2.0
// Draws the memory of every stage over time.
#include "base/text/human.h"
#include "planner/balance/report/picture_private.h"

#include "base/text/grow_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMN                                                                                 \
    0.5 // pixels: points of a curve this near are joined to a line from the lowest to the highest

#define HEADROOM 1.05 // of the memory axis

enum { TICKS = 4, LEGEND_ROW = 14, LEGEND_COLUMNS = 2, LEGEND_COLUMN = 66 };

struct curve {
    double *xy; // x and y in turn
    size_t n, room;
    bool failed;
};

static void add_point(struct curve *curve, double x, double y)
{
    double *list = pps_grow(curve->xy, &curve->room, 2 * curve->n + 2, sizeof *list);
    curve->failed = curve->failed || list == NULL;
    if (list == NULL)
        return;
    curve->xy = list;
    list[2 * curve->n] = x;
    list[2 * curve->n + 1] = y;
    curve->n++;
}

// The points of one column of the picture.
struct column {
    double x, low, high, last;
    bool used;
};

static void flush(struct curve *curve, struct column *column)
{
    if (!column->used)
        return;
    if (column->low < column->last)
        add_point(curve, column->x, column->low);
    if (column->high > column->last)
        add_point(curve, column->x, column->high);
    add_point(curve, column->x, column->last);
    column->used = false;
}

// A step to a value: the curve keeps its value up to x.
static void step(struct curve *curve, struct column *column, double x, double y)
{
    if (column->used && x - column->x < COLUMN) {
        column->low = fmin(column->low, y);
        column->high = fmax(column->high, y);
        column->last = y;
        return;
    }
    const double before = column->last;
    const bool has_before = column->used;
    flush(curve, column);
    if (has_before)
        add_point(curve, x, before);
    *column = (struct column){x, y, y, y, true};
}

static double y_at(const struct picture_view *view, struct pps_svg_box box, double mb)
{
    const double top = HEADROOM * view->highest;
    return box.y + box.h * (1 - (top > 0 ? fmax(mb, 0) / top : 0));
}

// Memory changes at the end of a forward and at the end of a backward.
static void trace_stage(const struct picture_view *view, struct pps_svg_box box, int32_t stage,
                        struct curve *curve)
{
    const struct balance_picture *p = view->picture;
    const struct picture_stage s = picture_stage_of(view, stage);
    struct column column = {.used = false};
    double mb = balance_static_mb(p->layers, p->strategy, stage);
    curve->n = 0;
    step(curve, &column, box.x, y_at(view, box, mb));
    for (int32_t i = 0; i < s.n; i++) {
        const struct operation *op = &s.operations[i];
        const struct balance_chunk chunk =
            balance_chunk_of(p->layers, p->strategy, op->stage / p->shape->stages, stage);
        mb += op->type == OPERATION_F ? chunk.activation_mb : -chunk.activation_mb;
        step(curve, &column, picture_x(view, box, s.end[i]), y_at(view, box, mb));
    }
    step(curve, &column, picture_x(view, box, view->result.makespan), column.last);
    flush(curve, &column);
}

// ---- colours and legend -------------------------------------------------------------------------

// Returns the red, green or blue part (chosen by `offset`) of the colour with this hue (0 to 360) and
// lightness, at full saturation.
static int shade(double hue, double offset, double lightness)
{
    const double k = fmod(offset + hue / 30, 12), a = 0.75 * fmin(lightness, 1 - lightness),
                 value = lightness - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1));
    return (int)lround(255 * value);
}

// The hue follows the stages; neighbours also differ in lightness.
static void colour_of(int32_t stage, int32_t stages, char text[16])
{
    static const double lightness[] = {0.36, 0.56, 0.46};
    const double hue = 300.0 * stage / (stages > 1 ? stages - 1 : 1), l = lightness[stage % 3];
    snprintf(text, 16, "#%02x%02x%02x", shade(hue, 0, l), shade(hue, 8, l), shade(hue, 4, l));
}

// Names every stage, or every k-th if there is no room for all.
static void add_legend(const struct picture_view *view, struct pps_svg_box box, FILE *out)
{
    const int32_t stages = view->picture->shape->stages, rows = (int32_t)(box.h / LEGEND_ROW),
                  most = rows * LEGEND_COLUMNS, every = (stages + most - 1) / most;
    char colour[16], text[32];
    for (int32_t s = 0, i = 0; s < stages; s += every, i++) {
        const double x = box.x + box.w + 14 + LEGEND_COLUMN * (i / rows),
                     y = box.y + 6 + LEGEND_ROW * (i % rows);
        colour_of(s, stages, colour);
        pps_svg_polyline(out, (double[]){x, y, x + 14, y}, 2, colour, 2.5, NULL);
        snprintf(text, sizeof text, "stage-%d", s);
        pps_svg_text(out, x + 18, y, PPS_SVG_START, 10, PICTURE_INK, text);
    }
}

// ---- the panel ----------------------------------------------------------------------------------

static void add_ticks(const struct picture_view *view, struct pps_svg_box box, FILE *out)
{
    char text[32];
    for (int i = 0; i < TICKS; i++) {
        const double mb = view->highest * i / (TICKS - 1), y = y_at(view, box, mb);
        if (i > 0)
            pps_svg_line(out, box.x, y, box.x + box.w, y, PICTURE_PALE);
        picture_tick(mb, view->highest, text);
        pps_svg_text(out, box.x - 8, y, PPS_SVG_END, PICTURE_TEXT, PICTURE_INK, text);
    }
    pps_svg_text(out, box.x - 8, box.y - 12, PPS_SVG_END, PICTURE_TEXT, PICTURE_INK, "MiB");
}

static void add_limit(const struct picture_view *view, struct pps_svg_box box, FILE *out)
{
    const double limit = view->picture->limit_mb, y = y_at(view, box, limit);
    char text[48];
    if (!isfinite(limit))
        return;
    pps_svg_dashed(out, box.x, y, box.x + box.w, y, PICTURE_ALERT, 1.5);
    snprintf(text, sizeof text, "limit %s MiB", pps_digits_text(limit, 10).text);
    pps_svg_text(out, box.x + box.w, box.y - 12, PPS_SVG_END, PICTURE_TEXT, PICTURE_ALERT,
                 text);
    pps_svg_dashed(out, box.x + box.w - 150, box.y - 12, box.x + box.w - 120, box.y - 12,
                   PICTURE_ALERT, 1.5);
}

bool picture_memory(const struct picture_view *view, struct pps_svg_box box, FILE *out)
{
    const int32_t stages = view->picture->shape->stages;
    struct curve curve = {.xy = NULL};
    char colour[16], hint[80];
    add_ticks(view, box, out);
    for (int32_t s = 0; s < stages && !curve.failed; s++) {
        trace_stage(view, box, s, &curve);
        colour_of(s, stages, colour);
        snprintf(hint, sizeof hint, "stage-%d: peak %s MiB", s,
                 pps_decimals_text(view->result.peak_mb[s], 2).text);
        pps_svg_polyline(out, curve.xy, curve.n, colour, 1.2, hint);
    }
    add_limit(view, box, out);
    add_legend(view, box, out);
    picture_panel(view, box, "Block Memory Timeline", out);
    free(curve.xy);
    return !curve.failed;
}
