// SPDX-License-Identifier: Apache-2.0
// Writes timelines as JSON.
#include "engine/trace/trace_json.h"

#include "base/stream/chrome_write.h"
#include "engine/timeline/lanes.h"
#include "engine/timeline/load.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

// ---- load counters ------------------------------------------------------------------------------

struct pps_load_counters {
    const struct pps_load *load;
    const char *const *names; // of the loads, n
    const int32_t *load_of;   // track -> load; NULL: the track itself
    int n;
    double end;
    int step; // bins per value
    bool *has;
    int32_t n_groups; // that have a segment
    char title[96];   // of the counter: says over which time a value is the mean
};

enum {
    MOST_VALUES = 100000, // of all groups
    MOST_LOADS = 16,      // more are not written
};

static bool has_work(const struct pps_load *load, int32_t group)
{
    for (int32_t track = 0; track < load->n_tracks; track++)
        if (pps_load_has(load, group, track))
            return true;
    return false;
}

// Chooses the step: with many groups each has fewer values. The load must stay valid. Returns
// false if memory runs out; there is nothing to close then.
static bool load_counters_open(struct pps_load_counters *c, const struct pps_trace_names *names,
                               const struct pps_load *load, double end)
{
    *c =
        (struct pps_load_counters){.load = load,
                                   .names = names->loads != NULL ? names->loads : names->tracks,
                                   .load_of = names->load_of,
                                   .end = end,
                                   .step = 1};
    c->has = calloc(load->n_groups + 1, sizeof *c->has);
    if (c->has == NULL)
        return false;
    while (c->n < MOST_LOADS && c->names[c->n] != NULL)
        c->n++;
    for (size_t g = 0; g < load->n_groups; g++) {
        c->has[g] = has_work(load, (int32_t)g);
        c->n_groups += c->has[g];
    }
    while (c->step < PPS_LOAD_BINS &&
           (c->n_groups + 1) * (PPS_LOAD_BINS / c->step) > MOST_VALUES)
        c->step *= 2;
    snprintf(c->title, sizeof c->title, "load (mean of %.6g%s%.30s)", load->width * c->step,
             names->time_unit != NULL ? " " : "",
             names->time_unit != NULL ? names->time_unit : "");
    return true;
}

static void load_counters_close(struct pps_load_counters *counters)
{
    free(counters->has);
    counters->has = NULL;
}

// Returns whether the group has a segment.
static bool load_counters_has(const struct pps_load_counters *c, int32_t group)
{
    return c->has[group];
}

static void add_group(const struct pps_load_counters *c, int32_t group, int bin, double *sums)
{
    for (int32_t track = 0; track < c->load->n_tracks; track++) {
        const int l = c->load_of != NULL ? c->load_of[track] : track;
        if (l < c->n)
            sums[l] += pps_load_mean(c->load, group, track, bin, c->step, c->end);
    }
}

static void find_loads(const struct pps_load_counters *c, int32_t group, int bin, double *sums)
{
    for (int l = 0; l < c->n; l++)
        sums[l] = 0;
    if (group >= 0)
        add_group(c, group, bin, sums);
    for (int32_t g = 0; group < 0 && g < (int32_t)c->load->n_groups; g++)
        if (c->has[g])
            add_group(c, g, bin, sums);
    for (int l = 0; l < c->n; l++)
        sums[l] = round(sums[l] / (group < 0 ? c->n_groups : 1) * 1000) / 1000;
}

static void write_values(const struct pps_load_counters *c, struct pps_chrome_writer *chrome,
                         int32_t process, double time, const double *values)
{
    pps_chrome_begin_counter(chrome, process, c->title, "", time);
    for (int l = 0; l < c->n; l++)
        pps_chrome_write_real(chrome, c->names[l], values[l]);
    pps_chrome_end_event(chrome);
}

// Writes the loads of a group (-1: their mean over all groups) as counters of the process. Values
// that equal those before are left out.
static void load_counters_write(const struct pps_load_counters *c, int32_t group,
                                struct pps_chrome_writer *chrome, int32_t process)
{
    double values[MOST_LOADS] = {0}, last[MOST_LOADS] = {0};
    const int n_bins = pps_load_bins(c->load, c->end);
    for (int bin = 0; bin < n_bins; bin += c->step) {
        bool differs = bin == 0;
        find_loads(c, group, bin, values);
        for (int l = 0; l < c->n; l++) {
            differs = differs || values[l] != last[l];
            last[l] = values[l];
        }
        if (differs)
            write_values(c, chrome, process, c->load->begin + bin * c->load->width, values);
    }
    for (int l = 0; l < c->n; l++)
        values[l] = 0;
    write_values(c, chrome, process, c->end, values);
}

// ---- trace json ---------------------------------------------------------------------------------

enum { POINTS = 2 };

