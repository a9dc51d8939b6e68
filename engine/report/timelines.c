// SPDX-License-Identifier: Apache-2.0
// Runs the points of chosen rows with the kernel, and writes the segments.
#include "engine/report/timelines.h"

#include "base/text/decimal.h"
#include "engine/experiment/documents.h"
#include "engine/experiment/kernel_calls.h"
#include "engine/point/artifact.h"
#include "engine/point/one_point.h"
#include "engine/report/timeline_parts.h"
#include "engine/report/timeline_rows.h"
#include "engine/space/axis.h"
#include "engine/space/value.h"

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

// Returns whether the page has room for a timeline, as pieces or as cells.
static bool has_room(const struct timelines *t, const struct pps_timeline_parts *parts)
{
    return t->pieces + pps_timeline_parts_most(parts) <= PPS_PAGE_ALL_PIECES;
}

static void write_timeline(struct timelines *t, size_t row, bool baseline,
                           const struct pps_timeline_parts *parts)
{
    text_buffer_add(t->json, "%s{\"row\":%llu,\"baseline\":%s,", t->json->n > 1 ? "," : "",
                    (unsigned long long)t->rows->at[row], baseline ? "true" : "false");
    t->pieces += pps_timeline_parts_write(parts, t->json);
    text_buffer_add_bytes(t->json, "}", 1);
}

static enum pps_status run(struct timelines *t, size_t row, const double *point, bool baseline,
                           struct pps_error *err)
{
    struct pps_worker worker;
    struct pps_timeline_parts parts;
    pps_timeline_parts_open(&parts, t->kernel->trace_names);
    const struct pps_trace_sink sink = pps_timeline_parts_sink(&parts);
    enum pps_status status = pps_point_worker(t->kernel, point, t->stop, &worker, err);
    if (status == PPS_E_INPUT)
        return PPS_OK; // the point needs more memory than there is
    if (status != PPS_OK)
        return status;
    const enum pps_outcome outcome = pps_kernel_trace(t->kernel, point, &worker, &sink);
    free(worker.scratch);
    if (outcome == PPS_STOPPED)
        status = pps_fail(err, PPS_E_STOPPED, "stopped");
    else if (outcome != PPS_FAILED && parts.n > 0 && !parts.no_memory && has_room(t, &parts))
        write_timeline(t, row, baseline, &parts);
    pps_timeline_parts_close(&parts);
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
static enum pps_status write_more(struct timelines *t, const size_t *rows, size_t n,
                                  size_t bytes, struct pps_error *err)
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
                                   struct text_buffer *json, struct pps_error *err)
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
