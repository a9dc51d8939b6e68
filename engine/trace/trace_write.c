// SPDX-License-Identifier: Apache-2.0
// Writes traces to files.
#include "engine/trace/trace_write.h"

#include "base/text/characters.h"
#include "base/text/decimal.h"
#include "base/write/new_file.h"
#include "engine/svg/svg.h"
#include "engine/timeline/time_unit.h"
#include "engine/trace/trace_json.h"
#include "engine/trace/trace_svg.h"

#include <math.h>
#include <string.h>

// ---- trace csv ----------------------------------------------------------------------------------

static void put_number(FILE *out, double value)
{
    char text[PPS_DECIMAL_CAP];
    fwrite(text, 1, pps_decimal_full(text, value), out);
}

// Ends the row of a counter, which has neither a flag nor a chunk.
static void end_counter(const struct pps_tracecsv *csv)
{
    fputs(csv->names->chunk != NULL ? ",,\n" : ",\n", csv->out);
}

static void write_piece(void *self, const struct pps_piece *piece)
{
    const struct pps_tracecsv *csv = self;
    fprintf(csv->out, "%s,%d,%d,", csv->names->kinds[piece->kind], piece->item, piece->group);
    put_number(csv->out, piece->start);
    fputc(',', csv->out);
    put_number(csv->out, piece->end);
    fputc(',', csv->out);
    put_number(csv->out, piece->rate);
    fputs(piece->flag ? ",1" : ",0", csv->out);
    if (csv->names->chunk != NULL)
        fprintf(csv->out, ",%d", piece->chunk);
    fputc('\n', csv->out);
}

static void write_level(void *self, const struct pps_level *level)
{
    const struct pps_tracecsv *csv = self;
    fprintf(csv->out, "%s,,%d,", csv->names->counters[level->counter], level->group);
    put_number(csv->out, level->time);
    fputs(",,", csv->out);
    put_number(csv->out, level->value);
    end_counter(csv);
}

static void write_limit(void *self, const struct pps_limit *limit)
{
    const struct pps_tracecsv *csv = self;
    fprintf(csv->out, "%s limit,,%d,,,", csv->names->counters[limit->counter], limit->group);
    put_number(csv->out, limit->value);
    end_counter(csv);
}

void pps_tracecsv_begin(const struct pps_tracecsv *csv)
{
    const struct pps_trace_names *names = csv->names;
    fprintf(csv->out, "kind,%s,%s,start,end,rate,%s%s%s\n", names->item, names->group,
            names->flag, names->chunk != NULL ? "," : "",
            names->chunk != NULL ? names->chunk : "");
}

struct pps_trace_sink pps_tracecsv_sink(struct pps_tracecsv *csv)
{
    return (struct pps_trace_sink){csv, write_piece, write_level, write_limit};
}

// ---- forms ------------------------------------------------------------------------------------

