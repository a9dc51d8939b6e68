// SPDX-License-Identifier: Apache-2.0
// Reads the values of a column.
#include "base/columns/typed_cells.h"

#include "base/text/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void pps_typed_cells_free(struct pps_typed_cells *typed)
{
    pps_cell_columns_free(&typed->cells);
    free(typed->values);
    *typed = (struct pps_typed_cells){.values = NULL};
}

enum pps_status pps_typed_cells_begin(struct pps_typed_cells *typed, const char *text, size_t n,
                                      struct pps_error *err)
{
    enum pps_status status = pps_cell_columns_begin(&typed->cells, text, n, err);
    if (status != PPS_OK || typed->cells.n_rows <= typed->room)
        return status;
    free(typed->values);
    typed->room = typed->cells.n_rows;
    typed->values = malloc(typed->room * sizeof *typed->values);
    if (typed->values != NULL)
        return PPS_OK;
    typed->room = 0;
    return pps_fail_memory(err, "the columns of a block of rows");
}

// Without codes the items are the rows that are not empty.
static void list_items(struct pps_typed_cells *typed)
{
    struct pps_cell_columns *cells = &typed->cells;
    typed->n_items = cells->n_codes;
    if (cells->coded)
        return;
    typed->n_items = 0;
    for (uint32_t row = 0; row < cells->n_rows; row++)
        if (cells->end[row] > cells->start[row])
            cells->first[typed->n_items++] = row;
}

static enum pps_status fail_cell(const struct pps_typed_cells *typed, uint32_t item,
                                 const char *name, uint64_t first_row, struct pps_error *err)
{
    static const char *const expected[PPS_CELLS_KINDS] = {"a whole number", "a finite number",
                                                          "true or false", "text"};
    char quoted[48];
    uint32_t n;
    const char *text = pps_typed_cells_text(typed, item, &n);
    return pps_fail(err, PPS_E_INPUT, "row %" PRIu64 ": %.60s: expected %s (got %s)",
                    first_row + typed->cells.first[item], name, expected[typed->kind],
                    number_text_quote(quoted, sizeof quoted, text, n));
}

enum pps_status pps_typed_cells_next(struct pps_typed_cells *typed, enum pps_cell_kind kind,
                                     const char *name, uint64_t first_row,
                                     struct pps_error *err)
{
    enum pps_status status = pps_cell_columns_next(&typed->cells, err);
    if (status != PPS_OK)
        return status;
    list_items(typed);
    typed->kind = kind;
    for (uint32_t i = 0; i < typed->n_items && kind != PPS_CELLS_TEXT; i++) {
        uint32_t n;
        const char *text = pps_typed_cells_text(typed, i, &n);
        if (!pps_cell_value(kind, text, n, &typed->values[i]))
            return fail_cell(typed, i, name, first_row, err);
    }
    return PPS_OK;
}

static bool all_fit(const struct pps_typed_cells *typed, struct pps_spelling spelling)
{
    for (uint32_t i = 0; i < typed->n_items; i++) {
        uint32_t n;
        const char *text = pps_typed_cells_text(typed, i, &n);
        const uint64_t value = typed->kind != PPS_CELLS_TEXT ? typed->values[i] : 0;
        if (!pps_spelling_fits(spelling, typed->kind, text, n, value))
            return false;
    }
    return true;
}

struct pps_spelling pps_typed_cells_spelling(const struct pps_typed_cells *typed)
{
    uint32_t n = 0;
    const char *text = typed->n_items > 0 ? pps_typed_cells_text(typed, 0, &n) : "";
    struct pps_spelling spelling = pps_spelling_first(typed->kind, text, n);
    while (!all_fit(typed, spelling))
        spelling = pps_spelling_next(spelling, typed->kind);
    return spelling;
}

static bool is_less(enum pps_cell_kind kind, uint64_t one, uint64_t other)
{
    double a, b;
    if (kind == PPS_CELLS_INTEGER)
        return (int64_t)one < (int64_t)other;
    memcpy(&a, &one, sizeof a);
    memcpy(&b, &other, sizeof b);
    return a < b;
}

bool pps_typed_cells_range(const struct pps_typed_cells *typed, uint64_t *least,
                           uint64_t *greatest)
{
    if (typed->n_items == 0 ||
        (typed->kind != PPS_CELLS_INTEGER && typed->kind != PPS_CELLS_REAL))
        return false;
    *least = *greatest = typed->values[0];
    for (uint32_t i = 1; i < typed->n_items; i++) {
        if (is_less(typed->kind, typed->values[i], *least))
            *least = typed->values[i];
        if (is_less(typed->kind, *greatest, typed->values[i]))
            *greatest = typed->values[i];
    }
    return true;
}
