// SPDX-License-Identifier: Apache-2.0
// Runs the points of chosen rows with the kernel, and writes the segments.
#include "engine/report/timelines.h"

#include "base/edit/json_write.h"
#include "base/text/decimal.h"
#include "engine/experiment/documents.h"
#include "engine/experiment/experiment.h"
#include "engine/point/artifact.h"
#include "engine/point/one_point.h"
#include "engine/report/timeline_rows.h"
#include "engine/space/axis.h"
#include "engine/space/value.h"
#include "engine/timeline/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct timelines {
    const struct pps_page_rows *rows;
    const struct pps_kernel *kernel;
    struct pps_documents *inputs;
    const atomic_bool *stop;
    double first[PPS_MAX_PARAMS]; // row 1: constants
    uint64_t shown;
    struct text_buffer *json;
    size_t pieces; // written so far
};

// ---- points -----------------------------------------------------------------------------------

static bool make_point(const struct timelines *t, size_t row, double *point)
{
    char text[PPS_DECIMAL_CAP], why[PPS_WHY];
    memcpy(point, t->first, sizeof t->first);
    for (int c = 0; c < t->rows->view.n_columns; c++) {
        const char *name = t->rows->view.columns[c].name;
        const int p = pps_param_find(t->kernel, name, strlen(name));
        if (p < 0)
            continue;
        const size_t n = pps_page_column_text(&t->rows->columns[c], row, text, sizeof text);
        if (n >= sizeof text ||
            !pps_value_parse(&t->kernel->params[p], text, n, &point[p], why))
            return false;
    }
    pps_documents_say(t->inputs, t->shown, point);
    return t->kernel->check(point, t->kernel->shared) == 0;
}

// Sets the parameters of the kernel's baseline. Returns false if that is the same point, or none.
static bool to_baseline(const struct timelines *t, double *point)
{
    double before[PPS_MAX_PARAMS];
    struct pps_error err;
    char *words = strdup(t->kernel->baseline), *rest = NULL;
    bool good = words != NULL;
    memcpy(before, point, sizeof before);
    for (char *word = good ? strtok_r(words, ",", &rest) : NULL; word != NULL && good;
         word = strtok_r(NULL, ",", &rest))
        good = pps_point_set(t->kernel, word, point, &err) == PPS_OK;
    free(words);
    return good && memcmp(before, point, sizeof before) != 0 &&
           t->kernel->check(point, t->kernel->shared) == 0;
}

// ---- one timeline -----------------------------------------------------------------------------

struct pieces {
    struct text_buffer text; // of the first PPS_PAGE_PIECES
    size_t n;
    int32_t groups;
    double end;
    bool flagged;
    struct pps_load load;
    bool no_memory;
};

static double rounded(double time)
{
    return round(time * 1e6) / 1e6;
}

