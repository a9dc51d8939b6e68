// SPDX-License-Identifier: Apache-2.0
// Finds the cells of a column and numbers the different ones.
#include "base/columns/cell_columns.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    SOME_ROWS = 1024, // before this row it is not known whether cells repeat
    FEWEST_EQUAL = 2, // cells per code, on average, below which codes do not pay
};

void pps_cell_columns_free(struct pps_cell_columns *columns)
{
    free(columns->start);
    free(columns->end);
    free(columns->code);
    free(columns->first);
    pps_hash_free(&columns->slots);
    *columns = (struct pps_cell_columns){.text = NULL};
}

static bool make_room(struct pps_cell_columns *columns, size_t rows)
{
    if (rows <= columns->room)
        return true;
    pps_cell_columns_free(columns);
    columns->start = malloc(rows * sizeof *columns->start);
    columns->end = malloc(rows * sizeof *columns->end);
    columns->code = malloc(rows * sizeof *columns->code);
    columns->first = malloc(rows * sizeof *columns->first);
    columns->room = rows;
    return columns->start != NULL && columns->end != NULL && columns->code != NULL &&
           columns->first != NULL;
}

static size_t count_lines(const char *text, size_t n)
{
    size_t lines = 0;
    for (const char *at = text, *end = text + n; at < end; lines++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline != NULL ? newline + 1 : end;
    }
    return lines;
}

enum pps_status pps_cell_columns_begin(struct pps_cell_columns *columns, const char *text,
                                       size_t n, struct pps_error *err)
{
    const size_t rows = count_lines(text, n);
    if (!make_room(columns, rows + 1)) {
        pps_cell_columns_free(columns);
        return pps_fail_memory(err, "the columns of a block of rows");
    }
    columns->text = text;
    columns->n_rows = (uint32_t)rows;
    size_t at = 0;
    for (size_t row = 0; row < rows; row++) {
        columns->start[row] = columns->end[row] = (uint32_t)at;
        const char *newline = memchr(text + at, '\n', n - at);
        at = newline != NULL ? (size_t)(newline - text) + 1 : n;
    }
    columns->n_codes = UINT32_MAX; // no column yet
    return PPS_OK;
}

// Moves every row to its next cell. A cell ends at a comma or at the end of the line.
static void find_cells(struct pps_cell_columns *columns, bool is_first)
{
    const char *const text = columns->text;
    columns->n_empty = 0;
    for (uint32_t row = 0; row < columns->n_rows; row++) {
        uint32_t at = columns->end[row];
        if (!is_first && text[at] == ',')
            at++;
        columns->start[row] = at;
        while (text[at] != ',' && text[at] != '\n')
            at++;
        columns->end[row] = at;
        columns->n_empty += at == columns->start[row];
    }
}

static uint32_t length(const struct pps_cell_columns *columns, uint32_t row)
{
    return columns->end[row] - columns->start[row];
}

static bool same_cells(const struct pps_cell_columns *columns, uint32_t one, uint32_t other)
{
    const uint32_t n = length(columns, one);
    return n == length(columns, other) && memcmp(columns->text + columns->start[one],
                                                 columns->text + columns->start[other], n) == 0;
}

static bool find_code(const struct pps_cell_columns *columns, uint32_t row, uint32_t hash,
                      uint32_t *code)
{
    const struct pps_hash_slots *slots = &columns->slots;
    for (size_t at = pps_hash_first(slots, hash); at != PPS_HASH_NONE;
         at = pps_hash_next(slots, hash, at)) {
        *code = (uint32_t)pps_hash_index(slots, at);
        if (same_cells(columns, row, columns->first[*code]))
            return true;
    }
    return false;
}

// Sets the code of a cell that is not empty. Returns false if memory runs out.
static bool set_code(struct pps_cell_columns *columns, uint32_t row)
{
    const uint64_t hash =
        XXH3_64bits(columns->text + columns->start[row], length(columns, row));
    uint32_t code;
    if (!find_code(columns, row, (uint32_t)hash, &code)) {
        code = columns->n_codes++;
        columns->first[code] = row;
        if (!pps_hash_add(&columns->slots, (uint32_t)hash, code))
            return false;
    }
    columns->code[row] = code;
    return true;
}

static void forget_codes(struct pps_cell_columns *columns)
{
    columns->n_codes = 0;
    columns->slots.n = 0;
    if (columns->slots.n_slots > 0)
        memset(columns->slots.slots, 0, columns->slots.n_slots * sizeof *columns->slots.slots);
}

static bool code_pays(const struct pps_cell_columns *columns, uint32_t row)
{
    return row < SOME_ROWS || columns->n_codes <= row / FEWEST_EQUAL;
}

static bool find_codes(struct pps_cell_columns *columns)
{
    uint32_t before = PPS_NO_CODE; // the last row that is not empty
    forget_codes(columns);
    columns->coded = !columns->never_coded;
    for (uint32_t row = 0; row < columns->n_rows && columns->coded; row++) {
        columns->code[row] = PPS_NO_CODE;
        if (length(columns, row) == 0)
            continue;
        if (before != PPS_NO_CODE && same_cells(columns, row, before))
            columns->code[row] = columns->code[before];
        else if (!set_code(columns, row))
            return false;
        before = row;
        columns->coded = code_pays(columns, row);
    }
    return true;
}

enum pps_status pps_cell_columns_next(struct pps_cell_columns *columns, struct pps_error *err)
{
    find_cells(columns, columns->n_codes == UINT32_MAX);
    if (!find_codes(columns))
        return pps_fail_memory(err, "the different cells of a column");
    return PPS_OK;
}
