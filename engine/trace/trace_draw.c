// SPDX-License-Identifier: Apache-2.0
// Draws the segments of a trace.
#include "engine/trace/trace_draw.h"

#include "base/text/human.h"
#include "engine/trace/svg.h"
#include "engine/trace/trace_legend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Lengths in pixels.
#define LANE      18.0
#define LANE_GAP  1.0
#define GROUP_GAP 10.0
#define STRIP     36.0 // height of a counter's strip
#define LINE      19.0
#define MARGIN    16.0
#define MIN_PLOT  900.0
#define MAX_PLOT  8000.0
#define TASK      24.0 // average width of a task where MAX_PLOT allows it
#define TICK      90.0 // minimum distance of labels on the time axis

static const char GRID[] = "#dddddd";

// A task, or a part of a task without a pause: consecutive segments of one lane.
struct task {
    int32_t lane, kind, item, chunk, ordinal;
    double start, end;
    double slowest; // lowest rate
};

struct place {
    int32_t group, track, slot, lane;
    double y;
};

struct picture {
    const struct pps_trace_pieces *pieces;
    FILE *out;
    struct task *tasks;
    size_t n_tasks;
    struct place *places; // from top to bottom, one per lane
    double *y;            // y of each lane
    double left, top, w, h, plot_w, plot_h;
    double group_w; // width of the names of groups
};

// ---- tasks ----------------------------------------------------------------------------------

static void add_to_tasks(struct picture *p, const struct pps_drawn_piece *drawn, int32_t *last)
{
    const struct pps_piece *piece = &drawn->piece;
    struct task *task = last[drawn->lane] < 0 ? NULL : &p->tasks[last[drawn->lane]];
    if (task != NULL && task->kind == piece->kind && task->item == piece->item &&
        task->chunk == piece->chunk && task->end == piece->start) {
        task->end = piece->end;
        task->slowest = fmin(task->slowest, piece->rate);
        return;
    }
    last[drawn->lane] = (int32_t)p->n_tasks;
    p->tasks[p->n_tasks++] = (struct task){
        .lane = drawn->lane,
        .kind = piece->kind,
        .item = piece->item,
        .chunk = piece->chunk,
        .ordinal = piece->ordinal,
        .start = piece->start,
        .end = piece->end,
        .slowest = piece->rate,
    };
}

static bool find_tasks(struct picture *p)
{
    const size_t n_lanes = p->pieces->lanes.n;
    int32_t *last = calloc(n_lanes + 1, sizeof *last);
    p->tasks = calloc(p->pieces->n + 1, sizeof *p->tasks);
    const bool good = last != NULL && p->tasks != NULL;
    for (size_t i = 0; good && i < n_lanes; i++)
        last[i] = -1;
    for (size_t i = 0; good && i < p->pieces->n; i++)
        add_to_tasks(p, &p->pieces->list[i], last);
    free(last);
    return good;
}

// ---- layout ---------------------------------------------------------------------------------

