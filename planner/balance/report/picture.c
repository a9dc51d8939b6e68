// SPDX-License-Identifier: Apache-2.0
// Arranges the panels of a picture and the texts around them.
#include "planner/balance/report/picture.h"
#include "base/text/human.h"

#include "base/text/characters.h"
#include "base/text/text_buffer.h"
#include "base/write/new_file.h"
#include "engine/svg/svg.h"
#include "planner/balance/report/picture_private.h"
#include "planner/balance/report/published.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 1200,
    LEFT = 76,   // of the panels: names of stages, ticks of memory
    RIGHT = 150, // of the panels: legends
    HEAD = 64,   // above the upper panel
    BETWEEN = 84,
    MEMORY = 250, // height of the lower panel
    LINE = 15,
    FLOW_LEAST = 320,
    FLOW_MOST = 4000,
    FLOW_ROW = 12,
    PEAK_CHARACTERS = 178, // of a line
    TICKS = 8,
};

// ---- what the panels share ----------------------------------------------------------------------

// Replays the strategy, so that the executor has its times.
static void picture_replay(struct picture_view *view)
{
    const struct balance_picture *p = view->picture;
    balance_replay_run(p->replay, p->layers, p->strategy, &view->result);
}

struct picture_stage picture_stage_of(const struct picture_view *view, int32_t stage)
{
    const struct balance_replay *replay = view->picture->replay;
    const struct order *order = balance_replay_order(replay);
    const struct executor *executor = balance_replay_executor(replay);
    const int64_t at = order_at(order, stage, 0);
    return (struct picture_stage){&order->operations[at], executor_starts(executor) + at,
                                  executor_ends(executor) + at, order->n[stage]};
}

void picture_panel(const struct picture_view *view, struct pps_svg_box box, const char *title,
                   FILE *out)
{
    char text[32];
    pps_svg_frame(out, box, PICTURE_INK, 1);
    pps_svg_text(out, box.x + box.w / 2, box.y - 12, PPS_SVG_MIDDLE, 13, PICTURE_INK, title);
    const double step = pps_svg_round_step(view->end / TICKS), y = box.y + box.h;
    for (int i = 0; i * step <= view->end; i++) {
        const double x = picture_x(view, box, i * step);
        pps_svg_line(out, x, y, x, y + 4, PICTURE_INK);
        pps_human_number(i * step, 10, text, sizeof text);
        pps_svg_text(out, x, y + 13, PPS_SVG_MIDDLE, PICTURE_TEXT, PICTURE_INK, text);
    }
}

// ---- texts --------------------------------------------------------------------------------------

// Writes the peaks in lines of PEAK_CHARACTERS and returns the number of lines. out NULL: counts only.
static int put_peaks(const struct picture_view *view, double x, double y, FILE *out)
{
    struct text_buffer line = {0};
    int lines = 0;
    text_buffer_add(&line, "peak memory: ");
    for (int32_t s = 0; s < view->picture->shape->stages; s++) {
        const bool is_last = s == view->picture->shape->stages - 1;
        text_buffer_add(&line, "%s%s", pps_decimals_text(view->result.peak_mb[s], 2).text,
                        is_last ? "" : ", ");
        if (!is_last && line.n < PEAK_CHARACTERS - 12)
            continue;
        if (out != NULL && !line.failed)
            pps_svg_text(out, x, y + LINE * lines, PPS_SVG_START, PICTURE_TEXT, PICTURE_INK,
                         line.text);
        text_buffer_clear(&line);
        lines++;
    }
    text_buffer_free(&line);
    return lines;
}

// Names the stage that exceeds the limit most.
static void put_excess(const struct picture_view *view, double x, double y, FILE *out)
{
    const double excess = view->result.peak_mb[view->result.worst] - view->picture->limit_mb;
    char text[96];
    if (!(excess > 1e-6))
        return;
    snprintf(text, sizeof text, "exceeds the limit by %s MiB on stage %d",
             pps_decimals_text(excess, 2).text, view->result.worst);
    pps_svg_text(out, x, y, PPS_SVG_START, PICTURE_TEXT, PICTURE_ALERT, text);
}

static void put_bubble(const struct picture_view *view, double x, double y, FILE *out)
{
    struct text_buffer text = {0};
    published_bubble_line(&view->result.bubble, &text);
    if (!text.failed)
        pps_svg_text(out, x, y, PPS_SVG_MIDDLE, 12, PICTURE_INK, text.text);
    text_buffer_free(&text);
}

