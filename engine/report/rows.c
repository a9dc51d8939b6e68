// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a page, in one pass, or in two if they are too many.
#include "engine/report/rows.h"

#include "base/text/grow_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A parameter with more values than MOST_LABELS is shown as a number, and one with more than
// FEW_LABELS values of which hardly any repeats.
enum { MOST_LABELS = 4096, FEW_LABELS = 64 };

// ---- columns ----------------------------------------------------------------------------------

static bool is_numeric(const struct pps_page_rows *rows, int c)
{
    const struct pps_view_column *column = &rows->view.columns[c];
    return c == rows->objective || (column->role == PPS_ROLE_RESULT && !column->is_text);
}

static enum pps_status open_columns(struct pps_page_rows *rows,
                                    const struct pps_page_rows_ask *ask, struct pps_error *err)
{
    const struct pps_view *view = &rows->view;
    enum pps_status status =
        pps_view_objective(view, "--objective", ask->objective, &rows->objective, err);
    if (status == PPS_OK)
        status = pps_grouping_open(&rows->work, view, NULL, &rows->objective, 1, err);
    if (status != PPS_OK)
        return status;
    const enum pps_goal goal =
        ask->goal != PPS_NEUTRAL ? ask->goal : view->columns[rows->objective].goal;
    rows->higher = goal == PPS_HIGHER;
    rows->columns = calloc((size_t)view->n_columns, sizeof *rows->columns);
    rows->over = calloc((size_t)view->n_columns, sizeof *rows->over);
    if (rows->columns == NULL || rows->over == NULL)
        return pps_fail_memory(err, "the page");
    for (int c = 0; c < view->n_columns; c++)
        rows->columns[c].numeric = is_numeric(rows, c);
    return PPS_OK;
}

bool pps_page_rows_is_param(const struct pps_page_rows *rows, int column)
{
    const enum pps_role role = rows->view.columns[column].role;
    if (role == PPS_ROLE_PARAM)
        return true;
    return rows->view.kernel == NULL && !rows->columns[column].numeric;
}

// Turns a column of many different numbers into numbers.
static enum pps_status simplify(struct pps_page_column *column, size_t n, struct pps_error *err)
{
    struct pps_page_column other = {.numeric = true};
    const bool few = column->labels.n <= FEW_LABELS || column->labels.n <= n / 4;
    if (column->numeric || (few && column->labels.n <= MOST_LABELS))
        return PPS_OK;
    for (size_t i = 0; i < n; i++) {
        const char *label = pps_string_pool_text(&column->labels, column->codes[i]);
        const struct pps_cell cell = {label, strlen(label)};
        const enum pps_status status = pps_page_column_set(&other, i, cell, err);
        const bool lost = cell.n > 0 && status == PPS_OK && isnan(other.numbers[i]);
        if (status != PPS_OK || lost) {
            pps_page_column_free(&other);
            return status;
        }
    }
    pps_page_column_free(column);
    *column = other;
    return PPS_OK;
}

// ---- rows -------------------------------------------------------------------------------------

