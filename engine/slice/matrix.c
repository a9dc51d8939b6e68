// SPDX-License-Identifier: Apache-2.0
// Turns the cells of a result into matrices: sorts labels and maps, and fills one dense matrix
// per map.
#include "engine/slice/marks.h"
#include "engine/slice/slice_private.h"
#include "engine/slice/slice_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- labels ---------------------------------------------------------------------------------

struct label {
    const char *text;
    double number; // NAN: a name
    uint32_t id;
};

// Compares labels: numbers ascending, then names in order. The order is total, since ids
// differ.
static int compare_labels(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    const bool x_name = isnan(x->number), y_name = isnan(y->number);
    int order = x_name - y_name;
    if (order == 0 && x_name)
        order = strcmp(x->text, y->text);
    else if (order == 0)
        order = (x->number > y->number) - (x->number < y->number);
    return order != 0 ? order : x->id < y->id ? -1 : 1;
}

static struct label read_label(const struct pps_string_pool *names, uint32_t id)
{
    struct label label = {.text = pps_string_pool_text(names, id), .id = id};
    const struct pps_cell cell = {label.text, strlen(label.text)};
    if (!pps_cell_number(cell, &label.number))
        label.number = (double)NAN;
    return label;
}

// Fills axis->sorted; rank[id] is the position of label id.
static bool sort_axis(struct pps_slice_axis *axis, uint32_t *rank)
{
    const uint32_t n = axis->names.n;
    struct label *labels = calloc(n, sizeof *labels);
    axis->sorted = calloc(n, sizeof *axis->sorted);
    const bool good = labels != NULL && axis->sorted != NULL;
    for (uint32_t id = 0; good && id < n; id++)
        labels[id] = read_label(&axis->names, id);
    if (good)
        qsort(labels, n, sizeof *labels, compare_labels);
    for (uint32_t r = 0; good && r < n; r++) {
        axis->sorted[r] = labels[r].text;
        axis->n_numbers += isnan(labels[r].number) ? 0 : 1;
        rank[labels[r].id] = r;
    }
    free(labels);
    return good;
}

static bool sort_axes(struct pps_slices *cut)
{
    uint32_t *x_rank = calloc(cut->x_axis.names.n, sizeof *x_rank);
    uint32_t *y_rank = calloc(cut->y_axis.names.n, sizeof *y_rank);
    const bool good = x_rank != NULL && y_rank != NULL && sort_axis(&cut->x_axis, x_rank) &&
                      sort_axis(&cut->y_axis, y_rank);
    for (size_t i = 0; good && i < cut->n_cells; i++) {
        cut->cells[i].x = x_rank[cut->cells[i].x];
        cut->cells[i].y = y_rank[cut->cells[i].y];
    }
    free(x_rank);
    free(y_rank);
    return good;
}

// ---- maps -----------------------------------------------------------------------------------

