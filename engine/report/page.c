// SPDX-License-Identifier: Apache-2.0
// Writes the description of the data as JSON, and fills the template of the page.
#include "engine/report/page.h"

#include "base/document/json.h"
#include "base/edit/json_write.h"
#include "base/text/text_buffer.h"
#include "engine/read/coverage.h"
#include "engine/read/grouping.h"
#include "engine/report/column.h"
#include "engine/report/page_files.h"
#include "engine/report/timelines.h"
#include "engine/timeline/colours.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- columns ----------------------------------------------------------------------------------

static void add_text(struct text_buffer *json, const char *key, const char *text)
{
    text_buffer_add(json, ",\"%s\":", key);
    if (text != NULL)
        json_write_text(json, text);
    else
        text_buffer_add(json, "null");
}

static void add_labels(struct text_buffer *json, const struct pps_string_pool *labels)
{
    text_buffer_add(json, ",\"labels\":[");
    for (uint32_t i = 0; i < labels->n; i++) {
        text_buffer_add_bytes(json, ",", i > 0);
        json_write_text(json, pps_string_pool_text(labels, i));
    }
    text_buffer_add(json, "]");
}

// The cells of columns, each of which the page unpacks when it needs it.
struct page_data {
    struct text_buffer bytes;
    struct text_buffer ends; // size_t: where the bytes of each column end
};

static size_t data_count(const struct page_data *data)
{
    return data->ends.n / sizeof(size_t);
}

static size_t data_end(const struct page_data *data, size_t k)
{
    size_t end;
    memcpy(&end, data->ends.text + k * sizeof end, sizeof end);
    return end;
}

// Writes the cells of n rows. "data" is the number of the script that contains them, -1: none.
static void add_cells(struct text_buffer *json, const struct pps_page_column *column, size_t n,
                      struct page_data *data)
{
    static const char *const forms[] = {"grid", "codes", "scaled", "double"};
    const struct pps_page_cells cells = pps_page_column_write(column, n, &data->bytes);
    const bool none = cells.form == PPS_PAGE_GRID;
    text_buffer_add(json, ",\"form\":\"%s\",\"data\":%d,\"stride\":%zu,\"count\":%zu",
                    forms[cells.form], none ? -1 : (int)data_count(data), cells.stride,
                    cells.count);
    text_buffer_add(json, ",\"width\":%d,\"digits\":%d,\"least\":", cells.width, cells.digits);
    json_write_number(json, cells.least);
    if (!none)
        text_buffer_add_bytes(&data->ends, (const char *)&data->bytes.n, sizeof(size_t));
}

static const char *role_of(const struct pps_page_rows *rows, int c)
{
    if (pps_page_rows_is_param(rows, c))
        return "parameter";
    // Without a kernel every column of numbers may be a result.
    const bool numeric = rows->columns[c].numeric && rows->view.kernel == NULL;
    return rows->view.columns[c].role == PPS_ROLE_RESULT || numeric ? "result" : "other";
}

static void add_names(const struct pps_page_rows *rows, const char *key, const int *columns,
                      int n, struct text_buffer *json)
{
    text_buffer_add(json, ",\"%s\":[", key);
    for (int i = 0; i < n; i++) {
        text_buffer_add_bytes(json, ",", i > 0);
        json_write_text(json, rows->view.columns[columns[i]].name);
    }
    text_buffer_add(json, "]");
}

// Adds the parameters that change what a result is worth: rows that differ in them do not compete.
static void add_work(const struct pps_page_rows *rows, int c, struct text_buffer *json,
                     struct page_data *data)
{
    struct pps_grouping work;
    struct pps_error err;
    if (pps_grouping_open(&work, &rows->view, NULL, &c, 1, &err) != PPS_OK) {
        data->bytes.failed = true; // no memory
        return;
    }
    if (work.n_by > 0)
        add_names(rows, "work", work.by, work.n_by, json);
    pps_grouping_close(&work);
}

static void add_column(const struct pps_page_rows *rows, int c, struct text_buffer *json,
                       struct page_data *data)
{
    const struct pps_view_column *column = &rows->view.columns[c];
    const char *goal = column->goal == PPS_LOWER    ? "lower"
                       : column->goal == PPS_HIGHER ? "higher"
                                                    : "";
    text_buffer_add(json, "%s{\"role\":\"%s\",\"goal\":\"%s\"", c > 0 ? "," : "",
                    role_of(rows, c), goal);
    add_text(json, "name", column->name);
    add_text(json, "unit", column->unit);
    add_cells(json, &rows->columns[c], rows->n, data);
    if (!rows->columns[c].numeric)
        add_labels(json, &rows->columns[c].labels);
    add_work(rows, c, json, data);
    text_buffer_add(json, "}");
}

