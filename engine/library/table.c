// SPDX-License-Identifier: Apache-2.0
// Reads a result into arrays, one per column. The cells decide the kind of a column, except
// where the manifest or the kernel knows better.
#include "engine/library/library_private.h"

#include "base/text/grow_list.h"
#include "base/text/nearest.h"
#include "base/text/string_pool.h"
#include "engine/manifest/manifest_file.h"
#include "engine/read/result.h"
#include "engine/space/typed_columns.h"
#include "engine/space/value.h"
#include "kernels/registry.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A column while it is read, and afterwards.
struct column {
    int at;                // column of the file
    bool is_text, is_real; // as declared
    bool has_number, has_fraction, has_word, has_other_word, has_empty;
    double *numbers;
    size_t numbers_room;
    int32_t *codes; // NULL before the first text
    size_t codes_room;
    struct pps_string_pool words;
    const char **texts;
    char unit[32];
    struct ppsweep_table_column shown;
};

struct ppsweep_table {
    struct pps_result *rows;
    uint64_t n;
    int n_columns;
    struct column *columns;
};

// ---- declarations -----------------------------------------------------------------------------

static void declare_param(struct column *column, const struct pps_kernel *kernel)
{
    const char *name = column->shown.name;
    const int p = pps_param_find(kernel, name, strlen(name));
    if (p < 0) {
        column->is_text = pps_typed_find(kernel, name, strlen(name)) >= 0;
        return;
    }
    column->is_text = kernel->params[p].kind == PPS_CHOICE;
    column->is_real = kernel->params[p].kind == PPS_REAL;
    snprintf(column->unit, sizeof column->unit, "%s", kernel->params[p].unit);
}

static void declare_result(struct column *column, const cJSON *item)
{
    const char *unit = cJSON_GetStringValue(pps_json_member(item, "unit"));
    const cJSON *decimals = pps_json_member(item, "decimals");
    column->shown.is_result = 1;
    column->is_text = cJSON_IsString(pps_json_member(item, "kind"));
    column->is_real = cJSON_IsNumber(decimals) && decimals->valuedouble != 0;
    snprintf(column->unit, sizeof column->unit, "%s", unit != NULL ? unit : "");
}

static const cJSON *find_result(const cJSON *manifest, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, pps_json_member(manifest, "columns")) {
        const char *found = cJSON_GetStringValue(pps_json_member(item, "name"));
        if (found != NULL && strcmp(found, name) == 0)
            return item;
    }
    return NULL;
}

static enum pps_status declare(struct ppsweep_table *t, const char *path, struct pps_error *err)
{
    cJSON *manifest = NULL;
    const enum pps_status status = pps_manifest_known(path, &manifest, err);
    if (status != PPS_OK || manifest == NULL)
        return status;
    const char *name = cJSON_GetStringValue(pps_json_member(manifest, "kernel"));
    const struct pps_kernel *kernel = name != NULL ? pps_kernels_find(pps_kernels, name) : NULL;
    for (int c = 0; c < t->n_columns; c++) {
        const cJSON *result = find_result(manifest, t->columns[c].shown.name);
        if (result != NULL)
            declare_result(&t->columns[c], result);
        else if (kernel != NULL)
            declare_param(&t->columns[c], kernel);
    }
    cJSON_Delete(manifest);
    return PPS_OK;
}

// ---- reading ----------------------------------------------------------------------------------

static enum pps_status no_memory(struct pps_error *err)
{
    return pps_fail_memory(err, "the columns of a result");
}

// Makes room for row n. The codes begin with the first text; earlier rows have none.
static bool make_room(struct column *column, uint64_t n, bool is_word)
{
    double *numbers = pps_grow(column->numbers, &column->numbers_room, n + 1, sizeof *numbers);
    if (numbers == NULL)
        return false;
    column->numbers = numbers;
    if (!is_word && column->codes == NULL)
        return true;
    const bool first = column->codes == NULL;
    int32_t *codes = pps_grow(column->codes, &column->codes_room, n + 1, sizeof *codes);
    if (codes == NULL)
        return false;
    column->codes = codes;
    for (uint64_t i = 0; first && i < n; i++)
        codes[i] = -1;
    return true;
}

