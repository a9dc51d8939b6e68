// SPDX-License-Identifier: Apache-2.0
// Reads the rows of an earlier result into the table of known rows.
#include "engine/job/known_rows_read.h"

#include "base/text/decimal.h"
#include "base/text/text_buffer.h"
#include "engine/let/let_columns.h"
#include "engine/manifest/manifest_file.h"
#include "engine/point/one_point.h"
#include "engine/read/view.h"
#include "engine/space/value.h"
#include "engine/store/whole_prefix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// State needed only while reading.
struct reader {
    struct pps_known_rows *reuse;
    const struct pps_experiment *experiment;
    const char *path;
    struct pps_result *result;
    const cJSON *manifest;
    int objective, nearest;       // columns of the file; nearest -1: none
    int param[PPS_MAX_PARAMS];    // column of the file; -1: a constant
    int results[PPS_MAX_COLUMNS]; // columns of the file, in the experiment's order
    int n_results;
    double point[PPS_MAX_PARAMS];
    struct text_buffer text; // results of a row
    struct pps_error *err;
};

// ---- compatibility --------------------------------------------------------------------------

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(pps_json_member(object, name));
    return text != NULL ? text : "";
}

// A point that failed at one limit may have a result at another limit.
static enum pps_status check_limit(const struct reader *r)
{
    const cJSON *limit = pps_json_member(r->manifest, "point_limit");
    if (limit == NULL && r->experiment->point_limit == 0)
        return PPS_OK;
    if (limit == NULL)
        return pps_fail(r->err, PPS_E_INPUT,
                        "--reuse %s: it was made without --point-limit; remove the option",
                        r->path);
    if (cJSON_GetNumberValue(limit) != (double)r->experiment->point_limit)
        return pps_fail(r->err, PPS_E_INPUT,
                        "--reuse %s: it was made with --point-limit %.0f; use the same limit",
                        r->path, cJSON_GetNumberValue(limit));
    return PPS_OK;
}

// A column of the same name may be computed from others in another way.
static enum pps_status check_lets(const struct reader *r)
{
    const struct pps_let_columns *lets = r->experiment->lets;
    const cJSON *there = pps_json_member(pps_json_member(r->manifest, "experiment"), "let");
    for (int i = 0; i < pps_let_columns_count(lets); i++) {
        const char *name = pps_let_columns_name(lets, i);
        const char *text = cJSON_GetStringValue(pps_json_member(there, name));
        if (text != NULL && strcmp(text, pps_let_columns_text(lets, i)) != 0)
            return pps_fail(r->err, PPS_E_INPUT,
                            "--reuse %s: its column %s is %.120s, not %.120s; use the same "
                            "--let",
                            r->path, name, text, pps_let_columns_text(lets, i));
    }
    return PPS_OK;
}

static enum pps_status check_kernel(const struct reader *r)
{
    const struct pps_kernel *kernel = r->experiment->kernel;
    const char *name = text_of(r->manifest, "kernel");
    const char *version = text_of(r->manifest, "kernel_version");
    const bool exact = cJSON_IsTrue(pps_json_member(r->manifest, "exact"));
    if (name[0] == '\0')
        return pps_fail(r->err, PPS_E_INPUT,
                        "--reuse %s: %s.json names no kernel; is it the manifest of a run?",
                        r->path, r->path);
    if (strcmp(name, kernel->name) != 0)
        return pps_fail(r->err, PPS_E_INPUT, "--reuse %s: its kernel is %.40s, not %s", r->path,
                        name, kernel->name);
    if (strcmp(version, kernel->version) != 0)
        return pps_fail(r->err, PPS_E_INPUT,
                        "--reuse %s: its rows are of version %.20s of %s, this is version %s; "
                        "recompute them",
                        r->path, version, name, kernel->version);
    const cJSON *inputs = pps_json_member(pps_json_member(r->manifest, "experiment"), "inputs");
    const char *slot;
    if (!pps_documents_meet(r->experiment->inputs, inputs, &slot))
        return pps_fail(r->err, PPS_E_INPUT,
                        "--reuse %s: it was made with another %s; recompute its rows", r->path,
                        slot);
    if (exact != r->experiment->exact)
        return pps_fail(r->err, PPS_E_INPUT, "--reuse %s: it was made with%s --exact, so %s",
                        r->path, exact ? "" : "out", exact ? "add --exact" : "remove --exact");
    const enum pps_status status = check_lets(r);
    return status == PPS_OK ? check_limit(r) : status;
}

