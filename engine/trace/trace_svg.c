// SPDX-License-Identifier: Apache-2.0
// Collects the segments of one point's trace and draws them.
#include "engine/trace/trace_svg.h"

#include "base/text/grow_list.h"
#include "engine/trace/trace_draw.h"

#include <math.h>
#include <stdlib.h>

struct pps_tracesvg {
    struct pps_trace_pieces pieces;
    double to;
    size_t room;
    size_t n_seen; // segments received, excess segments included
    bool no_memory;
};

static bool make_room(struct pps_tracesvg *svg)
{
    struct pps_trace_pieces *pieces = &svg->pieces;
    struct pps_drawn_piece *list =
        pps_grow(pieces->list, &svg->room, pieces->n + 1, sizeof *list);
    if (list == NULL)
        return false;
    pieces->list = list;
    return true;
}

static void add_piece(void *self, const struct pps_piece *piece)
{
    struct pps_tracesvg *svg = self;
    struct pps_trace_pieces *pieces = &svg->pieces;
    struct pps_piece shown = *piece;
    bool new_group, new_lane;
    shown.start = fmax(shown.start, pieces->begin);
    shown.end = fmin(shown.end, svg->to);
    if (shown.start > shown.end || (shown.start == shown.end && piece->start < piece->end))
        return;
    if (svg->n_seen++ >= PPS_TRACESVG_PIECES)
        return;
    const struct pps_lane *lane = pps_lanes_put(&pieces->lanes, &shown, &new_group, &new_lane);
    if (lane == NULL || !make_room(svg)) {
        svg->no_memory = true;
        return;
    }
    pieces->list[pieces->n++] =
        (struct pps_drawn_piece){shown, (int32_t)(lane - pieces->lanes.list)};
    pieces->end = fmax(pieces->end, shown.end);
    pieces->highest = fmax(pieces->highest, piece->rate);
    pieces->flagged = pieces->flagged || piece->flag;
}

static void add_level(void *self, const struct pps_level *level)
{
    struct pps_tracesvg *svg = self;
    if (svg->n_seen <= PPS_TRACESVG_PIECES && !pps_levels_add(&svg->pieces.levels, level))
        svg->no_memory = true;
}

static void add_limit(void *self, const struct pps_limit *limit)
{
    struct pps_tracesvg *svg = self;
    if (!pps_levels_limit(&svg->pieces.levels, limit))
        svg->no_memory = true;
}

enum pps_status pps_tracesvg_open(struct pps_tracesvg **out,
                                  const char *title,
                                  struct pps_trace_window window,
                                  const struct pps_trace_names *names,
                                  struct pps_error *err)
{
    struct pps_tracesvg *svg = calloc(1, sizeof *svg);
    *out = svg;
    if (svg == NULL)
        return pps_fail_errno(err, "draw", "the trace");
    svg->pieces.title = title;
    svg->pieces.begin = svg->pieces.end = window.from;
    svg->to = window.to;
    svg->pieces.names = names;
    svg->pieces.highest = 1; // the rate without contention
    while (names->tracks[svg->pieces.lanes.n_tracks] != NULL)
        svg->pieces.lanes.n_tracks++;
    return PPS_OK;
}

struct pps_trace_sink pps_tracesvg_sink(struct pps_tracesvg *svg)
{
    return (struct pps_trace_sink){svg, add_piece, add_level, add_limit};
}

enum pps_status pps_tracesvg_draw(const struct pps_tracesvg *svg,
                                  FILE *out,
                                  struct pps_error *err)
{
    if (svg->n_seen > PPS_TRACESVG_PIECES)
        return pps_fail(err, PPS_E_INPUT,
                        "too many segments for an SVG (%zu > %d); write NAME.json and open it "
                        "in ui.perfetto.dev, or draw a part (trace --to 100)",
                        svg->n_seen, PPS_TRACESVG_PIECES);
    if (svg->no_memory || !pps_trace_draw(&svg->pieces, out))
        return pps_fail_memory(err, "the trace");
    if (fflush(out) != 0 || ferror(out))
        return pps_fail_errno(err, "write", "the trace");
    return PPS_OK;
}

void pps_tracesvg_close(struct pps_tracesvg *svg)
{
    if (svg == NULL)
        return;
    pps_lanes_free(&svg->pieces.lanes);
    pps_levels_free(&svg->pieces.levels);
    free(svg->pieces.list);
    free(svg);
}