// Adds numbers of rows, which are no column of the result. The caller owns `numbers`.
static void add_numbers(struct text_buffer *json, const char *key, double *numbers, size_t n,
                        struct page_data *data)
{
    const struct pps_page_column column = {.numeric = true, .numbers = numbers};
    text_buffer_add(json, ",\"%s\":{\"name\":\"%s\"", key, key);
    add_cells(json, &column, n, data);
    text_buffer_add(json, "}");
}

// The numbers of the rows in the file, unless they are 1, 2, 3 ...
static void add_row_numbers(const struct pps_page_rows *rows, struct text_buffer *json,
                            struct page_data *data)
{
    double *numbers = malloc((rows->n + 1) * sizeof *numbers);
    bool counted = true;
    data->bytes.failed = data->bytes.failed || numbers == NULL;
    for (size_t i = 0; i < rows->n && numbers != NULL; i++) {
        numbers[i] = (double)rows->at[i];
        counted = counted && rows->at[i] == i + 1;
    }
    if (!counted && numbers != NULL)
        add_numbers(json, "rowNumbers", numbers, rows->n, data);
    free(numbers);
}

// ---- the description --------------------------------------------------------------------------

static void add_kernel(const struct pps_kernel *kernel, struct text_buffer *json)
{
    if (kernel == NULL)
        return;
    add_text(json, "kernel", kernel->name);
    add_text(json, "kernelVersion", kernel->version);
    add_text(json, "summary", kernel->summary);
    add_text(json, "x", kernel->heatmap.x);
    add_text(json, "y", kernel->heatmap.y);
    add_text(json, "baseline", kernel->baseline);
    text_buffer_add(json, ",\"traces\":%s", kernel->trace_names != NULL ? "true" : "false");
}

// The colours of timelines, as those of pictures.
static void add_colours(const struct pps_trace_names *names, struct text_buffer *json)
{
    text_buffer_add(json, ",\"kinds\":[");
    for (int32_t k = 0; names->kinds[k] != NULL; k++) {
        const struct pps_kind_colour *colour = pps_kind_colour(names, k);
        text_buffer_add(json, "%s{\"fill\":\"%s\",\"tint\":\"%s\",\"ink\":\"%s\"}",
                        k > 0 ? "," : "", colour->fill, colour->tint, colour->ink);
    }
    text_buffer_add(json, "]");
}

static void add_manifest(const char *path, struct text_buffer *json)
{
    cJSON *manifest = strcmp(path, "-") != 0 ? pps_coverage_manifest(path) : NULL;
    char *text = manifest != NULL ? pps_json_print(manifest) : NULL;
    add_text(json, "manifest", text);
    cJSON_free(text);
    cJSON_Delete(manifest);
}

static bool is_stopped(const atomic_bool *stop)
{
    return stop != NULL && atomic_load(stop);
}

// After a stop the description lacks columns.
static void add_description(const struct pps_page_ask *ask, const struct pps_page_rows *rows,
                            struct text_buffer *json, struct page_data *data)
{
    char stem[256];
    const char *path = ask->rows.view.path;
    pps_view_stem(path, stem, sizeof stem);
    text_buffer_add(json, "{\"rows\":%zu,\"total\":%" PRIu64 ",\"higher\":%s,\"reload\":%g",
                    rows->n, rows->total, rows->higher ? "true" : "false", ask->reload);
    add_text(json, "version", PPS_VERSION);
    add_text(json, "title", stem);
    add_text(json, "path", path);
    add_text(json, "command", ask->command);
    add_text(json, "partial", rows->view.partial);
    add_text(json, "objective", rows->view.columns[rows->objective].name);
    text_buffer_add(json, ",\"filters\":[");
    for (int i = 0; i < ask->rows.view.n_filters; i++) {
        text_buffer_add_bytes(json, ",", i > 0);
        json_write_text(json, ask->rows.view.filters[i]);
    }
    text_buffer_add(json, "]");
    add_names(rows, "work", rows->work.by, rows->work.n_by, json);
    add_names(rows, "over", rows->over, rows->n_over, json);
    add_kernel(rows->view.kernel, json);
    if (rows->view.kernel != NULL && rows->view.kernel->trace_names != NULL)
        add_colours(rows->view.kernel->trace_names, json);
    add_manifest(path, json);
    add_row_numbers(rows, json, data);
    if (rows->stands_for != NULL) {
        add_numbers(json, "standsFor", rows->stands_for, rows->n, data);
        add_numbers(json, "sum", rows->sum, rows->n, data);
    }
    text_buffer_add(json, ",\"columns\":[");
    for (int c = 0; c < rows->view.n_columns && !is_stopped(ask->stop); c++)
        add_column(rows, c, json, data);
    text_buffer_add(json, "]}");
}

// ---- the page ---------------------------------------------------------------------------------

struct parts {
    const struct pps_page_rows *rows;
    struct text_buffer description, timelines;
    struct page_data data;
    const atomic_bool *stop;
};

static const struct pps_page_file *find_file(const char *name)
{
    const struct pps_page_file *file = pps_page_files;
    while (file->name != NULL && strcmp(file->name, name) != 0)
        file++;
    return file;
}