struct pps_tracejson {
    const struct pps_trace_names *names;
    FILE *out;
    bool only_loads;
    bool no_memory;         // memory ran out: something is missing
    bool has_scale;         // the scale of times is known
    int n_points;           // begun
    struct pps_lanes lanes; // threads of the point
    struct pps_load load;   // of the point
    const char *label;      // of the point
    struct pps_trace_window window;
    const char *titles[POINTS];
    char ends[POINTS][64];
    struct pps_chrome_writer chrome;
};

// Processes of the second point have other numbers.
static int32_t process_of(const struct pps_tracejson *json, int32_t group)
{
    return (json->n_points - 1) * 1000000 + group;
}

// The process that shows the point as a whole.
static int32_t whole_process(const struct pps_tracejson *json)
{
    return process_of(json, 999999);
}

static void name_group(struct pps_tracejson *json, int32_t group)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s%.100s %d", json->label != NULL ? json->label : "",
             json->label != NULL ? " " : "", json->names->group, (int)group);
    pps_chrome_name_process(&json->chrome, process_of(json, group), name,
                            process_of(json, group) + 1);
}

// Viewers know no time below a nanosecond: times of the model are multiplied by a power of 1000 if
// they are so small that digits would be lost.
static void choose_scale(struct pps_tracejson *json, double time)
{
    if (json->has_scale || !(time > 0))
        return;
    json->has_scale = true;
    for (; time * json->chrome.scale < 0.1; json->chrome.scale *= 1000)
        if (json->chrome.scale > 1e250)
            return;
}

// Names the process that shows the point as a whole: the mean of its groups.
static void name_whole(struct pps_tracejson *json, int32_t n_groups)
{
    const int point = json->n_points - 1;
    char name[1024];
    snprintf(name, sizeof name, "%s%s%.700s, mean of %d %.60ss, %.60s %s",
             json->label != NULL ? json->label : "", json->label != NULL ? " " : "",
             json->titles[point], (int)n_groups, json->names->group,
             json->names->end != NULL ? json->names->end : "end", json->ends[point]);
    pps_chrome_name_process(&json->chrome, whole_process(json), name, process_of(json, 0));
}

// ---- segments -----------------------------------------------------------------------------------

static int32_t thread_of(const struct pps_tracejson *json, const struct pps_lane *lane)
{
    return 1 + lane->track + lane->slot * json->lanes.n_tracks;
}

static void name_lane(struct pps_tracejson *json, const struct pps_lane *lane)
{
    // Slots of one track are adjacent.
    pps_chrome_name_thread(&json->chrome, process_of(json, lane->group), thread_of(json, lane),
                           json->names->tracks[lane->track],
                           lane->slot > 0 ? lane->slot + 1 : -1,
                           lane->track * 100000 + lane->slot);
}

static void write_event(struct pps_tracejson *json, const struct pps_piece *piece,
                        const struct pps_lane *lane)
{
    const struct pps_trace_names *names = json->names;
    const struct pps_chrome_span span = {.name = names->kinds[piece->kind],
                                         .number = piece->ordinal,
                                         .process = process_of(json, piece->group),
                                         .thread = thread_of(json, lane),
                                         .start = piece->start,
                                         .end = piece->end};
    pps_chrome_begin_event(&json->chrome, &span);
    if (piece->item != piece->ordinal)
        pps_chrome_write_whole(&json->chrome, names->item, piece->item);
    if (piece->rate != 1)
        pps_chrome_write_real(&json->chrome, "rate", round(piece->rate * 1e4) / 1e4);
    if (piece->flag)
        pps_chrome_write_flag(&json->chrome, names->flag);
    if (names->chunk != NULL)
        pps_chrome_write_whole(&json->chrome, names->chunk, piece->chunk);
    pps_chrome_end_event(&json->chrome);
}

static void take_piece(void *self, const struct pps_piece *piece)
{
    struct pps_tracejson *json = self;
    bool new_group, new_lane;
    choose_scale(json, piece->end - piece->start);
    if (!pps_load_add(&json->load, piece))
        json->no_memory = true;
    if (json->only_loads)
        return;
    const struct pps_lane *lane = pps_lanes_put(&json->lanes, piece, &new_group, &new_lane);
    json->no_memory = json->no_memory || lane == NULL;
    if (lane == NULL)
        return;
    if (new_group)
        name_group(json, piece->group);
    if (new_lane)
        name_lane(json, lane);
    write_event(json, piece, lane);
}

// ---- counters -----------------------------------------------------------------------------------

static void take_level(void *self, const struct pps_level *level)
{
    struct pps_tracejson *json = self;
    choose_scale(json, level->time);
    pps_chrome_begin_counter(&json->chrome, process_of(json, level->group),
                             json->names->counters[level->counter], "", level->time);
    pps_chrome_write_real(&json->chrome, "value", level->value);
    pps_chrome_end_event(&json->chrome);
}

