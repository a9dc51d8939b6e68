// SPDX-License-Identifier: Apache-2.0
// Draws the tasks of a timeline.
#include "engine/trace/trace_draw.h"

#include "base/text/human.h"
#include "engine/svg/svg.h"
#include "engine/timeline/colours.h"
#include "engine/trace/trace_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Lengths in pixels.
#define LANE      18.0
#define LANE_GAP  1.0
#define GROUP_GAP 10.0
#define STRIP     36.0 // height of a counter
#define THIN      0.5  // width of a segment at least

// A task, or a part of a task without a pause: consecutive segments of one lane.
struct pps_drawn_task {
    int32_t lane, kind, ordinal;
    double start, end;
    double slowest; // lowest rate
};

struct pps_lane_place {
    int32_t group, track, slot, lane;
    double y;
};

// ---- tasks ----------------------------------------------------------------------------------

static void add_to_tasks(struct pps_task_panel *p, const struct pps_drawn_piece *drawn,
                         int32_t *last)
{
    const struct pps_piece *piece = &drawn->piece;
    if (drawn->continues) {
        struct pps_drawn_task *task = &p->tasks[last[drawn->lane]];
        task->end = piece->end;
        task->slowest = fmin(task->slowest, piece->rate);
        return;
    }
    last[drawn->lane] = (int32_t)p->n_tasks;
    p->tasks[p->n_tasks++] = (struct pps_drawn_task){
        .lane = drawn->lane,
        .kind = piece->kind,
        .ordinal = piece->ordinal,
        .start = piece->start,
        .end = piece->end,
        .slowest = piece->rate,
    };
}

static bool find_tasks(struct pps_task_panel *p)
{
    const size_t n_lanes = p->pieces->lanes.n;
    int32_t *last = calloc(n_lanes + 1, sizeof *last);
    p->tasks = calloc(p->pieces->n + 1, sizeof *p->tasks);
    const bool good = last != NULL && p->tasks != NULL;
    for (size_t i = 0; good && i < p->pieces->n; i++)
        add_to_tasks(p, &p->pieces->list[i], last);
    free(last);
    return good;
}

// ---- layout ---------------------------------------------------------------------------------