static int compare_cells(const void *a, const void *b)
{
    const struct pps_slice_cell *p = a, *q = b;
    if (p->map != q->map)
        return p->map < q->map ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

static void sort_cells(struct pps_slices *cut)
{
    qsort(cut->cells, cut->n_cells, sizeof *cut->cells, compare_cells);
}

// Returns whether no two cells of the current maps share a place. The cells must be sorted.
static bool places_differ(const struct pps_slices *cut)
{
    for (size_t i = 1; i < cut->n_cells; i++)
        if (compare_cells(&cut->cells[i - 1], &cut->cells[i]) == 0)
            return false;
    return true;
}

// Merges the maps of the split column's numbers if no two of them share a cell.
static bool join_maps(struct pps_slices *cut)
{
    uint32_t *split_maps = calloc(cut->n_cells, sizeof *split_maps);
    if (split_maps == NULL)
        return false;
    // n_rows is no longer needed; it finds a cell's old map after the sort.
    for (size_t i = 0; i < cut->n_cells; i++) {
        split_maps[i] = cut->cells[i].map;
        cut->cells[i].map = cut->key_of_split_key[split_maps[i]];
        cut->cells[i].n_rows = (uint32_t)i;
    }
    sort_cells(cut);
    cut->separate = !places_differ(cut);
    for (size_t i = 0; i < cut->n_cells && cut->separate; i++)
        cut->cells[i].map = split_maps[cut->cells[i].n_rows];
    free(split_maps);
    if (cut->separate)
        sort_cells(cut);
    return true;
}

static enum pps_status find_first_cells(struct pps_slices *cut, struct pps_error *err)
{
    const struct pps_string_pool *keys = pps_slices_keys(cut);
    cut->n_maps = keys->n;
    if (!cut->separate && cut->max_maps > 0 && cut->n_maps > cut->max_maps)
        cut->n_maps = cut->max_maps;
    cut->n_left_out =
        cut->max_maps > 0 && cut->keys.n > cut->max_maps ? cut->keys.n - cut->max_maps : 0;
    cut->first = calloc(cut->n_maps + 1, sizeof *cut->first);
    if (cut->first == NULL)
        return pps_fail_memory(err, "the result");
    for (size_t i = 0; i < cut->n_cells; i++)
        cut->first[cut->cells[i].map + 1] = i + 1;
    return PPS_OK;
}

// Counts the combinations that cells cover, and finds the range of all values.
static void finish_cells(struct pps_slices *cut)
{
    cut->min = cut->max = (double)NAN;
    pps_covered_finish(&cut->covered, cut->n_cells);
    for (size_t i = 0; i < cut->n_cells; i++) {
        struct pps_slice_cell *cell = &cut->cells[i];
        cut->min = fmin(cut->min, cell->value);
        cut->max = fmax(cut->max, cell->value);
        if (cut->reduce != PPS_REDUCE_NONE && cell->cover != 0)
            cell->cover = pps_covered_id(&cut->covered, i, cell->cover);
    }
}

// A logarithmic scale needs positive values.
static enum pps_status check_scale(const struct pps_slices *cut, struct pps_error *err)
{
    if (cut->scale.kind != PPS_SCALE_LOG || !(cut->min <= 0))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--log: %s has values of 0 or less (%g)",
                    cut->view.columns[cut->value].name, cut->min);
}

enum pps_status pps_slice_finish(struct pps_slices *cut, struct pps_error *err)
{
    pps_hash_free(&cut->slots);
    finish_cells(cut);
    bool good = sort_axes(cut);
    if (good && cut->split >= 0 && cut->reduce == PPS_REDUCE_NONE)
        good = join_maps(cut);
    else if (good)
        sort_cells(cut);
    enum pps_status status =
        good ? find_first_cells(cut, err) : pps_fail_memory(err, "the result");
    if (status == PPS_OK && (!pps_slice_find_figures(cut) || !pps_slice_choose_names(cut)))
        status = pps_fail_memory(err, "the result");
    return status == PPS_OK ? check_scale(cut, err) : status;
}

size_t pps_slices_maps(const struct pps_slices *cut)
{
    return cut->n_maps;
}

bool pps_slices_has_points_only(const struct pps_slices *cut)
{
    return cut->n_maps > 1 && cut->n_cells == cut->n_maps;
}

size_t pps_slices_left_out(const struct pps_slices *cut, bool *at_least)
{
    *at_least = cut->separate && cut->n_left_out > 0;
    return cut->n_left_out;
}

// ---- one map --------------------------------------------------------------------------------

// Selects the labels of the axis that occur, or all; place[rank] is their index in the selection.
static bool pick_labels(const struct pps_slice_axis *axis, struct pps_slice_span span,
                        bool is_y, bool all, uint32_t *place, const char ***labels, size_t *n,
                        size_t *n_numbers)
{
    for (size_t i = 0; i < span.n; i++)
        place[is_y ? span.cells[i].y : span.cells[i].x] = 1;
    for (uint32_t rank = 0; rank < axis->names.n && all; rank++)
        place[rank] = 1;
    *labels = calloc(axis->names.n, sizeof **labels);
    if (*labels == NULL)
        return false;
    for (uint32_t rank = 0; rank < axis->names.n; rank++) {
        if (place[rank] == 0)
            continue;
        place[rank] = (uint32_t)*n;
        (*labels)[(*n)++] = axis->sorted[rank];
        *n_numbers += rank < axis->n_numbers ? 1 : 0;
    }
    return true;
}

static bool better(const struct pps_slice *slice, double value, double than)
{
    return slice->goal == PPS_HIGHER ? value > than : value < than;
}

