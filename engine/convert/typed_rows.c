// SPDX-License-Identifier: Apache-2.0
// Finds the kinds of columns, and splits the cells of mixed columns.
#include "engine/convert/typed_rows.h"

#include "base/columns/cell_kind.h"
#include "engine/experiment/experiment.h"
#include "engine/space/typed_columns.h"

#include <stdlib.h>
#include <string.h>

// The cells of a column of the view that a typed column has.
enum pps_typed_part { ALL_CELLS, NUMBERS, NAMES };

void pps_typed_rows_close(struct pps_typed_rows *rows)
{
    pps_view_close(&rows->view);
    pps_schema_free(&rows->schema);
    free(rows->from);
    free(rows->cells);
    *rows = (struct pps_typed_rows){.n_rows = 0};
}

// ---- kinds of cells -----------------------------------------------------------------------------

struct pps_kinds_of_cells {
    int n;              // columns of the view
    bool *possible;     // n x PPS_CELLS_KINDS
    bool *has_any_cell; // that is not empty
};

static void kinds_of_cells_free(struct pps_kinds_of_cells *kinds)
{
    free(kinds->possible);
    free(kinds->has_any_cell);
    *kinds = (struct pps_kinds_of_cells){.n = 0};
}

// A number with a decimal point or an exponent is real, even if it is whole.
static bool fits(enum pps_cell_kind kind, struct pps_cell cell)
{
    uint64_t value;
    if (kind == PPS_CELLS_INTEGER &&
        (memchr(cell.text, '.', cell.n) != NULL || memchr(cell.text, 'e', cell.n) != NULL ||
         memchr(cell.text, 'E', cell.n) != NULL))
        return false;
    return kind == PPS_CELLS_TEXT || pps_cell_value(kind, cell.text, cell.n, &value);
}

static void note_cell(struct pps_kinds_of_cells *kinds, int column, struct pps_cell cell)
{
    bool *possible = kinds->possible + (size_t)column * PPS_CELLS_KINDS;
    if (cell.n == 0)
        return;
    kinds->has_any_cell[column] = true;
    for (int kind = 0; kind < PPS_CELLS_TEXT; kind++)
        possible[kind] = possible[kind] && fits((enum pps_cell_kind)kind, cell);
}

