// SPDX-License-Identifier: Apache-2.0
// Reads the rows of one result of a comparison.
#include "engine/compare/side.h"

#include "base/text/decimal.h"
#include "base/text/grow_list.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Longer numbers may have digits beyond the precision of a double.
enum { EXACT_CHARACTERS = 15 };

#define TEXT_BITS UINT64_C(0xfff8000000000000) // a NaN; no cell holds one

static bool make_room(struct pps_compare_side *side)
{
    const size_t n_keys = (size_t)side->n_keys + 1, n_values = (size_t)side->n_values;
    size_t room = side->room, same = side->room, also = side->room;
    uint64_t *cells = pps_grow(side->cells, &room, side->rows + 1, n_keys * sizeof *cells);
    if (cells == NULL)
        return false;
    side->cells = cells;
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

// Returns whether the cell is a whole number with more digits than its double: another one may have the same double.
static bool is_long_integer(struct pps_cell cell, double number)
{
    if (fabs(number) < 0x1p53 || cell.n <= EXACT_CHARACTERS)
        return false;
    for (size_t i = cell.text[0] == '-'; i < cell.n; i++)
        if (!isdigit((unsigned char)cell.text[i]))
            return false;
    return true;
}

// Returns the bits of the number that is meant: 0.30000000000000004 is 0.3.
static uint64_t bits_of(double number, size_t characters)
{
    char text[PPS_DECIMAL_CAP];
    uint64_t bits;
    if (characters > EXACT_CHARACTERS) {
        const struct pps_cell meant = {text, pps_decimal_meant(text, number, 0)};
        pps_cell_number(meant, &number);
    }
    number += 0.0; // avoids negative zero
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static enum pps_status read_cell(struct pps_string_pool *texts, struct pps_cell cell,
                                 uint64_t *bits, struct pps_error *err)
{
    double number;
    uint32_t text;
    if (pps_cell_number(cell, &number) && !is_long_integer(cell, number)) {
        *bits = bits_of(number, cell.n);
        return PPS_OK;
    }
    const enum pps_status status = pps_string_pool_add(texts, cell.text, cell.n, &text, err);
    *bits = TEXT_BITS | text;
    return status;
}

struct pps_cell pps_compare_cell(uint64_t bits, bool real, const struct pps_string_pool *texts,
                                 char *out)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    if (!isnan(number))
        return (struct pps_cell){out, pps_decimal_meant(out, number, real)};
    const char *text = pps_string_pool_text(texts, (uint32_t)bits);
    return (struct pps_cell){text, strlen(text)};
}

static enum pps_status add_row(struct pps_compare_side *side, struct pps_string_pool *texts,
                               const struct pps_cell *cells, struct pps_error *err)
{
    if (!make_room(side))
        return pps_fail_memory(err, "the rows of %s", side->view.path);
    uint64_t *bits = side->cells + side->rows * (size_t)side->n_keys;
    double *numbers = side->numbers + side->rows * (size_t)side->n_values;
    const bool done = pps_view_is_done(&side->view, cells);
    for (int k = 0; k < side->n_keys; k++) {
        const enum pps_status status =
            read_cell(texts, cells[side->keys[k].column], &bits[k], err);
        if (status != PPS_OK)
            return status;
    }
    for (int v = 0; v < side->n_values; v++)
        if (!done || !pps_cell_number(cells[side->values[v].column], &numbers[v]))
            numbers[v] = (double)NAN;
    side->at[side->rows++] = pps_result_row(side->view.result);
    return PPS_OK;
}

static void need_columns(struct pps_compare_side *side)
{
    uint64_t needed = pps_view_filtered(&side->view) | pps_column_bit(side->view.first);
    for (int k = 0; k < side->n_keys; k++)
        needed |= pps_column_bit(side->keys[k].column);
    for (int v = 0; v < side->n_values; v++)
        needed |= pps_column_bit(side->values[v].column);
    pps_result_need(side->view.result, needed);
}

enum pps_status pps_compare_side_read(struct pps_compare_side *side,
                                      struct pps_string_pool *texts, struct pps_error *err)
{
    const struct pps_cell *cells;
    need_columns(side);
    for (;;) {
        enum pps_status status = pps_view_next(&side->view, &cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
        status = add_row(side, texts, cells, err);
        if (status != PPS_OK)
            return status;
    }
}

void pps_compare_side_close(struct pps_compare_side *side)
{
    pps_view_close(&side->view);
    free(side->cells);
    free(side->numbers);
    free(side->at);
    *side = (struct pps_compare_side){.rows = 0};
}