static const struct {
    const char *word, *ending, *packed;
} forms[] = {
    [PPS_TRACE_JSON] = {"chrome", ".json", ".json.gz"},
    [PPS_TRACE_SVG] = {"svg", ".svg", ".svg.gz"},
    [PPS_TRACE_TEXT] = {"csv", ".csv", ".csv.gz"},
    [PPS_TRACE_PNG] = {"png", ".png", ".png"},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

bool pps_trace_form_named(const char *word, enum pps_trace_form *form)
{
    if (strcmp(word, "perfetto") == 0)
        word = forms[PPS_TRACE_JSON].word;
    for (int f = 0; f < N_FORMS; f++)
        if (strcmp(word, forms[f].word) == 0) {
            *form = (enum pps_trace_form)f;
            return true;
        }
    return false;
}

bool pps_trace_form_of(const char *path, enum pps_trace_form *form)
{
    *form = PPS_TRACE_TEXT;
    if (strcmp(path, "-") == 0)
        return true;
    for (int f = 0; f < N_FORMS; f++)
        if (pps_ends_with(path, forms[f].ending) || pps_ends_with(path, forms[f].packed)) {
            *form = (enum pps_trace_form)f;
            return true;
        }
    return false;
}

void pps_trace_say_next(FILE *out, enum pps_trace_form form)
{
    if (form == PPS_TRACE_JSON)
        fputs("next      open https://ui.perfetto.dev and drop the file on the page\n", out);
}

// ---- views ------------------------------------------------------------------------------------

enum { MOST_TRACKS = 64 };

// A sink that moves segments to the tracks of a view.
struct view_sink {
    struct pps_trace_sink to;
    const int32_t *track_of;
};

static void view_piece(void *self, const struct pps_piece *piece)
{
    const struct view_sink *view = self;
    struct pps_piece moved = *piece;
    moved.track = view->track_of[piece->track];
    view->to.piece(view->to.self, &moved);
}

static void view_level(void *self, const struct pps_level *level)
{
    const struct view_sink *view = self;
    view->to.level(view->to.self, level);
}

static void view_limit(void *self, const struct pps_limit *limit)
{
    const struct view_sink *view = self;
    view->to.limit(view->to.self, limit);
}

// The names of the kernel, with the tracks of the view.
struct viewed {
    struct pps_trace_names names;
    int32_t load_of[MOST_TRACKS];
};

static void set_names(struct viewed *viewed, const struct pps_tracewrite *write)
{
    const struct pps_trace_names *names = write->names;
    viewed->names = *names;
    if (write->view == NULL)
        return;
    viewed->names.tracks = write->view->tracks;
    if (names->loads == NULL)
        return;
    for (int32_t track = 0; track < MOST_TRACKS && names->tracks[track] != NULL; track++)
        viewed->load_of[write->view->track_of[track] % MOST_TRACKS] = names->load_of[track];
    viewed->names.load_of = viewed->load_of;
}

// ---- writing ----------------------------------------------------------------------------------

// What was told of all points.
struct told {
    double end; // of the last point
    int32_t n_groups;
};

// Sends the part of a point that is written.
static enum pps_status send(const struct pps_tracewrite *write, void *self,
                            struct pps_trace_sink to, struct told *told, struct pps_error *err)
{
    const struct pps_part part = {write->groups, write->window};
    struct pps_part_sink sink;
    pps_part_open(&sink, &part, to, write->names);
    struct pps_trace_sink in = pps_part_sink(&sink);
    struct view_sink view = {in, write->view != NULL ? write->view->track_of : NULL};
    if (write->view != NULL)
        in = (struct pps_trace_sink){&view, view_piece, view_level, view_limit};
    enum pps_status status = write->tell(self, &in, err);
    if (status == PPS_OK)
        status = pps_part_end(&sink, err);
    told->end = sink.end;
    told->n_groups = sink.n_groups > told->n_groups ? sink.n_groups : told->n_groups;
    pps_part_close(&sink);
    return status;
}

// Returns PPS_E_INPUT if --gpus names a group that neither point has.
static enum pps_status check_groups(const struct pps_tracewrite *write, const struct told *told,
                                    struct pps_error *err)
{
    const struct pps_group_list *groups = write->groups;
    const char *group = write->names->group;
    if (groups == NULL || pps_group_list_last(groups) < told->n_groups)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--gpus names %s %d: the timeline has %s 0 to %d", group,
                    (int)pps_group_list_last(groups), group, (int)told->n_groups - 1);
}

// Says which part of the timelines is written, as sentences.
static void say_part(const struct pps_tracewrite *write, const struct told *told, char *text,
                     size_t cap)
{
    const struct pps_trace_window *window = &write->window;
    const struct pps_time_unit unit = pps_time_unit_of(write->names->time_unit, told->end);
    char groups[256], from[96], to[96] = "the end";
    size_t at = 0;
    text[0] = '\0';
    if (write->groups != NULL) {
        pps_group_list_text(write->groups, groups, sizeof groups);
        at += (size_t)snprintf(text, cap, "Only %.60s %s of %d.", write->names->group, groups,
                               (int)told->n_groups);
    }
    if (window->to < HUGE_VAL)
        pps_time_unit_text(&unit, window->to, 10, to, sizeof to);
    pps_time_unit_text(&unit, window->from, 10, from, sizeof from);
    if (window->from > 0 || window->to < HUGE_VAL)
        snprintf(text + at, cap - at,
                 "%sOnly times from %s to %s: tasks are cut there, and each %.60s "
                 "without a task is left out.",
                 at > 0 ? " " : "", from, to, write->names->group);
}