void balance_picture_heading(const char *name, const struct balance_layers *layers,
                             const struct balance_shape *shape, double limit_mb,
                             double makespan, char *text, size_t room)
{
    const bool has_name = layers->name[0] != '\0', has_devices = layers->devices[0] != '\0';
    char limit[48] = "", order[48] = "", pieces[48] = "";
    if (isfinite(limit_mb))
        snprintf(limit, sizeof limit, ", limit %s MiB", pps_digits_text(limit_mb, 10).text);
    if (shape->chunks > 1)
        snprintf(order, sizeof order, " of %d chunks (%s memory)", shape->chunks,
                 shape->order == BALANCE_LESS_MEMORY ? "less" : "big");
    if (shape->pieces > 1)
        snprintf(pieces, sizeof pieces, " in %d pieces", shape->pieces);
    snprintf(text, room,
             "%s%s%s%s%s%s%d layers, %d stages%s, %d micro-batches%s%s, step time %s",
             layers->name, has_name && has_devices ? " on " : "", layers->devices,
             has_name || has_devices ? ": " : "", name, *name != '\0' ? ", " : "",
             layers->layers, shape->stages, order, shape->micro_batches, pieces, limit,
             pps_digits_text(makespan, 6).text);
}

// ---- the picture --------------------------------------------------------------------------------

static double flow_height(const struct picture_view *view)
{
    return fmin(fmax(FLOW_LEAST, (double)FLOW_ROW * view->picture->shape->stages), FLOW_MOST);
}

static double height_of(const struct picture_view *view)
{
    return HEAD + flow_height(view) + BETWEEN + MEMORY + 40 +
           LINE * (put_peaks(view, 0, 0, NULL) + 1);
}

static bool draw(struct picture_view *view, double x, FILE *out)
{
    const struct pps_svg_box flow = {x + LEFT, HEAD, WIDTH - LEFT - RIGHT, flow_height(view)};
    const struct pps_svg_box memory = {flow.x, HEAD + flow.h + BETWEEN, flow.w, MEMORY};
    const double middle = flow.x + flow.w / 2, below = memory.y + memory.h + 36;
    picture_replay(view);
    pps_svg_text(out, middle, 22, PPS_SVG_MIDDLE, 14, PICTURE_INK, view->picture->heading);
    picture_flow(view, flow, out);
    put_bubble(view, middle, flow.y + flow.h + 38, out);
    const bool drawn = picture_memory(view, memory, out);
    put_excess(view, flow.x, below + LINE * put_peaks(view, flow.x, below, out), out);
    return drawn;
}

// Replays the pictures and sets their common axes. Returns false if memory runs out.
static bool open_views(struct picture_view *views, const struct balance_picture *pictures,
                       int n)
{
    double end = 0, highest = 0;
    for (int i = 0; i < n; i++) {
        views[i] = (struct picture_view){.picture = &pictures[i]};
        views[i].result.peak_mb =
            calloc((size_t)pictures[i].shape->stages, sizeof *views[i].result.peak_mb);
        if (views[i].result.peak_mb == NULL)
            return false;
        picture_replay(&views[i]);
        end = fmax(end, views[i].result.makespan);
        highest = fmax(highest, views[i].result.peak_mb[views[i].result.worst]);
        if (isfinite(pictures[i].limit_mb))
            highest = fmax(highest, pictures[i].limit_mb);
    }
    for (int i = 0; i < n; i++) {
        views[i].end = end;
        views[i].highest = highest;
    }
    return true;
}

bool balance_picture_draw(const struct balance_picture *pictures, int n, FILE *out)
{
    struct picture_view views[2] = {{.picture = NULL}};
    double height = 0;
    bool done = open_views(views, pictures, n);
    for (int i = 0; i < n && done; i++)
        height = fmax(height, height_of(&views[i]));
    if (done)
        pps_svg_begin(out, WIDTH * n, height);
    for (int i = 0; i < n && done; i++)
        done = draw(&views[i], WIDTH * i, out);
    if (done)
        pps_svg_end(out);
    for (int i = 0; i < n; i++)
        free(views[i].result.peak_mb);
    return done;
}

// ---- files --------------------------------------------------------------------------------------

struct drawing {
    const struct balance_picture *pictures;
    int n;
};

static enum pps_status draw_checked(void *self, FILE *out, struct pps_error *err)
{
    const struct drawing *drawing = self;
    if (!balance_picture_draw(drawing->pictures, drawing->n, out))
        return pps_fail_memory(err, "the picture");
    return PPS_OK;
}

enum pps_status balance_picture_write(const struct balance_picture *pictures, int n,
                                      const char *path, const struct pps_gate *gate,
                                      struct pps_error *err)
{
    struct drawing drawing = {pictures, n};
    struct pps_new_file file;
    enum pps_status status = pps_new_file_open(&file, path, gate, err);
    if (status != PPS_OK)
        return status;
    status = pps_ends_with(path, ".png")
                 ? pps_svg_draw_png(draw_checked, &drawing, file.out, err)
                 : draw_checked(&drawing, file.out, err);
    return pps_new_file_end(&file, status, err);
}