static void decimals_text(int decimals, char out[24])
{
    if (decimals == PPS_FULL_DIGITS)
        snprintf(out, 24, "full digits");
    else
        snprintf(out, 24, "%d decimals", decimals);
}

// Finds the column of the file that holds result c with the wanted digits.
static enum pps_status find_result(const struct reader *r, int c, int *column)
{
    const struct pps_column *wanted = &r->experiment->kernel->columns[c];
    const int here = pps_column_decimals(r->experiment->kernel, c, r->experiment->digits);
    char has[24], wants[24];
    const cJSON *entry;
    *column = pps_result_find(r->result, wanted->name);
    cJSON_ArrayForEach (entry, pps_json_member(r->manifest, "columns")) {
        if (*column < 0 || strcmp(text_of(entry, "name"), wanted->name) != 0)
            continue;
        const cJSON *decimals = pps_json_member(entry, "decimals");
        const int there = cJSON_IsNumber(decimals) ? decimals->valueint : PPS_FULL_DIGITS;
        if (there == here)
            return PPS_OK;
        decimals_text(there, has);
        decimals_text(here, wants);
        return pps_fail(r->err, PPS_E_INPUT,
                        "--reuse %s: %s has %s there and %s here; use the same --digits",
                        r->path, wanted->name, has, wants);
    }
    return pps_fail(r->err, PPS_E_INPUT,
                    "--reuse %s: it has no %s, which this run needs (--metrics, --objective)",
                    r->path, wanted->name);
}

static enum pps_status find_results(struct reader *r, int objective)
{
    const struct pps_experiment *e = r->experiment;
    for (int c = 0; c < e->kernel->n_columns; c++) {
        if (!e->wanted[c])
            continue;
        enum pps_status status = find_result(r, c, &r->results[r->n_results++]);
        if (status != PPS_OK)
            return status;
        if (c == e->nearest)
            r->nearest = r->results[r->n_results - 1];
    }
    return find_result(r, objective, &r->objective);
}

static enum pps_status find_params(struct reader *r)
{
    const struct pps_kernel *kernel = r->experiment->kernel;
    const cJSON *constants = pps_json_member(r->manifest, "constants");
    for (int p = 0; p < kernel->n_params; p++) {
        const char *name = kernel->params[p].name;
        r->param[p] = pps_result_find(r->result, name);
        if (r->param[p] < 0 && (constants == NULL || pps_json_member(constants, name) == NULL))
            return pps_fail(r->err, PPS_E_INPUT,
                            "--reuse %s: neither its columns nor its manifest contain %s",
                            r->path, name);
    }
    pps_point_default(kernel, r->point);
    return pps_point_constants(kernel, r->path, r->manifest, r->point, r->err);
}

// ---- reading ----------------------------------------------------------------------------------

// Returns whether the parameter is the index of a document.
static bool is_document(const struct pps_kernel *kernel, int p)
{
    for (int s = 0; s < kernel->n_slots; s++)
        if (kernel->slots[s].param == p)
            return true;
    return false;
}

// Reads the point of a row. *ours is false if the row names a document that this experiment
// does not have.
static enum pps_status read_point(struct reader *r, const struct pps_cell *cells, bool *ours)
{
    const struct pps_kernel *kernel = r->experiment->kernel;
    uint64_t shown = 0;
    *ours = true;
    for (int p = 0; p < kernel->n_params; p++) {
        char why[PPS_WHY];
        if (r->param[p] < 0)
            continue;
        const struct pps_cell cell = cells[r->param[p]];
        const bool read =
            pps_value_parse(&kernel->params[p], cell.text, cell.n, &r->point[p], why);
        *ours = read || !is_document(kernel, p);
        if (!*ours)
            return PPS_OK;
        if (!read)
            return pps_fail(r->err, PPS_E_INPUT, "--reuse %s: row %llu: %s: %s", r->path,
                            (unsigned long long)pps_result_row(r->result),
                            kernel->params[p].name, why);
        shown |= (uint64_t)1 << p;
    }
    pps_documents_say(r->experiment->inputs, shown, r->point);
    return PPS_OK;
}

