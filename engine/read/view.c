// SPDX-License-Identifier: Apache-2.0
// Opens a result for reading: roles of columns, lookup by name, filters.
#include "engine/read/view.h"

#include "base/text/characters.h"
#include "base/text/decimal.h"
#include "engine/experiment/experiment.h"
#include "engine/manifest/manifest_file.h"
#include "engine/read/coverage.h"
#include "engine/read/filter.h"
#include "engine/read/needed_blocks.h"
#include "engine/space/typed_columns.h"
#include "engine/space/value.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- derived ------------------------------------------------------------------------------------

struct pps_view;

struct pps_derived {
    char name[64];
    struct pps_row_expression expression;
};

static bool is_name(const char *text, size_t n)
{
    if (n == 0 || isdigit((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

static size_t write_cell(void *self, const struct pps_cell *cells, char *text)
{
    const struct pps_derived *derived = self;
    const double value = pps_row_expression_value(&derived->expression, cells);
    return isfinite(value) ? pps_decimal_meant(text, value, 0) : 0;
}

static enum pps_status read_name(struct pps_derived *derived, const struct pps_view *view,
                                 const char *word, const char *equals, struct pps_error *err)
{
    const size_t n = equals != NULL ? (size_t)(equals - word) : 0;
    if (!is_name(word, n) || n >= sizeof derived->name)
        return pps_fail(
            err, PPS_E_INPUT,
            "--let %s: expected NAME=EXPRESSION, as in gain=1-total_time/ideal_time", word);
    memcpy(derived->name, word, n);
    derived->name[n] = '\0';
    if (pps_result_find(view->result, derived->name) >= 0)
        return pps_fail(err, PPS_E_INPUT, "--let %s: %s is a column already", word,
                        derived->name);
    return PPS_OK;
}

// Reads NAME=EXPRESSION and appends the column to the view, as a result without a unit or a goal.
// Later derived columns and filters may use it. A cell is empty where the expression has no finite
// value. PPS_E_INPUT for a name that is taken or no name, and for an expression with a fault. The
// caller frees it in every case.
static enum pps_status derived_add(struct pps_derived *derived, struct pps_view *view,
                                   const char *word, struct pps_error *err)
{
    struct pps_expr_fault fault = {.text = ""};
    const char *equals = strchr(word, '=');
    *derived = (struct pps_derived){.name = ""};
    enum pps_status status = read_name(derived, view, word, equals, err);
    if (status != PPS_OK)
        return status;
    if (!pps_row_expression_read(&derived->expression, view, equals + 1, &fault))
        return pps_fail(err, PPS_E_INPUT, "--let %s: %s", word, fault.text);
    const enum pps_expr_shape shape = pps_expr_shape(derived->expression.expr);
    if (shape != PPS_EXPR_NUMBER && shape != PPS_EXPR_TRUTH)
        return pps_fail(err, PPS_E_INPUT, "--let %s: expected one value, not a list", word);
    const struct pps_result_derived cells = {derived->name, derived, write_cell};
    const struct pps_view_column column = {.name = derived->name, .role = PPS_ROLE_RESULT};
    return pps_view_add(view, &cells, &column, err);
}

static void derived_free(struct pps_derived *derived)
{
    pps_row_expression_free(&derived->expression);
}

// ---- what the columns are -------------------------------------------------------------------

static const char *const compared[] = {"_a", "_b", "_diff", "_ratio"};
enum { N_COMPARED = sizeof compared / sizeof *compared };

// Has the result all columns that diff writes of the column with the first n characters of name?
static bool has_compared(const struct pps_result *result, const char *name, size_t n)
{
    char other[128];
    for (int i = 0; i < N_COMPARED; i++) {
        snprintf(other, sizeof other, "%.*s%s", (int)n, name, compared[i]);
        if (pps_result_find(result, other) < 0)
            return false;
    }
    return true;
}

// Describes a column that diff computed from a result of the kernel, or from a computed column.
static struct pps_view_column describe_compared(const struct pps_view *view,
                                                const struct pps_kernel *kernel,
                                                const char *name)
{
    struct pps_view_column column = {.name = name};
    for (int i = 0; i < N_COMPARED; i++) {
        if (!pps_ends_with(name, compared[i]))
            continue;
        const size_t n = strlen(name) - strlen(compared[i]);
        const int c = pps_column_find(kernel, name, n);
        if (c < 0 && !has_compared(view->result, name, n))
            continue;
        const bool is_ratio = strcmp(compared[i], "_ratio") == 0;
        column.role = PPS_ROLE_RESULT;
        column.goal = c < 0 ? PPS_NEUTRAL : kernel->columns[c].goal;
        column.is_compared = is_ratio || strcmp(compared[i], "_diff") == 0;
        column.equal = is_ratio ? 1 : 0;
        if (column.is_compared)
            column.note = is_ratio ? "ratio of the two results, b / a"
                                   : "difference of the two results, b - a";
        snprintf(column.unit, sizeof column.unit, "%s",
                 is_ratio || c < 0 ? "" : kernel->columns[c].unit);
    }
    return column;
}

// Describes a column by its name: a parameter or a result of the kernel.
static struct pps_view_column describe(const struct pps_view *view,
                                       const struct pps_kernel *kernel, const char *name)
{
    struct pps_view_column column = {.name = name};
    const int p = pps_param_find(kernel, name, strlen(name));
    const int c = pps_column_find(kernel, name, strlen(name));
    if (p < 0 && pps_typed_find(kernel, name, strlen(name)) >= 0) {
        column.role = PPS_ROLE_PARAM;
        column.is_text = true;
    } else if (p >= 0) {
        column.role = PPS_ROLE_PARAM;
        snprintf(column.unit, sizeof column.unit, "%s", kernel->params[p].unit);
    } else if (c >= 0) {
        column.role = PPS_ROLE_RESULT;
        column.goal = kernel->columns[c].goal;
        column.is_text = kernel->columns[c].kind == PPS_COLUMN_TEXT;
        snprintf(column.unit, sizeof column.unit, "%s", kernel->columns[c].unit);
    } else if (strcmp(name, PPS_STATUS_COLUMN) == 0) {
        column.role = PPS_ROLE_RESULT;
        column.is_text = true;
    } else {
        column = describe_compared(view, kernel, name);
    }
    return column;
}

// Has the kernel all columns of the file, and the file one of its results?
static bool kernel_matches(const struct pps_view *view, const struct pps_kernel *kernel)
{
    bool result = false;
    for (int i = 0; i < view->n_columns; i++) {
        const char *name = view->columns[i].name;
        const enum pps_role role = describe(view, kernel, name).role;
        if (role == PPS_ROLE_OTHER)
            return false;
        result = result || (role == PPS_ROLE_RESULT && strcmp(name, PPS_STATUS_COLUMN) != 0);
    }
    return result;
}

static void name_columns(struct pps_view *view)
{
    view->n_columns = pps_result_columns(view->result);
    for (int i = 0; i < view->n_columns; i++)
        view->columns[i].name = pps_result_column_name(view->result, i);
}

void pps_typed_join(struct pps_result *result, const struct pps_kernel *kernel)
{
    for (int c = 0; c < pps_result_columns(result); c++) {
        const char *name = pps_result_column_name(result, c);
        const int p = pps_typed_find(kernel, name, strlen(name));
        const int weights = p < 0 ? -1 : pps_result_find(result, kernel->params[p].name);
        if (weights < 0)
            continue;
        pps_result_join(result, weights, c);
        c = -1; // the columns behind it have moved
    }
}

static void roles_from_kernel(struct pps_view *view)
{
    pps_typed_join(view->result, view->kernel);
    name_columns(view);
    for (int i = 0; i < view->n_columns; i++)
        view->columns[i] = describe(view, view->kernel, view->columns[i].name);
    view->roles_known = true;
}

static enum pps_goal goal_of_word(const char *word)
{
    if (word != NULL && strcmp(word, "lower") == 0)
        return PPS_LOWER;
    return word != NULL && strcmp(word, "higher") == 0 ? PPS_HIGHER : PPS_NEUTRAL;
}

static const char *member_text(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static struct pps_view_column *column_of_name(struct pps_view *view, const char *name)
{
    for (int i = 0; name != NULL && i < view->n_columns; i++)
        if (strcmp(view->columns[i].name, name) == 0)
            return &view->columns[i];
    return NULL;
}

// The manifest's lists say more than the kernel: they were true when the file was written.
static void roles_from_manifest(struct pps_view *view, const cJSON *manifest)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(manifest, "parameters")) {
        struct pps_view_column *column = column_of_name(view, cJSON_GetStringValue(item));
        if (column != NULL)
            column->role = PPS_ROLE_PARAM;
    }
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(manifest, "columns")) {
        struct pps_view_column *column = column_of_name(view, member_text(item, "name"));
        const char *unit = member_text(item, "unit");
        if (column == NULL)
            continue;
        column->role = PPS_ROLE_RESULT;
        column->goal = goal_of_word(member_text(item, "goal"));
        column->is_text = member_text(item, "kind") != NULL;
        snprintf(column->unit, sizeof column->unit, "%s", unit == NULL ? "" : unit);
        view->roles_known = true;
    }
}

static enum pps_status find_roles(struct pps_view *view,
                                  const struct pps_kernel *const *kernels,
                                  struct pps_error *err)
{
    cJSON *manifest = NULL;
    enum pps_status status = PPS_OK;
    if (strcmp(view->path, "-") != 0)
        status = pps_manifest_known(view->path, &manifest, err);
    if (status != PPS_OK)
        return status;
    const char *name = member_text(manifest, "kernel");
    view->kernel = name != NULL ? pps_kernels_find(kernels, name) : NULL;
    for (; manifest == NULL && view->kernel == NULL && *kernels != NULL; kernels++)
        if (kernel_matches(view, *kernels))
            view->kernel = *kernels;
    if (view->kernel != NULL) {
        roles_from_kernel(view);
        view->first = pps_result_find(view->result, view->kernel->columns[0].name);
    }
    roles_from_manifest(view, manifest);
    cJSON_Delete(manifest);
    return PPS_OK;
}

// ---- opening, reading -----------------------------------------------------------------------

static enum pps_status fill_view(struct pps_view *view, const struct pps_view_ask *ask,
                                 struct pps_error *err)
{
    view->n_columns = pps_result_columns(view->result);
    view->columns =
        calloc((size_t)view->n_columns + PPS_DERIVED_COLUMNS, sizeof *view->columns);
    view->filters = calloc((size_t)ask->n_filters + 1, sizeof *view->filters);
    view->derived = calloc((size_t)ask->n_lets + 1, sizeof *view->derived);
    if (view->columns == NULL || view->filters == NULL || view->derived == NULL)
        return pps_fail_memory(err, "%s", view->path);
    name_columns(view);
    struct pps_coverage coverage;
    pps_coverage_read(view->path, &coverage);
    pps_coverage_text(&coverage, view->partial, sizeof view->partial);
    enum pps_status status = find_roles(view, ask->kernels, err);
    if (status == PPS_OK && ask->add != NULL)
        status = ask->add(ask->self, view, err);
    for (int i = 0; i < ask->n_lets && status == PPS_OK; i++)
        status = derived_add(&view->derived[view->n_derived++], view, ask->lets[i], err);
    for (int i = 0; i < ask->n_filters && status == PPS_OK; i++)
        status = pps_filter_read(&view->filters[view->n_filters++], view, ask->filters[i], err);
    return status;
}

enum pps_status pps_view_open(struct pps_view *view, const struct pps_view_ask *ask,
                              struct pps_error *err)
{
    struct pps_needed_blocks *blocks = NULL;
    *view = (struct pps_view){.path = ask->path, .first = -1};
    enum pps_status status =
        pps_result_open_watched(&view->result, ask->path, &ask->watch, err);
    if (status == PPS_OK)
        status = fill_view(view, ask, err);
    if (status == PPS_OK)
        status = pps_needed_blocks_open(&blocks, view, ask->kernels, ask->watch.stop, err);
    if (blocks != NULL)
        pps_result_use_blocks(view->result, blocks);
    if (status != PPS_OK)
        pps_view_close(view);
    return status;
}

void pps_view_close(struct pps_view *view)
{
    pps_result_close(view->result);
    free(view->columns);
    for (int i = 0; i < view->n_filters; i++)
        pps_filter_free(&view->filters[i]);
    free(view->filters);
    for (int i = 0; i < view->n_derived; i++)
        derived_free(&view->derived[i]);
    free(view->derived);
    *view = (struct pps_view){0};
}

enum pps_status pps_view_add(struct pps_view *view, const struct pps_result_derived *derived,
                             const struct pps_view_column *column, struct pps_error *err)
{
    if (pps_result_find(view->result, column->name) >= 0)
        return pps_fail(err, PPS_E_INPUT, "%s: %s is a column already", view->path,
                        column->name);
    const enum pps_status status = pps_result_derive(view->result, derived, err);
    if (status == PPS_OK)
        view->columns[view->n_columns++] = *column;
    return status;
}

bool pps_view_passes(const struct pps_view *view, const struct pps_cell *cells)
{
    for (int i = 0; i < view->n_filters; i++)
        if (!pps_filter_passes(&view->filters[i], cells))
            return false;
    return true;
}

uint64_t pps_view_filtered(const struct pps_view *view)
{
    uint64_t columns = 0;
    for (int i = 0; i < view->n_filters; i++)
        columns |= pps_filter_uses(&view->filters[i]);
    return columns;
}

enum pps_status pps_view_next(struct pps_view *view, const struct pps_cell **cells,
                              struct pps_error *err)
{
    for (;;) {
        const enum pps_status status = pps_result_next(view->result, cells, err);
        if (status != PPS_OK || *cells == NULL)
            return status;
        if (pps_view_passes(view, *cells))
            return PPS_OK;
    }
}

bool pps_view_is_done(const struct pps_view *view, const struct pps_cell *cells)
{
    double value;
    return view->first < 0 || pps_cell_number(cells[view->first], &value);
}