static enum pps_status write_csv(const struct pps_tracewrite *write, FILE *out,
                                 struct pps_error *err)
{
    struct viewed viewed;
    struct told told = {.end = 0};
    set_names(&viewed, write);
    struct pps_tracecsv csv = {&viewed.names, out};
    pps_tracecsv_begin(&csv);
    enum pps_status status = send(write, write->self, pps_tracecsv_sink(&csv), &told, err);
    if (status == PPS_OK)
        status = check_groups(write, &told, err);
    if (status == PPS_OK && (fflush(out) != 0 || ferror(out)))
        return pps_fail_errno(err, "write", "the trace");
    return status;
}

static enum pps_status write_json(const struct pps_tracewrite *write, FILE *out,
                                  struct pps_error *err)
{
    const char *const labels[] = {write->second != NULL ? "A" : NULL, "B"};
    struct pps_tracejson *json = NULL;
    struct viewed viewed;
    struct told told = {.end = 0};
    char shown[512];
    set_names(&viewed, write);
    enum pps_status status = pps_tracejson_open(&json, &viewed.names, write->loads, out, err);
    for (int i = 0; i < (write->second != NULL ? 2 : 1) && status == PPS_OK; i++) {
        pps_tracejson_begin(json, i == 0 ? write->title : write->second_title, labels[i],
                            write->window);
        status = send(write, i == 0 ? write->self : write->second, pps_tracejson_sink(json),
                      &told, err);
        if (status == PPS_OK)
            pps_tracejson_end(json, told.end);
    }
    if (status == PPS_OK)
        status = check_groups(write, &told, err);
    if (status != PPS_OK) {
        pps_tracejson_abandon(json);
        return status;
    }
    say_part(write, &told, shown, sizeof shown);
    if (write->written != NULL)
        write->written->scale = pps_tracejson_scale(json);
    return pps_tracejson_close(json, shown, err);
}

static enum pps_status draw(void *self, FILE *out, struct pps_error *err)
{
    const struct pps_tracewrite *write = self;
    struct pps_tracesvg *svg = NULL;
    struct viewed viewed;
    struct told told = {.end = 0};
    char shown[512];
    set_names(&viewed, write);
    enum pps_status status = pps_tracesvg_open(&svg, &viewed.names, write->loads, err);
    for (int i = 0; i < (write->second != NULL ? 2 : 1) && status == PPS_OK; i++) {
        pps_tracesvg_begin(svg, i == 0 ? write->title : write->second_title, write->window);
        status = send(write, i == 0 ? write->self : write->second, pps_tracesvg_sink(svg),
                      &told, err);
        if (status == PPS_OK)
            pps_tracesvg_end(svg, told.end);
    }
    say_part(write, &told, shown, sizeof shown);
    if (status == PPS_OK)
        status = check_groups(write, &told, err);
    if (status == PPS_OK)
        status = pps_tracesvg_draw(
            svg, &(struct pps_tracesvg_look){shown, write->width, write->form == PPS_TRACE_PNG},
            out, err);
    if (status == PPS_OK && write->written != NULL)
        write->written->loads = pps_tracesvg_shows_loads(svg) && !write->loads;
    pps_tracesvg_close(svg);
    return status;
}

enum pps_status pps_tracewrite(const struct pps_tracewrite *write, struct pps_error *err)
{
    struct pps_new_file file;
    enum pps_status status = pps_new_file_open(&file, write->path, write->gate, err);
    if (status != PPS_OK)
        return status;
    struct pps_tracewrite drawn = *write;
    switch (write->form) {
    case PPS_TRACE_SVG:
        status = draw(&drawn, file.out, err);
        break;
    case PPS_TRACE_PNG:
        status = pps_svg_draw_png(draw, &drawn, file.out, err);
        break;
    case PPS_TRACE_JSON:
        status = write_json(write, file.out, err);
        break;
    case PPS_TRACE_TEXT:
        status = write_csv(write, file.out, err);
        break;
    }
    return pps_new_file_end(&file, status, err);
}
