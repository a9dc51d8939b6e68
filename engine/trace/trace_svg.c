// SPDX-License-Identifier: Apache-2.0
// Collects timelines for pictures.
#include "engine/trace/trace_svg.h"

#include "base/text/grow_list.h"
#include "base/text/human.h"
#include "engine/trace/trace_page.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 2, MOST_LEVELS = 400000 };

struct pps_tracesvg {
    const struct pps_trace_names *names;
    struct pps_trace_pieces points[POINTS];
    int n_points;
    size_t n_seen, n_lanes; // of all points
    bool asked;             // for utilisation
    bool no_memory;
};

static struct pps_trace_pieces *point_of(struct pps_tracesvg *svg)
{
    return &svg->points[svg->n_points - 1];
}

static bool is_crowded(const struct pps_tracesvg *svg)
{
    return svg->n_seen > PPS_TRACESVG_PIECES || svg->n_lanes > PPS_TRACESVG_LANES;
}

// Stores a segment on its lane. Returns false if memory runs out.
static bool store(struct pps_tracesvg *svg, const struct pps_piece *piece)
{
    struct pps_trace_pieces *pieces = point_of(svg);
    bool new_group, new_lane;
    const struct pps_lane *lane = pps_lanes_put(&pieces->lanes, piece, &new_group, &new_lane);
    struct pps_drawn_piece *list =
        pps_grow(pieces->list, &pieces->room, pieces->n + 1, sizeof *list);
    if (list == NULL || lane == NULL)
        return false;
    svg->n_lanes += new_lane;
    pieces->list = list;
    pieces->list[pieces->n++] =
        (struct pps_drawn_piece){*piece, (int32_t)(lane - pieces->lanes.list), lane->continues};
    return true;
}

static void take_piece(void *self, const struct pps_piece *piece)
{
    struct pps_tracesvg *svg = self;
    struct pps_trace_pieces *pieces = point_of(svg);
    const int32_t known = (int32_t)(sizeof pieces->kinds / sizeof *pieces->kinds);
    svg->n_seen++;
    pieces->n_seen++;
    pieces->shown_end = fmax(pieces->shown_end, piece->end);
    pieces->highest = fmax(pieces->highest, piece->rate);
    pieces->slowed = pieces->slowed || piece->rate < 1;
    pieces->flagged = pieces->flagged || piece->flag;
    pieces->kinds[piece->kind < known ? piece->kind : known - 1] = true;
    if (!pps_load_add(&pieces->load, piece))
        svg->no_memory = true;
    else if (!svg->asked && !is_crowded(svg) && !store(svg, piece))
        svg->no_memory = true;
}

static void take_level(void *self, const struct pps_level *level)
{
    struct pps_tracesvg *svg = self;
    struct pps_trace_pieces *pieces = point_of(svg);
    if (pieces->levels.n < MOST_LEVELS && !pps_levels_add(&pieces->levels, level))
        svg->no_memory = true;
}

static void take_limit(void *self, const struct pps_limit *limit)
{
    struct pps_tracesvg *svg = self;
    if (!pps_levels_limit(&point_of(svg)->levels, limit))
        svg->no_memory = true;
}

enum pps_status pps_tracesvg_open(struct pps_tracesvg **out,
                                  const struct pps_trace_names *names, bool loads,
                                  struct pps_error *err)
{
    struct pps_tracesvg *svg = calloc(1, sizeof *svg);
    *out = svg;
    if (svg == NULL)
        return pps_fail_memory(err, "the trace");
    svg->names = names;
    svg->asked = loads;
    return PPS_OK;
}

void pps_tracesvg_begin(struct pps_tracesvg *svg, const char *title,
                        struct pps_trace_window window)
{
    int32_t n_tracks = 0;
    while (svg->names->tracks[n_tracks] != NULL)
        n_tracks++;
    svg->points[svg->n_points++] = (struct pps_trace_pieces){
        .title = title,
        .names = svg->names,
        .lanes = {.n_tracks = n_tracks},
        .load = {.n_tracks = n_tracks, .begin = window.from},
        .begin = window.from,
        .shown_end = window.from,
        .highest = 1, // the rate without contention
    };
}

struct pps_trace_sink pps_tracesvg_sink(struct pps_tracesvg *svg)
{
    return (struct pps_trace_sink){svg, take_piece, take_level, take_limit};
}

void pps_tracesvg_end(struct pps_tracesvg *svg, double end)
{
    struct pps_trace_pieces *pieces = point_of(svg);
    pieces->end = pieces->levels.end = end;
    // A counter without all of its values would mislead.
    pieces->levels_lost = pieces->levels.n == MOST_LEVELS;
    if (pieces->levels_lost)
        pps_levels_free(&pieces->levels);
}

bool pps_tracesvg_shows_loads(const struct pps_tracesvg *svg)
{
    return svg->asked || is_crowded(svg);
}

// Says why the picture shows no tasks.
static void say_why(const struct pps_tracesvg *svg, char *why, size_t cap)
{
    char count[32];
    why[0] = '\0';
    pps_human_count((double)svg->n_seen, count, sizeof count);
    if (svg->asked)
        return;
    if (svg->n_seen > PPS_TRACESVG_PIECES)
        snprintf(why, cap, "%s segments are too many to draw", count);
    else if (svg->n_lanes > PPS_TRACESVG_LANES)
        snprintf(why, cap, "more than %d lanes are too many to draw", PPS_TRACESVG_LANES);
}

enum pps_status pps_tracesvg_draw(const struct pps_tracesvg *svg,
                                  const struct pps_tracesvg_look *look, FILE *out,
                                  struct pps_error *err)
{
    char why[128];
    say_why(svg, why, sizeof why);
    const struct pps_trace_page page = {.points = svg->points,
                                        .n_points = svg->n_points,
                                        .loads = pps_tracesvg_shows_loads(svg),
                                        .why = why,
                                        .shown = look->shown,
                                        .width = look->width,
                                        .is_png = look->is_png};
    if (svg->no_memory || !pps_trace_page_draw(&page, out))
        return pps_fail_memory(err, "the trace");
    if (fflush(out) != 0 || ferror(out))
        return pps_fail_errno(err, "write", "the trace");
    return PPS_OK;
}

void pps_tracesvg_close(struct pps_tracesvg *svg)
{
    for (int i = 0; svg != NULL && i < svg->n_points; i++) {
        pps_lanes_free(&svg->points[i].lanes);
        pps_levels_free(&svg->points[i].levels);
        pps_load_free(&svg->points[i].load);
        free(svg->points[i].list);
    }
    free(svg);
}
