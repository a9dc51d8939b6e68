// SPDX-License-Identifier: Apache-2.0
// Draws the timeline of a strategy: one row per stage, one rectangle per block.
#include "base/text/human.h"
#include "planner/balance/report/picture_private.h"

#include <math.h>
#include <stdio.h>

#define THIN   0.5   // pixels: narrower blocks are joined
#define EDGED  3.0   // pixels: narrower blocks have no outline
#define NUMBER 0.008 // of the axis: wider blocks show their micro-batch

struct flow {
    const struct picture_view *view;
    struct pps_svg_box box;
    FILE *out;
    double row; // height
};

// ---- colours ------------------------------------------------------------------------------------

// The blue and the vermilion of all timelines, lighter so that black numbers are readable. Chunks of both directions
// become paler in the order in which a micro-batch passes them.
static void colour_of(bool forward, int32_t chunk, int32_t chunks, char text[16])
{
    static const double base[2][3] = {{213, 94, 0}, {0, 114, 178}};
    const double part = 0.65 / (1 + 0.7 * (forward ? chunk : chunks - 1 - chunk));
    int rgb[3];
    for (int c = 0; c < 3; c++)
        rgb[c] = (int)lround(255 - part * (255 - base[forward][c]));
    snprintf(text, 16, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static void add_legend(const struct flow *f)
{
    const int32_t chunks = f->view->picture->shape->chunks, most = (int32_t)(f->box.h / 32);
    double y = f->box.y + 6;
    char fill[16], text[48];
    for (int forward = 1; forward >= 0; forward--, y += 8)
        for (int32_t v = 0; v < chunks && v < most; v++, y += 15) {
            const double x = f->box.x + f->box.w + 14;
            colour_of(forward, v, chunks, fill);
            pps_svg_edged(f->out, (struct pps_svg_box){x, y - 5, 14, 10}, fill, "#000000", 0.5,
                          NULL);
            if (chunks > 1)
                snprintf(text, sizeof text, "%s, chunk %d", forward ? "forward" : "backward",
                         v);
            else
                snprintf(text, sizeof text, "%s", forward ? "forward" : "backward");
            pps_svg_text(f->out, x + 20, y, PPS_SVG_START, PICTURE_TEXT, PICTURE_INK, text);
        }
}

// ---- blocks -------------------------------------------------------------------------------------

static void put_number(const struct flow *f, struct pps_svg_box box, int32_t micro_batch)
{
    char text[16];
    const int n = snprintf(text, sizeof text, "%d", micro_batch);
    const int size = (int)fmin(fmin(PICTURE_TEXT, 0.8 * box.h), box.w / (0.6 * n));
    if (box.w > NUMBER * f->box.w && size >= 4)
        pps_svg_text(f->out, box.x + box.w / 2, box.y + box.h / 2, PPS_SVG_MIDDLE, size,
                     "#000000", text);
}

static void put_block(const struct flow *f, const struct operation *op, double start,
                      double end, struct pps_svg_box box)
{
    const struct balance_shape *shape = f->view->picture->shape;
    const bool forward = op->type == OPERATION_F;
    const int32_t chunk = op->stage / shape->stages, micro_batch = op->item / shape->pieces;
    char fill[16], hint[160], piece[32] = "";
    colour_of(forward, chunk, shape->chunks, fill);
    if (box.w < EDGED) {
        pps_svg_rect(f->out, box, fill, NULL);
        return;
    }
    if (shape->pieces > 1)
        snprintf(piece, sizeof piece, ", piece %d", op->item % shape->pieces);
    snprintf(hint, sizeof hint, "%s of micro-batch %d%s, chunk %d: %s to %s",
             forward ? "forward" : "backward", micro_batch, piece, chunk,
             pps_digits_text(start, 6).text, pps_digits_text(end, 6).text);
    pps_svg_edged(f->out, box, fill, "#000000", 0.5, hint);
    put_number(f, box, micro_batch);
}

// Draws the blocks of a stage. A block narrower than THIN is drawn together with those after it, as long as there is
// no visible gap.
static void add_stage(const struct flow *f, int32_t stage)
{
    const struct picture_stage s = picture_stage_of(f->view, stage);
    const double y = f->box.y + f->row * stage;
    for (int32_t i = 0; i < s.n;) {
        const double x = picture_x(f->view, f->box, s.start[i]);
        double to = picture_x(f->view, f->box, s.end[i]);
        int32_t k = i + 1;
        while (k < s.n && to - x < THIN && picture_x(f->view, f->box, s.start[k]) - to < THIN)
            to = picture_x(f->view, f->box, s.end[k++]);
        if (to > x)
            put_block(f, &s.operations[i], s.start[i], s.end[k - 1],
                      (struct pps_svg_box){x, y, to - x, f->row});
        i = k;
    }
}

static void add_labels(const struct flow *f)
{
    const int32_t stages = f->view->picture->shape->stages;
    const int32_t every = (int32_t)ceil(PICTURE_TEXT / f->row);
    char text[32];
    for (int32_t s = 0; s < stages; s += every) {
        snprintf(text, sizeof text, "stage %d", s);
        pps_svg_text(f->out, f->box.x - 8, f->box.y + f->row * (s + 0.5), PPS_SVG_END,
                     PICTURE_TEXT, PICTURE_INK, text);
    }
}

void picture_flow(const struct picture_view *view, struct pps_svg_box box, FILE *out)
{
    const struct flow f = {view, box, out, box.h / view->picture->shape->stages};
    for (int32_t s = 0; s < view->picture->shape->stages; s++)
        add_stage(&f, s);
    add_labels(&f);
    add_legend(&f);
    picture_panel(view, box, "Pipeline Flow Timeline", out);
}
