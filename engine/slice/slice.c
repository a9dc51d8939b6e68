// SPDX-License-Identifier: Apache-2.0
// Reads a result into the cells of its maps.
#include "engine/slice/slice.h"

#include "base/text/grow_list.h"
#include "engine/slice/marks.h"
#include "engine/slice/slice_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- which map ------------------------------------------------------------------------------

struct key {
    char *text;
    size_t n, room;
};

// Joins the values of `by`. Without `split`, a number of the split column becomes "".
static bool make_key(const struct pps_slices *cut, const struct pps_cell *cells, bool split,
                     struct key *key)
{
    double number;
    key->n = 0;
    for (int i = 0; i < cut->n_by; i++) {
        struct pps_cell cell = cells[cut->by[i]];
        if (i == cut->split && !split && pps_cell_number(cell, &number))
            cell.n = 0;
        char *text = pps_grow(key->text, &key->room, key->n + cell.n + 2, 1);
        if (text == NULL)
            return false;
        key->text = text;
        memcpy(key->text + key->n, cell.text, cell.n);
        key->n += cell.n;
        key->text[key->n++] = PPS_SLICE_SEPARATOR;
    }
    return true;
}

static enum pps_status add_key(struct pps_string_pool *names, const struct pps_slices *cut,
                               const struct pps_cell *cells, bool split, struct key *key,
                               uint32_t *id, struct pps_error *err)
{
    if (!make_key(cut, cells, split, key))
        return pps_fail_memory(err, "the result");
    return pps_string_pool_add(names, key->n == 0 ? "" : key->text, key->n, id, err);
}

static bool remember_split_key(struct pps_slices *cut, uint32_t split_key, uint32_t key)
{
    uint32_t *list = pps_grow(cut->key_of_split_key, &cut->split_keys_room,
                              (size_t)split_key + 1, sizeof *list);
    if (list == NULL)
        return false;
    cut->key_of_split_key = list;
    cut->key_of_split_key[split_key] = key;
    return true;
}

// Finds the map of a row; *wanted is false if max_maps skips the map.
static enum pps_status find_map(struct pps_slices *cut, const struct pps_cell *cells,
                                struct key *key, uint32_t *map, bool *wanted,
                                struct pps_error *err)
{
    uint32_t shared;
    enum pps_status status = add_key(&cut->keys, cut, cells, false, key, &shared, err);
    *map = shared;
    *wanted = cut->max_maps == 0 || shared < cut->max_maps;
    if (status != PPS_OK || !*wanted || cut->split < 0 || cut->reduce != PPS_REDUCE_NONE)
        return status;
    status = add_key(&cut->split_keys, cut, cells, true, key, map, err);
    if (status == PPS_OK && !remember_split_key(cut, *map, shared))
        status = pps_fail_memory(err, "the result");
    return status;
}

// ---- which cell -----------------------------------------------------------------------------

static uint32_t hash_cell(const struct pps_slice_cell *cell)
{
    uint64_t hash = cell->map * 0x9E3779B97F4A7C15u + cell->x;
    hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u + cell->y;
    hash = (hash ^ (hash >> 32)) * 0x94D049BB133111EBu;
    return (uint32_t)(hash ^ (hash >> 29));
}

// Returns the index of the cell, or n_cells for a new cell.
static size_t find_cell(const struct pps_slices *cut, const struct pps_slice_cell *cell,
                        uint32_t hash)
{
    for (size_t at = pps_hash_first(&cut->slots, hash); at != PPS_HASH_NONE;
         at = pps_hash_next(&cut->slots, hash, at)) {
        const size_t i = pps_hash_index(&cut->slots, at);
        const struct pps_slice_cell *known = &cut->cells[i];
        if (known->map == cell->map && known->x == cell->x && known->y == cell->y)
            return i;
    }
    return cut->n_cells;
}

static enum pps_status new_cell(struct pps_slices *cut, const struct pps_slice_cell *cell,
                                uint32_t hash, struct pps_error *err)
{
    if (cut->n_cells == PPS_MAX_CELLS)
        return pps_fail(err, PPS_E_INPUT,
                        "more than %d cells in all maps; keep fewer rows, as n=8 after the "
                        "result's name",
                        PPS_MAX_CELLS);
    struct pps_slice_cell *cells =
        pps_grow(cut->cells, &cut->cells_room, cut->n_cells + 1, sizeof *cells);
    if (cells != NULL)
        cut->cells = cells;
    if (cells == NULL || !pps_hash_add(&cut->slots, hash, cut->n_cells))
        return pps_fail_memory(err, "the result");
    cells[cut->n_cells++] = *cell;
    return PPS_OK;
}