static void add_piece(void *self, const struct pps_piece *piece)
{
    struct pieces *pieces = self;
    pieces->groups = piece->group >= pieces->groups ? piece->group + 1 : pieces->groups;
    pieces->end = fmax(pieces->end, piece->end);
    pieces->flagged = pieces->flagged || piece->flag;
    pieces->no_memory = !pps_load_add(&pieces->load, piece) || pieces->no_memory;
    if (pieces->n++ >= PPS_PAGE_PIECES)
        return;
    text_buffer_add(&pieces->text, "%s%d,%d,%d,%d,", pieces->n > 1 ? "," : "",
                    (int)piece->group, (int)piece->track, (int)piece->kind,
                    (int)piece->ordinal);
    json_write_number(&pieces->text, rounded(piece->start));
    text_buffer_add_bytes(&pieces->text, ",", 1);
    json_write_number(&pieces->text, rounded(piece->end));
    text_buffer_add(&pieces->text, ",%d", piece->flag ? 1 : 0);
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

static void write_names(struct text_buffer *json, const char *key, const char *const *names)
{
    text_buffer_add(json, ",\"%s\":[", key);
    for (int i = 0; names[i] != NULL; i++) {
        text_buffer_add_bytes(json, ",", i > 0);
        json_write_text(json, names[i]);
    }
    text_buffer_add_bytes(json, "]", 1);
}

// Returns the number of lanes with work, and writes group and track of each.
static int write_lanes(struct text_buffer *json, const struct pps_load *load)
{
    int n = 0;
    for (int32_t g = 0; g < (int32_t)load->n_groups; g++)
        for (int32_t track = 0; track < load->n_tracks; track++)
            if (pps_load_has(load, g, track))
                text_buffer_add(json, "%s%d,%d", n++ > 0 ? "," : "", (int)g, (int)track);
    return n;
}

// Writes the utilisation of a lane in percent.
static void write_cells(struct text_buffer *json,
                        const struct pieces *pieces,
                        int32_t group,
                        int32_t track,
                        int step)
{
    const struct pps_load *load = &pieces->load;
    for (int bin = 0; bin < pps_load_bins(load, pieces->end); bin += step)
        text_buffer_add(
            json, "%d,",
            (int)fmin(round(100 * pps_load_mean(load, group, track, bin, step, pieces->end)),
                      1e6));
}

// Writes the utilisation of lanes, in place of pieces that are too many. Returns what it counts for.
static size_t write_load(struct text_buffer *json, const struct pieces *pieces)
{
    const struct pps_load *load = &pieces->load;
    const int n_bins = pps_load_bins(load, pieces->end);
    int step = 2;
    text_buffer_add(json, ",\"cells\":{\"tasks\":%zu,\"lanes\":[", pieces->n);
    const int n_lanes = write_lanes(json, load);
    while (step < PPS_LOAD_BINS && (double)n_lanes * n_bins / step > PPS_PAGE_CELLS)
        step *= 2;
    text_buffer_add(json, "],\"width\":");
    json_write_number(json, load->width * step);
    text_buffer_add(json, ",\"percent\":[");
    for (int32_t g = 0; g < (int32_t)load->n_groups; g++)
        for (int32_t track = 0; track < load->n_tracks; track++)
            if (pps_load_has(load, g, track))
                write_cells(json, pieces, g, track, step);
    json->n--; // the last comma
    text_buffer_add(json, "]}");
    return (size_t)(n_lanes * (n_bins / step + 1)) / 7; // a piece has seven numbers
}

static void write_timeline(struct timelines *t,
                           size_t row,
                           bool baseline,
                           struct pieces *pieces)
{
    const struct pps_trace_names *names = t->kernel->trace_names;
    struct text_buffer *json = t->json;
    text_buffer_add(
        json, "%s{\"row\":%llu,\"baseline\":%s,\"groups\":%d,\"end\":", json->n > 1 ? "," : "",
        (unsigned long long)t->rows->at[row], baseline ? "true" : "false", (int)pieces->groups);
    json_write_number(json, rounded(pieces->end));
    text_buffer_add(json, ",\"group\":");
    json_write_text(json, names->group);
    text_buffer_add(json, ",\"unit\":");
    json_write_text(json, names->time_unit != NULL ? names->time_unit : "");
    write_names(json, "tracks", names->tracks);
    write_names(json, "kinds", names->kinds);
    text_buffer_add(json, ",\"last\":");
    json_write_text(json, names->end != NULL ? names->end : "end");
    text_buffer_add(json, ",\"flag\":");
    json_write_text(json, pieces->flagged ? names->flag : "");
    text_buffer_add(json, ",\"pieces\":[");
    if (pieces->n <= PPS_PAGE_PIECES)
        text_buffer_add_bytes(json, pieces->text.text, pieces->text.n);
    text_buffer_add(json, "]");
    t->pieces += pieces->n <= PPS_PAGE_PIECES ? pieces->n : write_load(json, pieces);
    text_buffer_add(json, "}");
}

// Returns whether the page has room for a timeline, as pieces or as cells.
static bool has_room(const struct timelines *t, size_t n)
{
    const size_t counts = n <= PPS_PAGE_PIECES ? n : PPS_PAGE_CELLS / 7;
    return t->pieces + counts <= PPS_PAGE_ALL_PIECES;
}

static enum pps_status run(struct timelines *t,
                           size_t row,
                           const double *point,
                           bool baseline,
                           struct pps_error *err)
{
    struct pps_worker worker;
    struct pieces pieces = {.n = 0};
    while (t->kernel->trace_names->tracks[pieces.load.n_tracks] != NULL)
        pieces.load.n_tracks++;
    const struct pps_trace_sink sink = {&pieces, add_piece, ignore_level, ignore_limit};
    enum pps_status status = pps_point_worker(t->kernel, point, t->stop, &worker, err);
    if (status == PPS_E_INPUT)
        return PPS_OK; // the point needs more memory than there is
    if (status != PPS_OK)
        return status;
    const enum pps_outcome outcome = t->kernel->trace(point, &worker, &sink);
    free(worker.scratch);
    if (outcome == PPS_STOPPED)
        status = pps_fail(err, PPS_E_STOPPED, "stopped");
    else if (outcome != PPS_FAILED && pieces.n > 0 && !pieces.text.failed &&
             !pieces.no_memory && has_room(t, pieces.n))
        write_timeline(t, row, baseline, &pieces);
    text_buffer_free(&pieces.text);
    pps_load_free(&pieces.load);
    return status;
}

static enum pps_status run_row(struct timelines *t, size_t row, struct pps_error *err)
{
    double point[PPS_MAX_PARAMS];
    if (!make_point(t, row, point))
        return PPS_OK;
    const enum pps_status status = run(t, row, point, false, err);
    if (status != PPS_OK || t->kernel->baseline == NULL || !to_baseline(t, point))
        return status;
    return run(t, row, point, true, err);
}

// ---- all timelines ----------------------------------------------------------------------------

// Writes timelines of other rows while the budgets last. The time is the kernel's estimate, so the
// page depends on the result alone.
static enum pps_status write_more(struct timelines *t,
                                  const size_t *rows,
                                  size_t n,
                                  size_t bytes,
                                  struct pps_error *err)
{
    const size_t end = t->json->n + bytes;
    double time = 0, point[PPS_MAX_PARAMS];
    for (size_t i = 0; i < n && t->json->n < end; i++) {
        if (!make_point(t, rows[i], point))
            continue;
        time += t->kernel->cost(point, t->kernel->shared);
        if (time > PPS_PAGE_EXTRA_NS)
            break;
        const enum pps_status status = run(t, rows[i], point, false, err);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status write_all(struct timelines *t, size_t bytes, struct pps_error *err)
{
    struct pps_timeline_rows chosen;
    enum pps_status status = pps_timeline_rows_open(&chosen, t->rows, PPS_PAGE_TIMELINES,
                                                    PPS_PAGE_OTHERS, t->stop, err);
    for (size_t i = 0; i < chosen.n_best && status == PPS_OK; i++)
        status = run_row(t, chosen.best[i], err);
    if (status == PPS_OK)
        status = write_more(t, chosen.more, chosen.n_more, bytes, err);
    pps_timeline_rows_close(&chosen);
    return status;
}

enum pps_status pps_page_timelines(const struct pps_page_rows *rows,
                                   const struct pps_timelines_ask *ask,
                                   struct text_buffer *json,
                                   struct pps_error *err)
{
    const struct pps_input_words none = {.n = 0};
    struct timelines t = {.rows = rows, .stop = ask->stop, .json = json};
    const char *path = rows->view.path;
    enum pps_status status = PPS_OK;
    text_buffer_add_bytes(json, "[", 1);
    // Without the documents of the experiment there are no timelines; the page is whole without.
    const bool known = strcmp(path, "-") != 0 && rows->view.kernel != NULL &&
                       pps_point_from_row(ask->kernels, path, 1, &none, &t.inputs, &t.kernel,
                                          t.first, &t.shown, err) == PPS_OK;
    if (known && t.kernel->trace_names != NULL)
        status = write_all(&t, ask->bytes, err);
    text_buffer_add_bytes(json, "]", 1);
    pps_documents_close(t.inputs);
    return status;
}