static enum pps_status read_rows(struct pps_kinds_of_cells *kinds, struct pps_view *view,
                                 struct pps_error *err)
{
    const size_t n = (size_t)view->n_columns;
    kinds->n = view->n_columns;
    kinds->possible = malloc(n * PPS_CELLS_KINDS * sizeof *kinds->possible);
    kinds->has_any_cell = calloc(n, sizeof *kinds->has_any_cell);
    if (kinds->possible == NULL || kinds->has_any_cell == NULL)
        return pps_fail_memory(err, "the columns of %s", view->path);
    memset(kinds->possible, true, n * PPS_CELLS_KINDS * sizeof *kinds->possible);
    for (;;) {
        const struct pps_cell *cells;
        enum pps_status status = pps_view_next(view, &cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
        for (int c = 0; c < kinds->n; c++)
            note_cell(kinds, c, cells[c]);
    }
}

// Reads all rows. The caller calls kinds_of_cells_free in every case.
static enum pps_status kinds_of_cells_read(struct pps_kinds_of_cells *kinds,
                                           const struct pps_view_ask *ask,
                                           struct pps_error *err)
{
    struct pps_view view;
    *kinds = (struct pps_kinds_of_cells){.n = 0};
    enum pps_status status = pps_view_open(&view, ask, err);
    if (status != PPS_OK)
        return status;
    status = read_rows(kinds, &view, err);
    pps_view_close(&view);
    return status;
}

// Returns the narrowest kind that all cells of the column have: integer, real, boolean or text. A
// column without cells is real.
static enum pps_cell_kind kinds_of_cells_kind(const struct pps_kinds_of_cells *kinds,
                                              int column)
{
    static const enum pps_cell_kind order[] = {PPS_CELLS_INTEGER, PPS_CELLS_REAL,
                                               PPS_CELLS_BOOLEAN};
    const bool *possible = kinds->possible + (size_t)column * PPS_CELLS_KINDS;
    if (!kinds->has_any_cell[column])
        return PPS_CELLS_REAL;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (possible[order[i]])
            return order[i];
    return PPS_CELLS_TEXT;
}

// ---- columns ----------------------------------------------------------------------------------

// Returns whether the column of the view holds numbers and names.
static bool is_mixed(const struct pps_view *view, int column)
{
    char tier[256];
    const char *name = view->columns[column].name;
    const int n = snprintf(tier, sizeof tier, "%s" PPS_TIER_SUFFIX, name);
    return view->kernel != NULL && n > 0 && (size_t)n < sizeof tier &&
           pps_typed_find(view->kernel, tier, (size_t)n) >= 0 &&
           pps_result_find(view->result, tier) < 0;
}

static void add_column(struct pps_typed_rows *rows, struct text_buffer *line, int column,
                       enum pps_typed_part part, int *n)
{
    text_buffer_add(line, "%s%s%s", *n > 0 ? "," : "", rows->view.columns[column].name,
                    part == NAMES ? PPS_TIER_SUFFIX : "");
    rows->from[*n] = column;
    rows->cells[*n] = (uint8_t)part;
    (*n)++;
}

// Lists the typed columns of n columns of the view.
static enum pps_status list_columns(struct pps_typed_rows *rows, const int *columns, int n,
                                    struct pps_error *err)
{
    struct text_buffer line = {.text = NULL};
    int n_typed = 0;
    rows->from = calloc(2 * (size_t)n, sizeof *rows->from);
    rows->cells = calloc(2 * (size_t)n, sizeof *rows->cells);
    for (int c = 0; c < n && rows->from != NULL && rows->cells != NULL; c++) {
        const bool mixed = is_mixed(&rows->view, columns[c]);
        add_column(rows, &line, columns[c], mixed ? NUMBERS : ALL_CELLS, &n_typed);
        if (mixed)
            add_column(rows, &line, columns[c], NAMES, &n_typed);
    }
    text_buffer_add(&line, "\n");
    enum pps_status status = line.failed || rows->from == NULL || rows->cells == NULL
                                 ? pps_fail_memory(err, "the columns of %s", rows->view.path)
                                 : pps_schema_open(&rows->schema, line.text, line.n, err);
    text_buffer_free(&line);
    return status;
}

static enum pps_status choose_columns(struct pps_typed_rows *rows, const char *names,
                                      struct pps_error *err)
{
    int *columns = NULL, n = rows->view.n_columns;
    enum pps_status status = PPS_OK;
    if (names != NULL)
        status = pps_view_list(&rows->view, "--columns", names, &columns, &n, err);
    else
        columns = calloc((size_t)n, sizeof *columns);
    for (int c = 0; names == NULL && columns != NULL && c < n; c++)
        columns[c] = c;
    if (status == PPS_OK && columns == NULL)
        status = pps_fail_memory(err, "the columns of %s", rows->view.path);
    if (status == PPS_OK && n == 0)
        status = pps_fail(err, PPS_E_INPUT, "--columns: expected names of columns");
    if (status == PPS_OK)
        status = list_columns(rows, columns, n, err);
    free(columns);
    return status;
}

// ---- kinds ------------------------------------------------------------------------------------

// Sets the kind of a column that the kernel or the manifest declares.
static bool declared(const struct pps_typed_rows *rows, int c)
{
    const struct pps_view *view = &rows->view;
    const char *name = rows->schema.names[c];
    if (view->kernel != NULL && pps_column_cells(view->kernel, name, &rows->schema.kinds[c]))
        return true;
    if (rows->from[c] >= view->n_columns - view->n_derived) {
        rows->schema.kinds[c] = PPS_CELLS_REAL;
        return true;
    }
    rows->schema.kinds[c] = PPS_CELLS_TEXT;
    return strcmp(name, PPS_STATUS_COLUMN) == 0 || view->columns[rows->from[c]].is_text;
}

static enum pps_status find_kinds(struct pps_typed_rows *rows, const struct pps_view_ask *ask,
                                  struct pps_error *err)
{
    bool all = true;
    for (int c = 0; c < rows->schema.n; c++)
        all = declared(rows, c) && all;
    if (all)
        return PPS_OK;
    if (strcmp(ask->path, "-") == 0)
        return pps_fail(
            err, PPS_E_INPUT,
            "the kinds of the columns of stdin are unknown without all of its rows; "
            "name a file");
    struct pps_kinds_of_cells kinds;
    enum pps_status status = kinds_of_cells_read(&kinds, ask, err);
    for (int c = 0; c < rows->schema.n && status == PPS_OK; c++)
        if (!declared(rows, c))
            rows->schema.kinds[c] = kinds_of_cells_kind(&kinds, rows->from[c]);
    kinds_of_cells_free(&kinds);
    return status;
}

static void need_columns(struct pps_typed_rows *rows)
{
    uint64_t needed = pps_view_filtered(&rows->view);
    for (int c = 0; c < rows->schema.n; c++)
        needed |= pps_column_bit(rows->from[c]);
    pps_result_need(rows->view.result, needed);
}

enum pps_status pps_typed_rows_open(struct pps_typed_rows *rows, const struct pps_view_ask *ask,
                                    const char *columns, struct pps_error *err)
{
    *rows = (struct pps_typed_rows){.n_rows = 0};
    enum pps_status status = pps_view_open(&rows->view, ask, err);
    if (status != PPS_OK)
        return status;
    status = choose_columns(rows, columns, err);
    if (status == PPS_OK)
        status = find_kinds(rows, ask, err);
    if (status == PPS_OK)
        need_columns(rows);
    if (status != PPS_OK)
        pps_typed_rows_close(rows);
    return status;
}

// ---- rows -------------------------------------------------------------------------------------

static void add_cell(const struct pps_typed_rows *rows, int c, struct pps_cell cell,
                     struct text_buffer *block)
{
    double number;
    const enum pps_typed_part part = (enum pps_typed_part)rows->cells[c];
    const bool keep =
        part == ALL_CELLS || cell.n == 0 || pps_cell_number(cell, &number) == (part == NUMBERS);
    if (keep)
        text_buffer_add_bytes(block, cell.text, cell.n);
    text_buffer_add_bytes(block, c + 1 < rows->schema.n ? "," : "\n", 1);
}

enum pps_status pps_typed_rows_next(struct pps_typed_rows *rows, uint64_t most_rows,
                                    size_t most_bytes, struct text_buffer *block,
                                    struct pps_error *err)
{
    text_buffer_clear(block);
    for (uint64_t i = 0; i < most_rows && block->n < most_bytes; i++) {
        const struct pps_cell *cells;
        enum pps_status status = pps_view_next(&rows->view, &cells, err);
        if (status != PPS_OK)
            return status;
        if (cells == NULL)
            break;
        for (int c = 0; c < rows->schema.n; c++)
            add_cell(rows, c, cells[rows->from[c]], block);
        rows->n_rows++;
    }
    return block->failed ? pps_fail_memory(err, "the rows of %s", rows->view.path) : PPS_OK;
}
