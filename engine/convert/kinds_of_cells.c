// SPDX-License-Identifier: Apache-2.0
// Reads a result once and notes which kinds fit every cell.
#include "engine/convert/kinds_of_cells.h"

#include <stdlib.h>
#include <string.h>

void pps_kinds_of_cells_free(struct pps_kinds_of_cells *kinds)
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

static enum pps_status read_rows(struct pps_kinds_of_cells *kinds,
                                 struct pps_view *view,
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

enum pps_status pps_kinds_of_cells_read(struct pps_kinds_of_cells *kinds,
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

enum pps_cell_kind pps_kinds_of_cells_kind(const struct pps_kinds_of_cells *kinds, int column)
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