// Writes JSON for a script element: no "<" ends it.
static void put_json(const struct text_buffer *json, FILE *out)
{
    for (size_t i = 0; i < json->n; i++)
        if (json->text[i] == '<')
            fputs("\\u003c", out);
        else
            putc_unlocked(json->text[i], out);
}

static void put_title(const struct pps_view *view, FILE *out)
{
    char stem[256];
    pps_view_stem(view->path, stem, sizeof stem);
    for (const char *c = stem; *c != '\0'; c++)
        if (*c == '<' || *c == '&')
            fprintf(out, "&#%d;", *c);
        else
            fputc(*c, out);
}

// The scripts in the order of their names: zmain.js uses the others and stands last.
static void put_scripts(FILE *out)
{
    for (const struct pps_page_file *file = pps_page_files; file->name != NULL; file++)
        if (strstr(file->name, ".js") != NULL)
            fwrite(file->bytes, 1, file->n, out);
}

static enum pps_status put_data(const struct page_data *data, const atomic_bool *stop,
                                FILE *out, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    size_t start = 0;
    for (size_t k = 0; k < data_count(data) && status == PPS_OK; k++) {
        const size_t end = data_end(data, k);
        fprintf(out, "<script type=\"text/plain\" id=\"data-%zu\">", k);
        status = pps_pack_write(data->bytes.text + start, end - start, stop, out, err);
        fputs("</script>\n", out);
        start = end;
    }
    return status;
}

static enum pps_status put_part(const struct parts *parts, const char *name, FILE *out,
                                struct pps_error *err)
{
    if (strcmp(name, "TITLE") == 0)
        put_title(&parts->rows->view, out);
    else if (strcmp(name, "STYLE") == 0)
        fwrite(find_file("style.css")->bytes, 1, find_file("style.css")->n, out);
    else if (strcmp(name, "SCRIPTS") == 0)
        put_scripts(out);
    else if (strcmp(name, "DESCRIPTION") == 0)
        put_json(&parts->description, out);
    else if (strcmp(name, "DATA") == 0)
        return put_data(&parts->data, parts->stop, out, err);
    else
        return pps_pack_write(parts->timelines.text, parts->timelines.n, parts->stop, out, err);
    return PPS_OK;
}

// Writes page.html; every line @NAME@ is a part.
static enum pps_status put_page(const struct parts *parts, FILE *out, struct pps_error *err)
{
    const struct pps_page_file *page = find_file("page.html");
    const char *text = (const char *)page->bytes, *end = text + page->n;
    enum pps_status status = PPS_OK;
    while (text < end && status == PPS_OK) {
        const char *mark = memchr(text, '@', (size_t)(end - text));
        const char *close =
            mark != NULL ? memchr(mark + 1, '@', (size_t)(end - mark - 1)) : NULL;
        char name[16] = "";
        if (close == NULL || close - mark > (ptrdiff_t)sizeof name)
            mark = close = end;
        fwrite(text, 1, (size_t)(mark - text), out);
        if (mark == end)
            return PPS_OK;
        memcpy(name, mark + 1, (size_t)(close - mark - 1));
        status = put_part(parts, name, out, err);
        text = close + 1;
    }
    return status;
}

static int count_timelines(const struct text_buffer *json)
{
    int n = 0;
    const char *at = json->text;
    while (at != NULL && (at = strstr(at, "{\"row\":")) != NULL) {
        n++;
        at++;
    }
    return n;
}

enum pps_status pps_page_write(const struct pps_page_ask *ask, FILE *out,
                               struct pps_page_count *count, struct pps_error *err)
{
    struct pps_page_rows rows;
    enum pps_status status = pps_page_rows_open(&rows, &ask->rows, err);
    if (status != PPS_OK)
        return status;
    struct parts parts = {.rows = &rows, .stop = ask->stop};
    const struct pps_timelines_ask timelines = {ask->rows.view.kernels, ask->stop,
                                                ask->timeline_bytes};
    status = pps_page_timelines(&rows, &timelines, &parts.timelines, err);
    add_description(ask, &rows, &parts.description, &parts.data);
    *count = (struct pps_page_count){rows.n, rows.total, count_timelines(&parts.timelines)};
    if (status == PPS_OK && (parts.description.failed || parts.data.bytes.failed ||
                             parts.data.ends.failed || parts.timelines.failed))
        status = pps_fail_memory(err, "the page");
    if (status == PPS_OK && is_stopped(ask->stop))
        status = pps_fail(err, PPS_E_STOPPED, "stopped while packing the page");
    if (status == PPS_OK)
        status = put_page(&parts, out, err);
    text_buffer_free(&parts.description);
    text_buffer_free(&parts.data.bytes);
    text_buffer_free(&parts.data.ends);
    text_buffer_free(&parts.timelines);
    pps_page_rows_close(&rows);
    return status;
}
