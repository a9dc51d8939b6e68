// SPDX-License-Identifier: Apache-2.0
// Writes the timeline of one point as JSON.
#include "engine/report/timeline_parts.h"

#include "base/edit/json_write.h"
#include "engine/timeline/time_unit.h"

#include <math.h>

enum { PIECE_NUMBERS = 7 }; // lane, kind, ordinal, start, end, state, rate

void pps_timeline_parts_open(struct pps_timeline_parts *parts,
                             const struct pps_trace_names *names)
{
    int32_t n_tracks = 0;
    while (names->tracks[n_tracks] != NULL)
        n_tracks++;
    *parts = (struct pps_timeline_parts){.names = names,
                                         .lanes = {.n_tracks = n_tracks},
                                         .load = {.n_tracks = n_tracks},
                                         .highest = 1};
}

void pps_timeline_parts_close(struct pps_timeline_parts *parts)
{
    text_buffer_free(&parts->text);
    pps_lanes_free(&parts->lanes);
    pps_load_free(&parts->load);
}

// ---- segments ---------------------------------------------------------------------------------

static double rounded(double time)
{
    return round(time * 1e6) / 1e6;
}

static bool is_crowded(const struct pps_timeline_parts *parts)
{
    return parts->n > PPS_PAGE_PIECES || parts->lanes.n > PPS_PAGE_LANES;
}

// Appends a segment with its lane.
static void put_piece(struct pps_timeline_parts *parts, const struct pps_piece *piece)
{
    bool new_group, new_lane;
    const struct pps_lane *lane = pps_lanes_put(&parts->lanes, piece, &new_group, &new_lane);
    if (lane == NULL) {
        parts->no_memory = true;
        return;
    }
    text_buffer_add(&parts->text, "%s%d,%d,%d,", parts->text.n > 0 ? "," : "",
                    (int)(lane - parts->lanes.list), (int)piece->kind, (int)piece->ordinal);
    json_write_number(&parts->text, rounded(piece->start));
    text_buffer_add_bytes(&parts->text, ",", 1);
    json_write_number(&parts->text, rounded(piece->end));
    text_buffer_add(&parts->text, ",%d,", (piece->flag ? 1 : 0) + (lane->continues ? 2 : 0));
    json_write_number(&parts->text, rounded(piece->rate));
    parts->no_memory = parts->no_memory || parts->text.failed;
}

static void take_piece(void *self, const struct pps_piece *piece)
{
    struct pps_timeline_parts *parts = self;
    parts->n++;
    parts->end = fmax(parts->end, piece->end);
    parts->highest = fmax(parts->highest, piece->rate);
    parts->flagged = parts->flagged || piece->flag;
    parts->no_memory = !pps_load_add(&parts->load, piece) || parts->no_memory;
    if (!is_crowded(parts))
        put_piece(parts, piece);
}

static void ignore_level(void *self, const struct pps_level *level)
{
    (void)self;
    (void)level;
}

static void ignore_limit(void *self, const struct pps_limit *limit)
{
    (void)self;
    (void)limit;
}

struct pps_trace_sink pps_timeline_parts_sink(struct pps_timeline_parts *parts)
{
    return (struct pps_trace_sink){parts, take_piece, ignore_level, ignore_limit};
}

// Writes group, track and number of each lane.
static void write_lanes(const struct pps_timeline_parts *parts, struct text_buffer *json)
{
    text_buffer_add(json, ",\"lanes\":[");
    for (size_t i = 0; i < parts->lanes.n; i++) {
        const struct pps_lane *lane = &parts->lanes.list[i];
        text_buffer_add(json, "%s%d,%d,%d", i > 0 ? "," : "", (int)lane->group,
                        (int)lane->track, (int)lane->slot);
    }
    text_buffer_add(json, "]");
}

// ---- utilisation ------------------------------------------------------------------------------