static void take_limit(void *self, const struct pps_limit *limit)
{
    struct pps_tracejson *json = self;
    pps_chrome_begin_counter(&json->chrome, process_of(json, limit->group),
                             json->names->counters[limit->counter], " limit",
                             json->window.from);
    pps_chrome_write_real(&json->chrome, "value", limit->value);
    pps_chrome_end_event(&json->chrome);
}

// Writes the loads of the groups, and names the process that shows the point as a whole.
static void write_loads(struct pps_tracejson *json, double end)
{
    struct pps_load_counters counters;
    if (!load_counters_open(&counters, json->names, &json->load, end)) {
        json->no_memory = true;
        return;
    }
    name_whole(json, counters.n_groups);
    for (int32_t g = 0; g < (int32_t)json->load.n_groups; g++)
        if (load_counters_has(&counters, g)) {
            if (json->only_loads)
                name_group(json, g);
            load_counters_write(&counters, g, &json->chrome, process_of(json, g));
        }
    if (counters.n_groups > 0)
        load_counters_write(&counters, -1, &json->chrome, whole_process(json));
    load_counters_close(&counters);
}

// ---- the file -----------------------------------------------------------------------------------

enum pps_status pps_tracejson_open(struct pps_tracejson **out_json,
                                   const struct pps_trace_names *names, bool only_loads,
                                   FILE *out, struct pps_error *err)
{
    struct pps_tracejson *json = calloc(1, sizeof *json);
    *out_json = json;
    if (json == NULL)
        return pps_fail_memory(err, "the trace");
    json->names = names;
    json->out = out;
    json->only_loads = only_loads;
    pps_chrome_write_begin(&json->chrome, out);
    return PPS_OK;
}

static void forget_point(struct pps_tracejson *json)
{
    pps_lanes_free(&json->lanes);
    pps_load_free(&json->load);
}

void pps_tracejson_begin(struct pps_tracejson *json, const char *title, const char *label,
                         struct pps_trace_window window)
{
    int32_t n_tracks = 0;
    while (json->names->tracks[n_tracks] != NULL)
        n_tracks++;
    json->lanes.n_tracks = json->load.n_tracks = n_tracks;
    json->load.begin = window.from;
    json->label = label;
    json->window = window;
    json->titles[json->n_points++] = title;
}

struct pps_trace_sink pps_tracejson_sink(struct pps_tracejson *json)
{
    return (struct pps_trace_sink){json, take_piece, take_level, take_limit};
}

void pps_tracejson_end(struct pps_tracejson *json, double end)
{
    const struct pps_trace_names *names = json->names;
    const int point = json->n_points - 1;
    char name[128];
    snprintf(json->ends[point], sizeof *json->ends, "%.10g%s%.20s", end,
             names->time_unit != NULL ? " " : "",
             names->time_unit != NULL ? names->time_unit : "");
    write_loads(json, fmin(end, json->window.to));
    if (end >= json->window.from && end <= json->window.to) {
        snprintf(name, sizeof name, "%.60s %s", names->end != NULL ? names->end : "end",
                 json->ends[point]);
        pps_chrome_mark(&json->chrome, whole_process(json), name, end);
    }
    forget_point(json);
}

double pps_tracejson_scale(const struct pps_tracejson *json)
{
    return json->chrome.scale;
}

enum pps_status pps_tracejson_close(struct pps_tracejson *json, const char *shown,
                                    struct pps_error *err)
{
    const struct pps_trace_names *names = json->names;
    const char *const end = names->end != NULL ? names->end : "end";
    const char *data[2 * 8] = {"point", json->titles[0], end, json->ends[0]};
    char scale[128], second[96], left_out[256];
    int n = 4;
    if (json->n_points > 1) {
        snprintf(second, sizeof second, "%.60s of the second point", end);
        data[n++] = "second point";
        data[n++] = json->titles[1];
        data[n++] = second;
        data[n++] = json->ends[1];
    }
    snprintf(scale, sizeof scale, "%.10g us of this file are 1 %.40s of the model",
             json->chrome.scale, names->time_unit != NULL ? names->time_unit : "unit of time");
    data[n++] = "time";
    data[n++] = scale;
    snprintf(left_out, sizeof left_out,
             "rate 1, %.60s false, %.60s equal to the number in the name", names->flag,
             names->item);
    data[n++] = "not written";
    data[n++] = left_out;
    if (shown[0] != '\0') {
        data[n++] = "part";
        data[n++] = shown;
    }
    pps_chrome_write_end(&json->chrome, data);
    enum pps_status status = PPS_OK;
    if (fflush(json->out) != 0 || ferror(json->out))
        status = pps_fail_errno(err, "write", "the trace");
    if (status == PPS_OK && json->no_memory)
        status = pps_fail_memory(err, "the trace");
    pps_tracejson_abandon(json);
    return status;
}

void pps_tracejson_abandon(struct pps_tracejson *json)
{
    if (json == NULL)
        return;
    forget_point(json);
    free(json);
}