static int by_place(const void *left, const void *right)
{
    const struct pps_lane_place *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

static int count_counters(const struct pps_task_panel *p)
{
    const char *const *counters = p->pieces->names->counters;
    int n = 0;
    while (counters != NULL && counters[n] != NULL)
        n++;
    return n;
}

// Returns the height of the counters below the lanes of a group.
static double strips_height(const struct pps_task_panel *p, int32_t group)
{
    if (!pps_levels_has(&p->pieces->levels, group))
        return 0;
    return count_counters(p) * (LANE_GAP + STRIP);
}

static bool place_lanes(struct pps_task_panel *p)
{
    const struct pps_lanes *lanes = &p->pieces->lanes;
    p->places = calloc(lanes->n + 1, sizeof *p->places);
    p->y = calloc(lanes->n + 1, sizeof *p->y);
    if (p->places == NULL || p->y == NULL)
        return false;
    for (size_t i = 0; i < lanes->n; i++)
        p->places[i] = (struct pps_lane_place){lanes->list[i].group, lanes->list[i].track,
                                               lanes->list[i].slot, (int32_t)i, 0};
    qsort(p->places, lanes->n, sizeof *p->places, by_place);
    double y = 0;
    for (size_t i = 0; i < lanes->n; i++) {
        if (i > 0 && p->places[i].group == p->places[i - 1].group)
            y += LANE + LANE_GAP;
        else if (i > 0)
            y += LANE + strips_height(p, p->places[i - 1].group) + GROUP_GAP;
        p->places[i].y = p->y[p->places[i].lane] = y;
    }
    p->h = LANE;
    if (lanes->n > 0)
        p->h = y + LANE + strips_height(p, p->places[lanes->n - 1].group);
    return true;
}

static size_t most_tasks(const struct pps_task_panel *p)
{
    size_t most = 0;
    size_t *counts = calloc(p->pieces->lanes.n + 1, sizeof *counts);
    for (size_t i = 0; counts != NULL && i < p->n_tasks; i++) {
        const size_t n = ++counts[p->tasks[i].lane];
        most = n > most ? n : most;
    }
    free(counts);
    return most;
}

bool pps_task_panel_open(struct pps_task_panel *panel, const struct pps_trace_pieces *pieces)
{
    *panel = (struct pps_task_panel){.pieces = pieces};
    if (!find_tasks(panel) || !place_lanes(panel))
        return false;
    panel->most = most_tasks(panel);
    return true;
}

void pps_task_panel_close(struct pps_task_panel *panel)
{
    free(panel->tasks);
    free(panel->places);
    free(panel->y);
    *panel = (struct pps_task_panel){.pieces = NULL};
}

// ---- ground -------------------------------------------------------------------------------------

// Names the first lane of a track; the others have a number.
static void put_lane_name(const struct pps_task_panel *p, FILE *out, double right, double y,
                          const struct pps_lane_place *place)
{
    char text[128];
    const char *name = p->pieces->names->tracks[place->track];
    if (place->slot == 0)
        snprintf(text, sizeof text, "%.*s", (int)strcspn(name, p->brief ? ":" : ""), name);
    else
        snprintf(text, sizeof text, "(%d)", (int)place->slot + 1);
    pps_svg_text(out, right, y, PPS_SVG_END, 11, PPS_TRACE_PALE, text);
}

static void put_lanes(const struct pps_task_panel *p, FILE *out,
                      const struct pps_time_axis *axis, double top)
{
    char text[96];
    for (size_t i = 0; i < p->pieces->lanes.n; i++) {
        const struct pps_lane_place *place = &p->places[i];
        const double y = top + place->y;
        pps_svg_rect(out, (struct pps_svg_box){axis->left, y, axis->w, LANE}, PPS_TRACE_GROUND,
                     NULL);
        put_lane_name(p, out, axis->left - 8, y + LANE / 2, place);
        if (i > 0 && p->places[i - 1].group == place->group)
            continue;
        snprintf(text, sizeof text, "%.64s %d", p->pieces->names->group, (int)place->group);
        pps_svg_text(out, PPS_TRACE_MARGIN, y + LANE / 2, PPS_SVG_START, 11, PPS_TRACE_INK,
                     text);
    }
}

// Draws the counters below the last lane of each group.
static void put_strips(const struct pps_task_panel *p, FILE *out,
                       const struct pps_time_axis *axis, double top)
{
    const struct pps_trace_pieces *pieces = p->pieces;
    const size_t n = pieces->lanes.n;
    for (size_t i = 0; i < n; i++) {
        const int32_t group = p->places[i].group;
        double y = top + p->places[i].y + LANE;
        if ((i + 1 < n && p->places[i + 1].group == group) ||
            !pps_levels_has(&pieces->levels, group))
            continue;
        for (int c = 0; c < count_counters(p); c++, y += STRIP) {
            double limit;
            y += LANE_GAP;
            pps_svg_text(out, axis->left - 8, y + STRIP / 2, PPS_SVG_END, 11, PPS_TRACE_PALE,
                         pieces->names->counters[c]);
            pps_strip_draw(out, &pieces->levels, group, c, axis, y, STRIP,
                           pps_levels_highest(&pieces->levels, c, &limit));
        }
    }
}

void pps_task_panel_ground(const struct pps_task_panel *panel, FILE *out,
                           const struct pps_time_axis *axis, double top)
{
    put_lanes(panel, out, axis, top);
    put_strips(panel, out, axis, top);
}

// ---- pieces -------------------------------------------------------------------------------------

static void put_hint(const struct pps_trace_names *names, const struct pps_time_unit *unit,
                     const struct pps_piece *piece, char *hint, size_t cap)
{
    char chunk[64] = "", start[48], end[96];
    pps_human_number(piece->start / unit->size, 9, start, sizeof start);
    pps_time_unit_text(unit, piece->end, 9, end, sizeof end);
    if (names->chunk != NULL)
        snprintf(chunk, sizeof chunk, ", %.40s %d", names->chunk, (int)piece->chunk);
    snprintf(hint, cap, "%s %d, %s %d%s: %s to %s, rate %.4g%s%s", names->kinds[piece->kind],
             (int)piece->ordinal, names->item, (int)piece->item, chunk, start, end, piece->rate,
             piece->flag ? ", " : "", piece->flag ? names->flag : "");
}

static void put_piece(const struct pps_task_panel *p, FILE *out,
                      const struct pps_time_unit *unit, const struct pps_svg_box *whole,
                      const struct pps_piece *piece, double share)
{
    char hint[256];
    const struct pps_kind_colour *colour = pps_kind_colour(p->pieces->names, piece->kind);
    const struct pps_svg_box full = {whole->x, whole->y + LANE * (1 - share), whole->w,
                                     LANE * share};
    put_hint(p->pieces->names, unit, piece, hint, sizeof hint);
    if (share < 1)
        pps_svg_rect(out, *whole, colour->tint, hint);
    if (share > 0)
        pps_svg_rect(out, full, colour->fill, hint);
    if (piece->flag)
        pps_svg_rect(out, *whole, "url(#flag)", hint);
}

static void put_task(const struct pps_task_panel *p, FILE *out, const struct pps_svg_box *box,
                     const struct pps_drawn_task *task, double highest)
{
    const bool full = task->slowest > 0.7 * highest;
    char text[16];
    if (box->w > 2)
        pps_svg_frame(out, *box, "#ffffff", 0.8);
    const int n = snprintf(text, sizeof text, "%d", (int)task->ordinal);
    if (box->w > 7.0 * n + 3)
        pps_svg_text(out, box->x + box->w / 2, box->y + LANE / 2, PPS_SVG_MIDDLE, 11,
                     full ? pps_kind_colour(p->pieces->names, task->kind)->ink : "#000000",
                     text);
}

void pps_task_panel_draw(const struct pps_task_panel *p, FILE *out,
                         const struct pps_time_axis *axis, double top, double highest)
{
    for (size_t i = 0; i < p->pieces->n; i++) {
        const struct pps_drawn_piece *drawn = &p->pieces->list[i];
        const double x = pps_time_x(axis, drawn->piece.start);
        const double w = pps_time_x(axis, drawn->piece.end) - x;
        // Short messages would be invisible beside long tasks.
        const struct pps_svg_box whole = {x, top + p->y[drawn->lane], w > 0 ? fmax(w, THIN) : 0,
                                          LANE};
        put_piece(p, out, &axis->unit, &whole, &drawn->piece,
                  fmin(fmax(drawn->piece.rate / highest, 0), 1));
    }
    for (size_t i = 0; i < p->n_tasks; i++) {
        const struct pps_drawn_task *task = &p->tasks[i];
        const double x = pps_time_x(axis, task->start);
        const struct pps_svg_box box = {x, top + p->y[task->lane],
                                        pps_time_x(axis, task->end) - x, LANE};
        put_task(p, out, &box, task, highest);
    }
}