static void combine(enum pps_reduce reduce, struct pps_slice_cell *cell, double value)
{
    if (isnan(value))
        return;
    const bool first = cell->n_rows == 0;
    cell->n_rows += cell->n_rows < UINT32_MAX;
    if (first || reduce == PPS_REDUCE_LAST)
        cell->value = value;
    else if (reduce == PPS_REDUCE_MIN)
        cell->value = fmin(cell->value, value);
    else if (reduce == PPS_REDUCE_MAX)
        cell->value = fmax(cell->value, value);
    else if (reduce == PPS_REDUCE_MEAN)
        cell->value += (value - cell->value) / cell->n_rows;
}

static bool is_split(const struct pps_slices *cut, int column)
{
    const struct pps_kernel *kernel = cut->view.kernel;
    return kernel != NULL && kernel->heatmap.split != NULL &&
           strcmp(kernel->heatmap.split, cut->view.columns[column].name) == 0;
}

// Lists parameters that changed and that are neither axes nor part of a map's key.
static void list_culprits(const struct pps_slices *cut, char *out, size_t cap)
{
    out[0] = '\0';
    for (int i = 0; i < cut->view.n_columns; i++) {
        bool known = !pps_slice_tells_apart(cut, i) || !cut->constants.list[i].varied ||
                     is_split(cut, i);
        for (int b = 0; b < cut->n_by; b++)
            known = known || cut->by[b] == i;
        const size_t n = strlen(out);
        if (!known && n + 1 < cap)
            snprintf(out + n, cap - n, "%s%s", n == 0 ? "" : ",", cut->view.columns[i].name);
    }
}

static enum pps_status collision(const struct pps_slices *cut,
                                 const struct pps_slice_cell *known,
                                 const struct pps_slice_cell *cell, struct pps_error *err)
{
    char names[256];
    list_culprits(cut, names, sizeof names);
    const struct pps_view_column *columns = cut->view.columns;
    return pps_fail(
        err, PPS_E_INPUT,
        "rows %llu and %llu of %s fall in one cell (%s %s, %s %s) of one map; "
        "%s%s%ssay how to combine rows, as --reduce min",
        (unsigned long long)known->row, (unsigned long long)cell->row, cut->view.path,
        columns[cut->x].name, pps_string_pool_text(&cut->x_axis.names, cell->x),
        columns[cut->y].name, pps_string_pool_text(&cut->y_axis.names, cell->y),
        names[0] == '\0' ? "" : "add ", names, names[0] == '\0' ? "" : " to --by, or ");
}

// Adds the row's combination of parameters to its cell. A mean counts only rows with a value.
static bool cover(struct pps_slices *cut, size_t i, bool is_new, double value,
                  const struct pps_cell *row)
{
    const bool is_mean = cut->reduce == PPS_REDUCE_MEAN;
    const bool first = is_mean ? cut->cells[i].n_rows == 0 : is_new;
    if (cut->reduce == PPS_REDUCE_NONE || (is_mean && isnan(value)))
        return true;
    return pps_covered_add(&cut->covered, i, first, row, &cut->cells[i].cover);
}

static enum pps_status add_to_cell(struct pps_slices *cut, struct pps_slice_cell *cell,
                                   double value, const struct pps_cell *row,
                                   struct pps_error *err)
{
    const uint32_t hash = hash_cell(cell);
    const size_t i = find_cell(cut, cell, hash);
    const bool is_new = i == cut->n_cells;
    enum pps_status status = PPS_OK;
    if (is_new)
        status = new_cell(cut, cell, hash, err);
    else if (cut->reduce == PPS_REDUCE_NONE)
        status = collision(cut, &cut->cells[i], cell, err);
    if (status == PPS_OK && !cover(cut, i, is_new, value, row))
        status = pps_fail_memory(err, "the result");
    if (status == PPS_OK)
        combine(cut->reduce, &cut->cells[i], value);
    return status;
}

// ---- reading --------------------------------------------------------------------------------