static enum pps_status set_row(struct pps_page_rows *rows, size_t i,
                               const struct pps_cell *cells, struct pps_error *err)
{
    uint64_t *at = pps_grow(rows->at, &rows->at_room, i + 1, sizeof *at);
    if (at == NULL)
        return pps_fail_memory(err, "the rows of the page");
    rows->at = at;
    at[i] = pps_result_row(rows->view.result);
    const bool done = pps_view_is_done(&rows->view, cells);
    for (int c = 0; c < rows->view.n_columns; c++) {
        // An infeasible row may have a value of the objective: it is none to compare.
        const struct pps_cell none = {"", 0};
        const bool hidden = c == rows->objective && !done;
        const enum pps_status status =
            pps_page_column_set(&rows->columns[c], i, hidden ? none : cells[c], err);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

bool pps_page_rows_better(const struct pps_page_rows *rows, size_t i, size_t j)
{
    const double *numbers = rows->columns[rows->objective].numbers;
    if (isnan(numbers[i]) || isnan(numbers[j]))
        return !isnan(numbers[i]) && isnan(numbers[j]);
    return rows->higher ? numbers[i] > numbers[j] : numbers[i] < numbers[j];
}

// Counts the labels of a row that is not kept.
static enum pps_status count_labels(struct pps_page_rows *rows, const struct pps_cell *cells,
                                    struct pps_error *err)
{
    for (int c = 0; c < rows->view.n_columns; c++) {
        uint32_t code;
        if (!pps_page_rows_is_param(rows, c))
            continue;
        const enum pps_status status = pps_string_pool_add(
            &rows->columns[c].labels, cells[c].text, cells[c].n, &code, err);
        if (status != PPS_OK)
            return status;
    }
    return PPS_OK;
}

static enum pps_status read_all(struct pps_page_rows *rows, size_t most, struct pps_error *err)
{
    const struct pps_cell *cells;
    for (;;) {
        enum pps_status status = pps_view_next(&rows->view, &cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
        status = rows->total < most ? set_row(rows, (size_t)rows->total, cells, err)
                                    : count_labels(rows, cells, err);
        if (status != PPS_OK)
            return status;
        rows->total++;
    }
}

// ---- the best rows of many --------------------------------------------------------------------

static bool is_kept(const struct pps_page_rows *rows, int c)
{
    for (int i = 0; i < rows->n_over; i++)
        if (rows->over[i] == c)
            return false;
    return pps_page_rows_is_param(rows, c);
}

// Combinations of the kept parameters; HUGE_VAL after all were dropped.
static double combinations(const struct pps_page_rows *rows)
{
    double n = 1;
    for (int c = 0; c < rows->view.n_columns; c++)
        if (is_kept(rows, c))
            n *= rows->columns[c].labels.n;
    return n;
}

static bool is_work(const struct pps_page_rows *rows, int c)
{
    for (int i = 0; i < rows->work.n_by; i++)
        if (rows->work.by[i] == c)
            return true;
    return false;
}

// Whether a column is on an axis of the kernel's map.
static bool is_on_map(const struct pps_page_rows *rows, int c)
{
    const struct pps_kernel *kernel = rows->view.kernel;
    const char *name = rows->view.columns[c].name;
    return kernel != NULL &&
           ((kernel->heatmap.x != NULL && strcmp(kernel->heatmap.x, name) == 0) ||
            (kernel->heatmap.y != NULL && strcmp(kernel->heatmap.y, name) == 0));
}

// Drops the parameter with the most values, those of the kernel's map last; parameters that change the
// amount of work stay.
static bool drop_one(struct pps_page_rows *rows)
{
    int drop = -1;
    for (int c = 0; c < rows->view.n_columns; c++) {
        if (!is_kept(rows, c) || is_work(rows, c) || rows->columns[c].labels.n <= 1)
            continue;
        const bool more = drop >= 0 && rows->columns[c].labels.n > rows->columns[drop].labels.n;
        if (drop < 0 || is_on_map(rows, c) < is_on_map(rows, drop) ||
            (more && is_on_map(rows, c) == is_on_map(rows, drop)))
            drop = c;
    }
    if (drop >= 0)
        rows->over[rows->n_over++] = drop;
    return drop >= 0;
}

// The combination of the kept parameters in a row, as a key without NUL.
static enum pps_status find_combination(const struct pps_page_rows *rows,
                                        const struct pps_cell *cells, struct text_buffer *key,
                                        struct pps_string_pool *keys, uint32_t *id,
                                        struct pps_error *err)
{
    text_buffer_clear(key);
    text_buffer_add_bytes(key, ":", 1);
    for (int c = 0; c < rows->view.n_columns; c++)
        if (is_kept(rows, c)) {
            text_buffer_add_bytes(key, cells[c].text, cells[c].n);
            text_buffer_add_bytes(key, ",", 1);
        }
    if (key->failed)
        return pps_fail_memory(err, "the rows of the page");
    return pps_string_pool_add(keys, key->text, key->n, id, err);
}

// Counts a row for the combination that it belongs to.
static enum pps_status count_row(struct pps_page_rows *rows, size_t combination, double value,
                                 bool new, struct pps_error *err)
{
    double *counts =
        pps_grow(rows->stands_for, &rows->stands_for_room, combination + 1, sizeof *counts);
    rows->stands_for = counts != NULL ? counts : rows->stands_for;
    double *sums = pps_grow(rows->sum, &rows->sum_room, combination + 1, sizeof *sums);
    rows->sum = sums != NULL ? sums : rows->sum;
    if (counts == NULL || sums == NULL)
        return pps_fail_memory(err, "the rows of the page");
    if (new)
        counts[combination] = sums[combination] = 0;
    if (!isnan(value)) {
        counts[combination]++;
        sums[combination] += value;
    }
    return PPS_OK;
}

// Adds a row to the combination `id`. Row n of the columns is room for the row in work.
static enum pps_status keep_better(struct pps_page_rows *rows, size_t id,
                                   const struct pps_cell *cells, struct pps_error *err)
{
    const size_t last = rows->n;
    enum pps_status status = set_row(rows, last, cells, err);
    if (status != PPS_OK)
        return status;
    if (id == last)
        rows->n++;
    else if (pps_page_rows_better(rows, last, id))
        status = set_row(rows, id, cells, err);
    const double value = rows->columns[rows->objective].numbers[last];
    return status == PPS_OK ? count_row(rows, id, value, id == last, err) : status;
}

// Keeps the best row of every combination.
static enum pps_status read_best(struct pps_page_rows *rows, struct pps_string_pool *keys,
                                 struct pps_error *err)
{
    struct text_buffer key = {.text = NULL};
    const struct pps_cell *cells;
    enum pps_status status;
    do {
        uint32_t id;
        status = pps_view_next(&rows->view, &cells, err);
        if (status == PPS_OK && cells != NULL)
            status = find_combination(rows, cells, &key, keys, &id, err);
        if (status == PPS_OK && cells != NULL)
            status = keep_better(rows, id, cells, err);
    } while (status == PPS_OK && cells != NULL);
    text_buffer_free(&key);
    return status;
}

static void forget_rows(struct pps_page_rows *rows)
{
    for (int c = 0; c < rows->view.n_columns; c++) {
        const bool numeric = rows->columns[c].numeric;
        pps_page_column_free(&rows->columns[c]);
        rows->columns[c].numeric = numeric;
    }
}

static enum pps_status reduce(struct pps_page_rows *rows, const struct pps_page_rows_ask *ask,
                              struct pps_error *err)
{
    struct pps_string_pool keys = {.text = NULL};
    if (strcmp(ask->view.path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "stdin has %" PRIu64
                        " rows, more than the %zu that a page holds; write "
                        "them to a file, or select rows with filters",
                        rows->total, ask->most);
    while (combinations(rows) > (double)ask->most)
        if (!drop_one(rows))
            return pps_fail(err, PPS_E_INPUT,
                            "%s: %" PRIu64 " rows are more than the %zu that a page holds; "
                            "select rows with filters",
                            ask->view.path, rows->total, ask->most);
    forget_rows(rows);
    struct pps_view again;
    enum pps_status status = pps_view_open(&again, &ask->view, err);
    if (status != PPS_OK)
        return status;
    pps_view_close(&rows->view);
    rows->view = again;
    status = read_best(rows, &keys, err);
    pps_string_pool_free(&keys);
    return status;
}

// ---- opening ----------------------------------------------------------------------------------

static enum pps_status read_rows(struct pps_page_rows *rows,
                                 const struct pps_page_rows_ask *ask, struct pps_error *err)
{
    enum pps_status status = open_columns(rows, ask, err);
    if (status == PPS_OK)
        status = read_all(rows, ask->most, err);
    if (status == PPS_OK && rows->total == 0)
        status = pps_fail(err, PPS_E_INPUT,
                          ask->view.n_filters > 0 ? "%s: no row passes the filters"
                                                  : "%s: the result has no rows",
                          ask->view.path);
    rows->n = (size_t)rows->total;
    if (status == PPS_OK && rows->total > ask->most) {
        rows->n = 0;
        status = reduce(rows, ask, err);
    }
    for (int c = 0; c < rows->view.n_columns && status == PPS_OK; c++)
        status = simplify(&rows->columns[c], rows->n, err);
    return status;
}

enum pps_status pps_page_rows_open(struct pps_page_rows *rows,
                                   const struct pps_page_rows_ask *ask, struct pps_error *err)
{
    *rows = (struct pps_page_rows){.n = 0};
    enum pps_status status = pps_view_open(&rows->view, &ask->view, err);
    if (status == PPS_OK)
        status = read_rows(rows, ask, err);
    if (status != PPS_OK)
        pps_page_rows_close(rows);
    return status;
}

void pps_page_rows_close(struct pps_page_rows *rows)
{
    for (int c = 0; rows->columns != NULL && c < rows->view.n_columns; c++)
        pps_page_column_free(&rows->columns[c]);
    free(rows->columns);
    free(rows->over);
    free(rows->at);
    free(rows->stands_for);
    free(rows->sum);
    pps_grouping_close(&rows->work);
    pps_view_close(&rows->view);
    *rows = (struct pps_page_rows){.n = 0};
}