// Sets one value per cell, and finds the best value.
static void fill_matrix(struct pps_slice *slice, struct pps_slice_span span,
                        const uint32_t *x_place, const uint32_t *y_place)
{
    double best = 0;
    uint64_t best_row = 0;
    for (size_t i = 0; i < span.n; i++) {
        const struct pps_slice_cell *cell = &span.cells[i];
        const size_t x = x_place[cell->x], y = y_place[cell->y];
        slice->cells[y * slice->n_x + x] = cell->value;
        if (isnan(cell->value)) {
            slice->valueless[slice->n_valueless++] = y * slice->n_x + x;
            continue;
        }
        const bool same = slice->has_best && cell->value == best;
        slice->n_best = same ? slice->n_best + 1 : slice->n_best;
        if (!slice->has_best || better(slice, cell->value, best))
            slice->n_best = 1;
        else if (!same || cell->row > best_row)
            continue;
        slice->has_best = true;
        slice->best_x = x;
        slice->best_y = y;
        best = slice->best_value = cell->value;
        best_row = cell->row;
    }
}

static enum pps_status make_matrix(const struct pps_slices *cut, struct pps_slice_span span,
                                   struct pps_slice *slice, uint32_t *x_place,
                                   uint32_t *y_place, struct pps_error *err)
{
    const bool all = cut->figure != NULL; // panels share their labels
    if (!pick_labels(&cut->x_axis, span, false, all, x_place, &slice->x, &slice->n_x,
                     &slice->n_x_numbers) ||
        !pick_labels(&cut->y_axis, span, true, all, y_place, &slice->y, &slice->n_y,
                     &slice->n_y_numbers))
        return pps_fail_memory(err, "the result");
    if (slice->n_x > PPS_MAX_CELLS / slice->n_y)
        return pps_fail(err, PPS_E_INPUT,
                        "a map of %zu x %zu values of %s and %s is too large; keep fewer rows, "
                        "as n=8 after the result's name",
                        slice->n_x, slice->n_y, slice->x_name, slice->y_name);
    const size_t n = slice->n_x * slice->n_y;
    slice->cells = malloc(n * sizeof *slice->cells);
    slice->valueless = malloc((span.n + 1) * sizeof *slice->valueless);
    if (slice->cells == NULL || slice->valueless == NULL)
        return pps_fail_memory(err, "the result");
    for (size_t i = 0; i < n; i++)
        slice->cells[i] = (double)NAN;
    fill_matrix(slice, span, x_place, y_place);
    if (!pps_slice_mark(cut, span, x_place, y_place, slice))
        return pps_fail_memory(err, "the result");
    return pps_slice_relate(cut, slice, err);
}

// Chooses the colour range of a slice: its own values, the values of all maps, or the requested
// range.
static void choose_range(const struct pps_slices *cut, struct pps_slice *slice)
{
    slice->scale = cut->scale;
    slice->range = cut->n_maps > 1 && !cut->scale.has_range ? "own scale" : "";
    if (cut->scale.has_range || !cut->scale.shared || isnan(cut->min))
        return;
    slice->scale.has_range = true; // of percentages: pps_slice_relate
    slice->scale.low = cut->min;
    slice->scale.high = cut->max;
    slice->range = cut->n_maps > 1 ? "shared scale" : "";
}

enum pps_status pps_slices_get(const struct pps_slices *cut, size_t i, struct pps_slice *slice,
                               struct pps_error *err)
{
    const struct pps_view_column *columns = cut->view.columns;
    const struct pps_slice_span span = pps_slice_span(cut, i);
    *slice = (struct pps_slice){
        .x_name = columns[cut->x].name,
        .y_name = columns[cut->y].name,
        .value_name = columns[cut->value].name,
        .unit = columns[cut->value].unit,
        .value = &columns[cut->value],
        .x_unit = columns[cut->x].unit,
        .y_unit = columns[cut->y].unit,
        .relative = "",
        .goal = columns[cut->value].goal,
        .reduce = cut->reduce,
        .partial = cut->view.partial,
    };
    choose_range(cut, slice);
    uint32_t *x_place = calloc(cut->x_axis.names.n, sizeof *x_place);
    uint32_t *y_place = calloc(cut->y_axis.names.n, sizeof *y_place);
    enum pps_status status = PPS_OK;
    if (x_place == NULL || y_place == NULL || !pps_slice_title(cut, i, slice))
        status = pps_fail_memory(err, "the result");
    if (status == PPS_OK)
        status = make_matrix(cut, span, slice, x_place, y_place, err);
    if (status == PPS_OK)
        pps_slice_describe(cut, i, slice);
    free(x_place);
    free(y_place);
    return status;
}

void pps_slice_free(struct pps_slice *slice)
{
    free(slice->title);
    free(slice->x);
    free(slice->y);
    free(slice->cells);
    free(slice->valueless);
    free(slice->hatched);
    free(slice->ties);
    *slice = (struct pps_slice){0};
}
