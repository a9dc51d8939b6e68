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

#define OTHERS "#a8a8b0"

enum { TICKS = 5, LEGEND_ROW = 14 };

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

// ---- legend -------------------------------------------------------------------------------------

// The lines of the picture: the stages with the highest and the lowest peak, and all others, which are pale.
struct marked {
    int32_t stage;
    const char *word, *colour;
};

static int32_t lowest(const struct picture_view *view)
{
    const double *peak = view->result.peak_mb;
    int32_t least = 0;
    for (int32_t s = 1; s < view->picture->shape->stages; s++)
        least = peak[s] < peak[least] ? s : least;
    return least;
}

static void add_legend(const struct picture_view *view, struct pps_svg_box box,
                       const struct marked *marked, int n, FILE *out)
{
    const double x = box.x + box.w + 14;
    double y = box.y + 6;
    char text[64];
    for (int i = 0; i < n; i++, y += 2 * LEGEND_ROW) {
        pps_svg_polyline(out, (double[]){x, y, x + 14, y}, 2, marked[i].colour, 2.5, NULL);
        snprintf(text, sizeof text, "stage-%d: %s", marked[i].stage, marked[i].word);
        pps_svg_text(out, x + 20, y, PPS_SVG_START, PICTURE_TEXT, PICTURE_INK, text);
        snprintf(text, sizeof text, "peak %s",
                 pps_decimals_text(view->result.peak_mb[marked[i].stage], 0).text);
        pps_svg_text(out, x + 20, y + LEGEND_ROW, PPS_SVG_START, PICTURE_TEXT, PICTURE_INK,
                     text);
    }
    pps_svg_polyline(out, (double[]){x, y, x + 14, y}, 2, OTHERS, 2.5, NULL);
    pps_svg_text(out, x + 20, y, PPS_SVG_START, PICTURE_TEXT, PICTURE_INK, "other stages");
}

// ---- the panel ----------------------------------------------------------------------------------

static void add_ticks(const struct picture_view *view, struct pps_svg_box box, FILE *out)
{
    const double step = pps_svg_round_step(view->highest / TICKS);
    char text[32];
    for (int i = 0; i * step <= HEADROOM * view->highest; i++) {
        const double y = y_at(view, box, i * step);
        if (i > 0)
            pps_svg_line(out, box.x, y, box.x + box.w, y, PICTURE_PALE);
        pps_human_number(i * step, 10, text, sizeof text);
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

static void add_stage(const struct picture_view *view, struct pps_svg_box box, int32_t stage,
                      const char *colour, double width, struct curve *curve, FILE *out)
{
    char hint[80];
    trace_stage(view, box, stage, curve);
    snprintf(hint, sizeof hint, "stage-%d: peak %s MiB", stage,
             pps_decimals_text(view->result.peak_mb[stage], 2).text);
    pps_svg_polyline(out, curve->xy, curve->n, colour, width, hint);
}

bool picture_memory(const struct picture_view *view, struct pps_svg_box box, FILE *out)
{
    const int32_t stages = view->picture->shape->stages;
    const struct marked marked[] = {{view->result.worst, "highest", "#d55e00"},
                                    {lowest(view), "lowest", "#0072b2"}};
    const int n_marked = marked[0].stage == marked[1].stage ? 1 : 2;
    struct curve curve = {.xy = NULL};
    add_ticks(view, box, out);
    for (int32_t s = 0; s < stages && !curve.failed; s++)
        if (s != marked[0].stage && s != marked[1].stage)
            add_stage(view, box, s, OTHERS, 1, &curve, out);
    for (int i = n_marked - 1; i >= 0 && !curve.failed; i--)
        add_stage(view, box, marked[i].stage, marked[i].colour, 2, &curve, out);
    add_limit(view, box, out);
    add_legend(view, box, marked, n_marked, out);
    picture_panel(view, box, "Block Memory Timeline", out);
    free(curve.xy);
    return !curve.failed;
}