static enum pps_status add_row(struct pps_slices *cut, const struct pps_cell *cells,
                               struct key *key, struct pps_error *err)
{
    struct pps_slice_cell cell = {.value = (double)NAN,
                                  .row = pps_result_row(cut->view.result)};
    const struct pps_cell x = cells[cut->x], y = cells[cut->y];
    bool wanted;
    double value;
    enum pps_status status = pps_constant_columns_note(&cut->constants, cells, err);
    if (status == PPS_OK)
        status = find_map(cut, cells, key, &cell.map, &wanted, err);
    if (status != PPS_OK || !wanted)
        return status;
    if (!pps_cell_number(cells[cut->value], &value))
        value = (double)NAN;
    pps_slice_note_weights(cut, cells);
    status = pps_string_pool_add(&cut->x_axis.names, x.text, x.n, &cell.x, err);
    if (status == PPS_OK)
        status = pps_string_pool_add(&cut->y_axis.names, y.text, y.n, &cell.y, err);
    if (status == PPS_OK)
        status = add_to_cell(cut, &cell, value, cells, err);
    return status;
}

static enum pps_status read_rows(struct pps_slices *cut, struct pps_error *err)
{
    struct key key = {0};
    enum pps_status status;
    for (;;) {
        const struct pps_cell *cells;
        status = pps_view_next(&cut->view, &cells, err);
        if (status != PPS_OK || cells == NULL)
            break;
        status = add_row(cut, cells, &key, err);
        if (status != PPS_OK)
            break;
    }
    free(key.text);
    return status;
}

// Selects the parameters in which rows of one cell may differ: neither axes nor part of a map's
// key.
static bool open_covered(struct pps_slices *cut)
{
    int *columns = calloc((size_t)cut->view.n_columns + 1, sizeof *columns);
    int n = 0, split = -1;
    for (int i = 0; columns != NULL && i < cut->view.n_columns; i++) {
        bool free = pps_slice_tells_apart(cut, i);
        for (int b = 0; b < cut->n_by; b++)
            free = free && cut->by[b] != i;
        if (free && is_split(cut, i))
            split = n;
        if (free)
            columns[n++] = i;
    }
    return columns != NULL && pps_covered_open(&cut->covered, columns, n, split);
}

static enum pps_status cut_result(struct pps_slices *cut, const struct pps_slice_ask *ask,
                                  struct pps_error *err)
{
    cut->max_maps = ask->max_maps;
    cut->allow_partial = ask->allow_partial;
    cut->scale = ask->scale;
    enum pps_status status = pps_view_open(&cut->view, &ask->view, err);
    if (status == PPS_OK)
        status = pps_slice_columns(cut, ask, err);
    if (status != PPS_OK)
        return status;
    if (cut->reduce != PPS_REDUCE_NONE && !open_covered(cut))
        return pps_fail_memory(err, "the result");
    status = pps_constant_columns_open(&cut->constants, cut->view.n_columns, err);
    if (status == PPS_OK)
        status = read_rows(cut, err);
    if (status == PPS_OK && cut->n_cells == 0)
        status = pps_fail(err, PPS_E_INPUT, "%s: no row%s: nothing to show", cut->view.path,
                          cut->view.n_filters > 0 ? " passes the filters" : "");
    if (status == PPS_OK)
        status = pps_slice_finish(cut, err);
    if (status == PPS_OK && cut->reduce == PPS_REDUCE_MEAN && !cut->allow_partial)
        status = pps_slice_check_mean(cut, err);
    return status;
}

enum pps_status pps_slices_open(struct pps_slices **out, const struct pps_slice_ask *ask,
                                struct pps_error *err)
{
    *out = NULL;
    struct pps_slices *cut = calloc(1, sizeof *cut);
    if (cut == NULL)
        return pps_fail_memory(err, "the result");
    const enum pps_status status = cut_result(cut, ask, err);
    if (status == PPS_OK)
        *out = cut;
    else
        pps_slices_close(cut);
    return status;
}

void pps_slices_close(struct pps_slices *cut)
{
    if (cut == NULL)
        return;
    pps_constant_columns_close(&cut->constants);
    pps_covered_close(&cut->covered);
    pps_string_pool_free(&cut->x_axis.names);
    pps_string_pool_free(&cut->y_axis.names);
    pps_string_pool_free(&cut->keys);
    pps_string_pool_free(&cut->split_keys);
    free(cut->x_axis.sorted);
    free(cut->y_axis.sorted);
    free(cut->key_of_split_key);
    free(cut->by);
    free(cut->cells);
    pps_hash_free(&cut->slots);
    free(cut->first);
    free(cut->varies);
    free(cut->figure);
    pps_view_close(&cut->view);
    free(cut);
}