static int by_place(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

static int count_counters(const struct picture *p)
{
    const char *const *counters = p->pieces->names->counters;
    int n = 0;
    while (counters != NULL && counters[n] != NULL)
        n++;
    return n;
}

// Returns the height of the counters below the lanes of a group.
static double strips_height(const struct picture *p, int32_t group)
{
    if (!pps_levels_has(&p->pieces->levels, group))
        return 0;
    return count_counters(p) * (LANE_GAP + STRIP);
}

static bool place_lanes(struct picture *p)
{
    const struct pps_lanes *lanes = &p->pieces->lanes;
    p->places = calloc(lanes->n + 1, sizeof *p->places);
    p->y = calloc(lanes->n + 1, sizeof *p->y);
    if (p->places == NULL || p->y == NULL)
        return false;
    for (size_t i = 0; i < lanes->n; i++)
        p->places[i] = (struct place){lanes->list[i].group, lanes->list[i].track,
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
    p->plot_h = LANE;
    if (lanes->n > 0)
        p->plot_h = y + LANE + strips_height(p, p->places[lanes->n - 1].group);
    return true;
}

static size_t most_tasks(const struct picture *p)
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

static double longest(const char *const *names)
{
    size_t most = 0;
    for (; *names != NULL; names++)
        most = strlen(*names) > most ? strlen(*names) : most;
    return (double)most;
}

static double x_of(const struct picture *p, double time)
{
    const double begin = p->pieces->begin, span = p->pieces->end - begin;
    return p->left + (span > 0 ? (time - begin) / span * p->plot_w : 0);
}

// ---- head -----------------------------------------------------------------------------------

// Splits the title at spaces into lines of the picture's width and returns their number; draws
// them only if draw is set.
static int put_title(const struct picture *p, bool draw)
{
    // Lines of a wide picture are limited, since viewers show its left side first.
    const size_t line_chars = (size_t)((fmin(p->w, 1200) - 2 * MARGIN) / (PPS_TRACE_CHAR + 1));
    char line[512] = "";
    int n = 0;
    for (const char *word = p->pieces->title; *word != '\0';) {
        const size_t chars = strcspn(word, " "), used = strlen(line);
        if (used > 0 && used + 1 + chars > line_chars) {
            n++;
            if (draw)
                pps_svg_text(p->out, MARGIN, MARGIN + (n - 0.5) * LINE, PPS_SVG_START, 13,
                             PPS_TRACE_INK, line);
            line[0] = '\0';
        }
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%.*s",
                 line[0] == '\0' ? "" : " ", (int)chars, word);
        word += chars + (word[chars] == ' ');
    }
    n += line[0] != '\0';
    if (draw && line[0] != '\0')
        pps_svg_text(p->out, MARGIN, MARGIN + (n - 0.5) * LINE, PPS_SVG_START, 13,
                     PPS_TRACE_INK, line);
    return n;
}

// ---- axes -----------------------------------------------------------------------------------

// Returns 1, 2 or 5 times a power of ten, so that labels have room.
static double tick_step(const struct picture *p)
{
    const double least = (p->pieces->end - p->pieces->begin) / p->plot_w * TICK;
    double step = 1e-9;
    for (int i = 0; step < least && step < 1e300; i++)
        step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

static void put_time_name(const struct picture *p, double y)
{
    const char *unit = p->pieces->names->time_unit;
    char text[64] = "time";
    if (unit != NULL)
        snprintf(text, sizeof text, "time (%s)", unit);
    pps_svg_text(p->out, p->left + p->plot_w / 2, y, PPS_SVG_MIDDLE, 13, PPS_TRACE_INK, text);
}

// 4000000 -> "4 000 000"; --from and --to accept the number without the blanks.
static void time_text(double time, double step, char *out, size_t cap)
{
    if (step >= 1 && fabs(time) >= 1e4 && fabs(time) < 1e15)
        pps_human_count(time, out, cap);
    else
        snprintf(out, cap, "%.10g", time);
}

static void put_time_axis(const struct picture *p)
{
    const double bottom = p->top + p->plot_h + 6, step = tick_step(p);
    char text[32];
    const double first = ceil(p->pieces->begin / step);
    if (p->pieces->end > p->pieces->begin)
        for (uint64_t i = 0; (first + (double)i) * step <= p->pieces->end; i++) {
            const double time = (first + (double)i) * step, x = x_of(p, time);
            pps_svg_line(p->out, x, p->top - 4, x, bottom, GRID);
            time_text(time, step, text, sizeof text);
            pps_svg_text(p->out, x, bottom + 9, PPS_SVG_MIDDLE, 11, PPS_TRACE_INK, text);
        }
    pps_svg_line(p->out, p->left, bottom, p->left + p->plot_w, bottom, PPS_TRACE_INK);
    put_time_name(p, bottom + 28);
}

static void put_lane_names(const struct picture *p)
{
    const struct pps_trace_names *names = p->pieces->names;
    char text[96];
    for (size_t i = 0; i < p->pieces->lanes.n; i++) {
        const struct place *place = &p->places[i];
        const double y = p->top + place->y;
        pps_svg_rect(p->out, (struct pps_svg_box){p->left, y, p->plot_w, LANE}, "#f6f6f6",
                     NULL);
        if (place->slot == 0)
            pps_svg_text(p->out, p->left - 8, y + LANE / 2, PPS_SVG_END, 11, PPS_TRACE_PALE,
                         names->tracks[place->track]);
        if (i > 0 && p->places[i - 1].group == place->group)
            continue;
        snprintf(text, sizeof text, "%s %d", names->group, place->group);
        pps_svg_text(p->out, MARGIN, y + LANE / 2, PPS_SVG_START, 11, PPS_TRACE_INK, text);
    }
}

// Draws the counters below the last lane of each group.
static void put_strips(const struct picture *p)
{
    const struct pps_trace_pieces *pieces = p->pieces;
    const size_t n = pieces->lanes.n;
    for (size_t i = 0; i < n; i++) {
        const int32_t group = p->places[i].group;
        double y = p->top + p->places[i].y + LANE;
        if ((i + 1 < n && p->places[i + 1].group == group) ||
            !pps_levels_has(&pieces->levels, group))
            continue;
        for (int c = 0; c < count_counters(p); c++, y += STRIP) {
            y += LANE_GAP;
            pps_svg_text(p->out, p->left - 8, y + STRIP / 2, PPS_SVG_END, 11, PPS_TRACE_PALE,
                         pieces->names->counters[c]);
            pps_strip_draw(p->out, &pieces->levels, group, c,
                           (struct pps_svg_box){p->left, y, p->plot_w, STRIP}, pieces->begin,
                           pieces->end, pps_levels_highest(&pieces->levels, c));
        }
    }
}

// ---- pieces ---------------------------------------------------------------------------------

static void put_piece(const struct picture *p, const struct pps_drawn_piece *drawn)
{
    const struct pps_piece *piece = &drawn->piece;
    const struct pps_trace_names *names = p->pieces->names;
    const double x = x_of(p, piece->start), y = p->top + p->y[drawn->lane];
    const double share = fmin(fmax(piece->rate / p->pieces->highest, 0), 1);
    const double w = x_of(p, piece->end) - x;
    const char *unit = names->time_unit;
    char hint[256], chunk[64] = "";
    if (names->chunk != NULL)
        snprintf(chunk, sizeof chunk, ", %.40s %d", names->chunk, piece->chunk);
    snprintf(hint, sizeof hint, "%s %d, %s %d%s: %.9g to %.9g%s%s, rate %.4g%s%s",
             names->kinds[piece->kind], piece->ordinal, names->item, piece->item, chunk,
             piece->start, piece->end, unit != NULL ? " " : "", unit != NULL ? unit : "",
             piece->rate, piece->flag ? ", " : "", piece->flag ? names->flag : "");
    const struct pps_trace_colour *colour = pps_trace_colour(piece->kind);
    const struct pps_svg_box whole = {x, y, w, LANE};
    const struct pps_svg_box full = {x, y + LANE * (1 - share), w, LANE * share};
    if (share < 1)
        pps_svg_rect(p->out, whole, colour->tint, hint);
    if (share > 0)
        pps_svg_rect(p->out, full, colour->fill, hint);
    if (piece->flag)
        pps_svg_rect(p->out, whole, "url(#flag)", hint);
}

static void put_task(const struct picture *p, const struct task *task)
{
    const double x = x_of(p, task->start), w = x_of(p, task->end) - x;
    const double y = p->top + p->y[task->lane];
    const bool full = task->slowest > 0.7 * p->pieces->highest;
    char text[16];
    if (w > 2)
        pps_svg_frame(p->out, (struct pps_svg_box){x, y, w, LANE}, "#ffffff", 0.8);
    const int n = snprintf(text, sizeof text, "%d", task->ordinal);
    if (w > PPS_TRACE_CHAR * n + 3)
        pps_svg_text(p->out, x + w / 2, y + LANE / 2, PPS_SVG_MIDDLE, 11,
                     full ? pps_trace_colour(task->kind)->ink : "#000000", text);
}

// ---- the picture ----------------------------------------------------------------------------

static void lay_out(struct picture *p)
{
    const struct pps_trace_names *names = p->pieces->names;
    p->group_w = PPS_TRACE_CHAR * ((double)strlen(names->group) + 5);
    const double track_w = PPS_TRACE_CHAR * longest(names->tracks);
    const double counter_w =
        names->counters != NULL ? PPS_TRACE_CHAR * longest(names->counters) : 0;
    p->left = MARGIN + p->group_w + fmax(track_w, counter_w) + 10;
    p->plot_w = fmin(fmax(TASK * (double)most_tasks(p), MIN_PLOT), MAX_PLOT);
    p->w = p->left + p->plot_w + 30;
    p->top = MARGIN + LINE * put_title(p, false) + 2 * LINE;
    p->h = p->top + p->plot_h + 48;
}

static void put_all(const struct picture *p)
{
    pps_svg_begin(p->out, p->w, p->h);
    pps_svg_hatch(p->out, "flag", "#666666");
    put_title(p, true);
    pps_trace_legend(p->pieces, p->out, p->left, p->top - LINE);
    put_lane_names(p);
    put_strips(p);
    put_time_axis(p);
    for (size_t i = 0; i < p->pieces->n; i++)
        put_piece(p, &p->pieces->list[i]);
    for (size_t i = 0; i < p->n_tasks; i++)
        put_task(p, &p->tasks[i]);
    pps_svg_end(p->out);
}

bool pps_trace_draw(const struct pps_trace_pieces *pieces, FILE *out)
{
    struct picture picture = {.pieces = pieces, .out = out};
    const bool good = find_tasks(&picture) && place_lanes(&picture);
    if (good) {
        lay_out(&picture);
        put_all(&picture);
    }
    free(picture.tasks);
    free(picture.places);
    free(picture.y);
    return good;
}