// Reads the results of a row. Returns false if it has no result. A failed point has only empty
// cells; an infeasible point has no number in the first column and a cell with text in another
// column.
static bool read_row(const struct reader *r, const struct pps_cell *cells,
                     struct pps_reused *row)
{
    const struct pps_experiment *e = r->experiment;
    double number;
    bool whole = true, any = false;
    int n = 0;
    for (int c = 0; c < e->kernel->n_columns; c++) {
        if (!e->wanted[c])
            continue;
        const struct pps_cell cell = cells[r->results[n++]];
        any = any || cell.n > 0;
        whole = whole && (e->kernel->columns[c].kind == PPS_COLUMN_TEXT ||
                          pps_cell_number(cell, &number));
    }
    row->infeasible = !whole;
    row->value = (double)NAN;
    if (whole)
        return pps_cell_number(cells[r->objective], &row->value);
    if (r->nearest >= 0)
        (void)pps_cell_number(cells[r->nearest], &row->value);
    return any && e->wanted[0] && cells[r->results[0]].n == 0;
}

static enum pps_status keep_row(struct reader *r, const struct pps_cell *cells,
                                struct pps_reused *row)
{
    struct text_buffer *text = &r->text;
    text->n = 0;
    for (int c = 0; c < r->n_results; c++) {
        const struct pps_cell cell = cells[r->results[c]];
        text_buffer_add_bytes(text, cell.text, cell.n);
        text_buffer_add_bytes(text, ",", 1);
    }
    if (r->experiment->status) {
        const char *word = pps_outcome_word(row->infeasible ? PPS_INFEASIBLE : PPS_DONE);
        text_buffer_add_bytes(text, word, strlen(word));
        text_buffer_add_bytes(text, ",", 1);
    }
    if (text->failed)
        return pps_fail_memory(r->err, "the rows of %s", r->path);
    text->text[text->n - 1] = '\n';
    row->results = text->text;
    row->n = text->n;
    return pps_known_rows_add(r->reuse, r->point, row)
               ? PPS_OK
               : pps_fail_memory(r->err, "the rows of %s", r->path);
}

static enum pps_status read_rows(struct reader *r)
{
    for (;;) {
        const struct pps_cell *cells;
        struct pps_reused row;
        bool ours;
        enum pps_status status = pps_result_next(r->result, &cells, r->err);
        if (status != PPS_OK || cells == NULL)
            return status;
        status = read_point(r, cells, &ours);
        if (status == PPS_OK && ours && read_row(r, cells, &row))
            status = keep_row(r, cells, &row);
        if (status != PPS_OK)
            return status;
    }
}

// Sizes the table for the manifest's number of rows, so that it need not grow.
static enum pps_status make_table(struct reader *r)
{
    const cJSON *rows = pps_json_member(r->manifest, "rows");
    r->reuse = pps_known_rows_new(r->experiment->kernel->n_params,
                                  cJSON_IsNumber(rows) ? rows->valuedouble : 0);
    return r->reuse != NULL ? PPS_OK : pps_fail_memory(r->err, "the rows of %s", r->path);
}

static enum pps_status read_result(struct reader *r, int objective, bool *checked)
{
    enum pps_status status = check_kernel(r);
    pps_typed_join(r->result, r->experiment->kernel);
    if (status == PPS_OK)
        status = find_results(r, objective);
    if (status == PPS_OK)
        status = find_params(r);
    if (status == PPS_OK)
        status = make_table(r);
    if (status == PPS_OK)
        status = read_rows(r);
    if (status == PPS_OK) // last: other errors say more about the cause
        status = pps_checksums_match(r->path, checked, r->err);
    return status;
}

enum pps_status pps_known_rows_open(struct pps_known_rows **reuse, const char *path,
                                    const struct pps_experiment *experiment, int objective,
                                    bool *checked, struct pps_error *err)
{
    struct reader r = {.experiment = experiment, .path = path, .nearest = -1, .err = err};
    cJSON *manifest = NULL;
    *reuse = NULL;
    enum pps_status status = pps_result_open(&r.result, path, err);
    if (status == PPS_OK)
        status = pps_manifest_of_result(path, &manifest, err);
    r.manifest = manifest;
    if (status == PPS_OK && manifest == NULL)
        status = pps_fail(err, PPS_E_INPUT,
                          "--reuse %s: there is no %s.json beside it, which says how its rows "
                          "were made",
                          path, path);
    if (status == PPS_OK)
        status = read_result(&r, objective, checked);
    cJSON_Delete(manifest);
    pps_result_close(r.result);
    text_buffer_free(&r.text);
    if (status == PPS_OK)
        *reuse = r.reuse;
    else
        pps_known_rows_close(r.reuse);
    return status;
}