// Returns the number of lanes with work, and writes group and track of each; all are the first of their track.
static int write_busy_lanes(const struct pps_load *load, struct text_buffer *json)
{
    int n = 0;
    text_buffer_add(json, ",\"lanes\":[");
    for (int32_t g = 0; g < (int32_t)load->n_groups; g++)
        for (int32_t track = 0; track < load->n_tracks; track++)
            if (pps_load_has(load, g, track))
                text_buffer_add(json, "%s%d,%d,0", n++ > 0 ? "," : "", (int)g, (int)track);
    text_buffer_add(json, "]");
    return n;
}

// Writes the utilisation of a lane in percent.
static void write_cells(const struct pps_timeline_parts *parts, int32_t group, int32_t track,
                        int step, struct text_buffer *json)
{
    const struct pps_load *load = &parts->load;
    for (int bin = 0; bin < pps_load_bins(load, parts->end); bin += step) {
        const double mean = pps_load_mean(load, group, track, bin, step, parts->end);
        text_buffer_add(json, "%d,", (int)fmin(round(100 * mean), 1e6));
    }
}

// Writes the utilisation of lanes, in place of segments that are too many.
static size_t write_load(const struct pps_timeline_parts *parts, struct text_buffer *json)
{
    const struct pps_load *load = &parts->load;
    const int n_bins = pps_load_bins(load, parts->end);
    int step = 2;
    const int n_lanes = write_busy_lanes(load, json);
    while (step < PPS_LOAD_BINS && (double)n_lanes * n_bins / step > PPS_PAGE_CELLS)
        step *= 2;
    text_buffer_add(json, ",\"cells\":{\"tasks\":%zu,\"width\":", parts->n);
    json_write_number(json, load->width * step);
    text_buffer_add(json, ",\"percent\":[");
    for (int32_t g = 0; g < (int32_t)load->n_groups; g++)
        for (int32_t track = 0; track < load->n_tracks; track++)
            if (pps_load_has(load, g, track))
                write_cells(parts, g, track, step, json);
    json->n--; // the last comma
    text_buffer_add(json, "]}");
    return (size_t)(n_lanes * (n_bins / step + 1)) / PIECE_NUMBERS;
}

// ---- the timeline -----------------------------------------------------------------------------

static void write_names(struct text_buffer *json, const char *key, const char *const *names)
{
    text_buffer_add(json, ",\"%s\":[", key);
    for (int i = 0; names[i] != NULL; i++) {
        text_buffer_add_bytes(json, ",", i > 0);
        json_write_text(json, names[i]);
    }
    text_buffer_add_bytes(json, "]", 1);
}

size_t pps_timeline_parts_most(const struct pps_timeline_parts *parts)
{
    return is_crowded(parts) ? PPS_PAGE_CELLS / PIECE_NUMBERS : parts->n;
}

size_t pps_timeline_parts_write(const struct pps_timeline_parts *parts,
                                struct text_buffer *json)
{
    const struct pps_trace_names *names = parts->names;
    text_buffer_add(json, "\"end\":");
    json_write_number(json, rounded(parts->end));
    text_buffer_add(json, ",\"highest\":");
    json_write_number(json, rounded(parts->highest));
    text_buffer_add(json, ",\"group\":");
    json_write_text(json, names->group);
    const struct pps_time_unit unit = pps_time_unit_of(names->time_unit, parts->end);
    text_buffer_add(json, ",\"unit\":");
    json_write_text(json, unit.name);
    text_buffer_add(json, ",\"unitSize\":");
    json_write_number(json, unit.size);
    write_names(json, "tracks", names->tracks);
    write_names(json, "kinds", names->kinds);
    text_buffer_add(json, ",\"last\":");
    json_write_text(json, names->end != NULL ? names->end : "end");
    text_buffer_add(json, ",\"flag\":");
    json_write_text(json, parts->flagged ? names->flag : "");
    if (is_crowded(parts)) {
        text_buffer_add(json, ",\"pieces\":[]");
        return write_load(parts, json);
    }
    write_lanes(parts, json);
    text_buffer_add(json, ",\"pieces\":[");
    text_buffer_add_bytes(json, parts->text.text, parts->text.n);
    text_buffer_add_bytes(json, "]", 1);
    return parts->n;
}