static enum pps_status add_cell(struct column *column, uint64_t n, struct pps_cell cell,
                                struct pps_error *err)
{
    double number = (double)NAN;
    const bool is_empty = cell.n == 0;
    const bool is_number = !column->is_text && !is_empty && pps_cell_number(cell, &number);
    const bool is_word = !is_empty && !is_number;
    const bool is_true = is_word && cell.n == 4 && memcmp(cell.text, "true", 4) == 0;
    const bool is_false = is_word && cell.n == 5 && memcmp(cell.text, "false", 5) == 0;
    uint32_t id;
    if (!make_room(column, n, is_word))
        return no_memory(err);
    column->has_empty = column->has_empty || is_empty;
    column->has_number = column->has_number || is_number;
    column->has_word = column->has_word || is_word;
    column->has_other_word = column->has_other_word || (is_word && !is_true && !is_false);
    if (is_number && !column->has_fraction)
        column->has_fraction = memchr(cell.text, '.', cell.n) != NULL ||
                               number != floor(number) || fabs(number) >= 0x1p53;
    column->numbers[n] = number;
    if (column->codes != NULL)
        column->codes[n] = -1;
    if (!is_word)
        return PPS_OK;
    enum pps_status status = pps_string_pool_add(&column->words, cell.text, cell.n, &id, err);
    if (status == PPS_OK && id > INT32_MAX)
        status = pps_fail(err, PPS_E_MACHINE, "a column has more than 2^31 different texts");
    column->codes[n] = (int32_t)id;
    return status;
}

