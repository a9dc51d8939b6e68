// SPDX-License-Identifier: Apache-2.0
// Reads the rows of one result of a comparison.
#include "engine/compare/side.h"

#include "base/text/decimal.h"
#include "base/text/grow_list.h"

#include <math.h>
#include <stdlib.h>

static bool make_room(struct pps_compare_side *side)
{
    const size_t n_keys = (size_t)side->n_keys + 1, n_values = (size_t)side->n_values;
    size_t room = side->room, same = side->room, also = side->room;
    uint32_t *codes = pps_grow(side->codes, &room, side->rows + 1, n_keys * sizeof *codes);
    if (codes == NULL)
        return false;
    side->codes = codes;
    double *numbers =
        pps_grow(side->numbers, &same, side->rows + 1, n_values * sizeof *numbers);
    if (numbers == NULL)
        return false;
    side->numbers = numbers;
    uint64_t *at = pps_grow(side->at, &also, side->rows + 1, sizeof *at);
    if (at == NULL)
        return false;
    side->at = at;
    side->room = room;
    return true;
}

static enum pps_status code_of(struct pps_string_pool *pool, struct pps_cell cell, bool real,
                               uint32_t *code, struct pps_error *err)
{
    char text[PPS_DECIMAL_CAP];
    double number;
    if (!pps_cell_number(cell, &number))
        return pps_string_pool_add(pool, cell.text, cell.n, code, err);
    return pps_string_pool_add(pool, text, pps_decimal_meant(text, number, real), code, err);
}

static enum pps_status add_row(struct pps_compare_side *side, struct pps_string_pool *pools,
                               const struct pps_cell *cells, struct pps_error *err)
{
    if (!make_room(side))
        return pps_fail_memory(err, "the rows of %s", side->view.path);
    uint32_t *codes = side->codes + side->rows * (size_t)side->n_keys;
    double *numbers = side->numbers + side->rows * (size_t)side->n_values;
    const bool done = pps_view_is_done(&side->view, cells);
    for (int k = 0; k < side->n_keys; k++) {
        const enum pps_status status =
            code_of(&pools[k], cells[side->keys[k].column], side->keys[k].real, &codes[k], err);
        if (status != PPS_OK)
            return status;
    }
    for (int v = 0; v < side->n_values; v++)
        if (!done || !pps_cell_number(cells[side->values[v].column], &numbers[v]))
            numbers[v] = (double)NAN;
    side->at[side->rows++] = pps_result_row(side->view.result);
    return PPS_OK;
}

enum pps_status pps_compare_side_read(struct pps_compare_side *side,
                                      struct pps_string_pool *pools, struct pps_error *err)
{
    const struct pps_cell *cells;
    for (;;) {
        enum pps_status status = pps_view_next(&side->view, &cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
        status = add_row(side, pools, cells, err);
        if (status != PPS_OK)
            return status;
    }
}

void pps_compare_side_close(struct pps_compare_side *side)
{
    pps_view_close(&side->view);
    free(side->codes);
    free(side->numbers);
    free(side->at);
    *side = (struct pps_compare_side){.rows = 0};
}