static enum pps_status read_rows(struct ppsweep_table *t, struct pps_error *err)
{
    for (;;) {
        const struct pps_cell *cells;
        enum pps_status status = pps_result_next(t->rows, &cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
        for (int c = 0; c < t->n_columns && status == PPS_OK; c++)
            status = add_cell(&t->columns[c], t->n, cells[t->columns[c].at], err);
        if (status != PPS_OK)
            return status;
        t->n++;
    }
}

// ---- columns ----------------------------------------------------------------------------------

static enum pps_status unknown_column(const struct ppsweep_table *t, const char *path,
                                      const char *name, struct pps_error *err)
{
    const int n = pps_result_columns(t->rows);
    const char **names = calloc((size_t)n + 1, sizeof *names);
    if (names == NULL)
        return no_memory(err);
    for (int i = 0; i < n; i++)
        names[i] = pps_result_column_name(t->rows, i);
    const struct pps_hint hint = pps_did_you_mean(name, names, (size_t)n);
    free(names);
    return pps_fail_at(err, PPS_E_INPUT, path, 1, 0, "there is no column %.60s%s", name,
                       hint.text);
}

static enum pps_status choose_columns(struct ppsweep_table *t, const char *path,
                                      const char *const *columns, struct pps_error *err)
{
    size_t n = 0;
    while (columns != NULL && columns[n] != NULL)
        n++;
    if (columns == NULL)
        n = (size_t)pps_result_columns(t->rows);
    t->columns = calloc(n + 1, sizeof *t->columns);
    if (t->columns == NULL)
        return no_memory(err);
    t->n_columns = (int)n;
    for (int c = 0; c < t->n_columns; c++) {
        struct column *column = &t->columns[c];
        column->at = columns == NULL ? c : pps_result_find(t->rows, columns[c]);
        if (column->at < 0)
            return unknown_column(t, path, columns[c], err);
        column->shown.name = pps_result_column_name(t->rows, column->at);
        column->shown.unit = column->unit;
    }
    return PPS_OK;
}

static enum ppsweep_cells kind_of(const struct column *column)
{
    if (column->is_text)
        return PPSWEEP_CELLS_TEXT;
    if (column->has_word && column->has_number)
        return PPSWEEP_CELLS_MIXED;
    if (column->has_word)
        return column->has_other_word || column->has_empty ? PPSWEEP_CELLS_TEXT
                                                           : PPSWEEP_CELLS_BOOLEAN;
    return column->has_number && !column->has_fraction && !column->has_empty && !column->is_real
               ? PPSWEEP_CELLS_INTEGER
               : PPSWEEP_CELLS_REAL;
}

static enum pps_status finish(struct column *column, uint64_t n, struct pps_error *err)
{
    const enum ppsweep_cells kind = kind_of(column);
    if (!make_room(column, n, kind == PPSWEEP_CELLS_TEXT))
        return no_memory(err);
    column->texts = calloc((size_t)column->words.n + 1, sizeof *column->texts);
    if (column->texts == NULL)
        return no_memory(err);
    for (uint32_t i = 0; i < column->words.n; i++)
        column->texts[i] = pps_string_pool_text(&column->words, i);
    for (uint64_t i = 0; kind == PPSWEEP_CELLS_BOOLEAN && i < n; i++)
        column->numbers[i] = strcmp(column->texts[column->codes[i]], "true") == 0;
    const bool coded = kind == PPSWEEP_CELLS_TEXT || kind == PPSWEEP_CELLS_MIXED;
    column->shown.kind = (int)kind;
    column->shown.numbers = column->numbers;
    column->shown.codes = coded ? column->codes : NULL;
    column->shown.n_texts = coded ? (int)column->words.n : 0;
    column->shown.texts = column->texts;
    return PPS_OK;
}

// ---- entry points -----------------------------------------------------------------------------

static enum pps_status read_table(struct ppsweep_table *t, const char *path,
                                  const char *const *columns, struct pps_error *err)
{
    enum pps_status status = pps_result_open(&t->rows, path, err);
    if (status == PPS_OK)
        status = choose_columns(t, path, columns, err);
    if (status == PPS_OK)
        status = declare(t, path, err);
    if (status == PPS_OK)
        status = read_rows(t, err);
    for (int c = 0; c < t->n_columns && status == PPS_OK; c++)
        status = finish(&t->columns[c], t->n, err);
    return status;
}

int ppsweep_table_read(struct ppsweep_table **table, const char *path,
                       const char *const *columns, struct ppsweep_error *error)
{
    struct pps_error err;
    if (table == NULL || path == NULL)
        return pps_library_fail(error, PPSWEEP_E_CALL, "table, path: must not be NULL");
    *table = NULL;
    struct ppsweep_table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return pps_library_fail(error, PPSWEEP_E_MACHINE, "out of memory for a result");
    if (read_table(t, path, columns, &err) != PPS_OK) {
        ppsweep_table_close(t);
        return pps_library_error(error, &err);
    }
    *table = t;
    return PPSWEEP_OK;
}

void ppsweep_table_close(struct ppsweep_table *t)
{
    if (t == NULL)
        return;
    for (int c = 0; c < t->n_columns; c++) {
        free(t->columns[c].numbers);
        free(t->columns[c].codes);
        free(t->columns[c].texts);
        pps_string_pool_free(&t->columns[c].words);
    }
    free(t->columns);
    pps_result_close(t->rows);
    free(t);
}

uint64_t ppsweep_table_rows(const struct ppsweep_table *t)
{
    return t != NULL ? t->n : 0;
}

int ppsweep_table_columns(const struct ppsweep_table *t)
{
    return t != NULL ? t->n_columns : 0;
}

const struct ppsweep_table_column *ppsweep_table_column(const struct ppsweep_table *t, int c)
{
    return c >= 0 && c < ppsweep_table_columns(t) ? &t->columns[c].shown : NULL;
}
