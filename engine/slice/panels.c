// SPDX-License-Identifier: Apache-2.0
// Groups maps into figures of several panels, and describes maps: the third weight, the legend of
// names, and values as percentages of the best one.
#include "engine/slice/slice_private.h"
#include "engine/slice/slice_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUM_SLACK 1e-6 // of weights that rows have as decimals

// ---- weights that add up to 1 -------------------------------------------------------------------

void pps_slice_note_weights(struct pps_slices *cut, const struct pps_cell *cells)
{
    if (cut->z < 0)
        return;
    const int columns[] = {cut->x, cut->y, cut->z};
    double sum = 0, number;
    int n = 0;
    bool named = true;
    for (int i = 0; i < 3; i++)
        if (pps_cell_number(cells[columns[i]], &number)) {
            sum += number;
            n++;
            named = i != 2;
        }
    cut->z_named = cut->z_named || named;
    cut->n_sums += n == 3;
    cut->other_sum = cut->other_sum || (n > 0 && fabs(sum - 1) > SUM_SLACK);
}

// The third column of the kernel's weights if x and y are the others.
static int third_weight(const struct pps_slices *cut)
{
    const struct pps_kernel *kernel = cut->view.kernel;
    if (kernel == NULL || kernel->heatmap.split == NULL)
        return -1;
    const char *names[] = {kernel->heatmap.x, kernel->heatmap.y, kernel->heatmap.split};
    int third = -1, n_axes = 0;
    for (int i = 0; i < 3; i++) {
        const int column = pps_result_find(cut->view.result, names[i]);
        const bool is_axis = column >= 0 && (column == cut->x || column == cut->y);
        n_axes += is_axis;
        if (!is_axis)
            third = column;
    }
    return n_axes == 2 ? third : -1;
}

// ---- panels -------------------------------------------------------------------------------------

static enum pps_status add_panel(struct pps_slices *cut, const char *option, const char *name,
                                 int *column, struct pps_error *err)
{
    *column = -1;
    if (name == NULL)
        return PPS_OK;
    enum pps_status status = pps_view_column(&cut->view, option, name, column, err);
    if (status != PPS_OK)
        return status;
    if (*column == cut->x || *column == cut->y || *column == cut->value ||
        (*column == cut->panel_row && column != &cut->panel_row))
        return pps_fail(err, PPS_E_INPUT, "%s %s: the picture shows this column already",
                        option, name);
    for (int b = 0; b < cut->n_by; b++)
        if (cut->by[b] == *column)
            return PPS_OK;
    int *by = realloc(cut->by, ((size_t)cut->n_by + 1) * sizeof *by);
    if (by == NULL)
        return pps_fail_memory(err, "the result");
    cut->by = by;
    cut->by[cut->n_by++] = *column;
    return PPS_OK;
}

enum pps_status pps_slice_panel_columns(struct pps_slices *cut, const struct pps_slice_ask *ask,
                                        struct pps_error *err)
{
    cut->z = third_weight(cut);
    cut->panel_row = cut->panel_column = -1;
    enum pps_status status = add_panel(cut, "--rows", ask->panel_rows, &cut->panel_row, err);
    if (status == PPS_OK)
        status = add_panel(cut, "--columns", ask->panel_columns, &cut->panel_column, err);
    return status;
}

static bool same_figure(const struct pps_slices *cut, size_t a, size_t b)
{
    for (int i = 0; i < cut->n_by; i++) {
        const bool panel = cut->by[i] == cut->panel_row || cut->by[i] == cut->panel_column;
        const struct pps_cell x = pps_slice_map_value(cut, a, i);
        const struct pps_cell y = pps_slice_map_value(cut, b, i);
        if (!panel && (x.n != y.n || memcmp(x.text, y.text, x.n) != 0))
            return false;
    }
    return true;
}

bool pps_slice_find_figures(struct pps_slices *cut)
{
    cut->n_figures = cut->n_maps;
    if (cut->panel_row < 0 && cut->panel_column < 0)
        return true;
    size_t *first = calloc(cut->n_maps + 1, sizeof *first);
    cut->figure = calloc(cut->n_maps + 1, sizeof *cut->figure);
    cut->n_figures = 0;
    for (size_t i = 0; i < cut->n_maps && first != NULL && cut->figure != NULL; i++) {
        size_t f = 0;
        while (f < cut->n_figures && !same_figure(cut, first[f], i))
            f++;
        if (f == cut->n_figures)
            first[cut->n_figures++] = i;
        cut->figure[i] = f;
    }
    free(first);
    return first != NULL && cut->figure != NULL;
}

size_t pps_slices_figures(const struct pps_slices *cut)
{
    return cut->n_figures;
}

size_t pps_slices_figure(const struct pps_slices *cut, size_t i)
{
    return cut->figure == NULL ? i : cut->figure[i];
}

// ---- one map ------------------------------------------------------------------------------------

// Returns whether the numbers of the third weight follow from the other two in this map.
static bool is_ternary(const struct pps_slices *cut, size_t map)
{
    if (cut->z < 0 || cut->n_sums == 0 || cut->other_sum)
        return false;
    for (int b = 0; b < cut->n_by; b++)
        if (cut->by[b] == cut->z)
            return pps_slice_map_value(cut, map, b).n == 0;
    return !cut->z_named;
}

// Adds the names among labels that are numbers, without those of the list.
static void add_names(const char **labels, size_t first, size_t n, char *list, size_t cap)
{
    for (size_t i = first; i < n; i++) {
        const size_t used = strlen(list);
        char word[32];
        snprintf(word, sizeof word, "%s, ", labels[i]);
        if (strstr(list, word) == NULL && used + strlen(word) < cap)
            snprintf(list + used, cap - used, "%s", word);
    }
}

static void make_legend(const struct pps_slices *cut, struct pps_slice *slice)
{
    const struct pps_kernel *kernel = cut->view.kernel;
    char names[48] = "";
    if (kernel == NULL || kernel->heatmap.names_mean == NULL || cut->z < 0)
        return;
    add_names(slice->x, slice->n_x_numbers, slice->n_x, names, sizeof names);
    add_names(slice->y, slice->n_y_numbers, slice->n_y, names, sizeof names);
    const size_t n = strlen(names);
    const bool one = strchr(names, ' ') == names + n - 1;
    if (n > 0)
        snprintf(slice->legend, sizeof slice->legend, "%.*s = %s%s", (int)n - 2, names,
                 kernel->heatmap.names_mean, one ? "" : ", in this order");
}

// Writes "n=8": the value of a panel's column in map i.
static void put_panel(const struct pps_slices *cut, size_t i, int column, char out[120])
{
    for (int b = 0; column >= 0 && b < cut->n_by; b++)
        if (cut->by[b] == column) {
            const struct pps_cell value = pps_slice_map_value(cut, i, b);
            snprintf(out, 120, "%s=%.*s", cut->view.columns[column].name, (int)value.n,
                     value.text);
        }
}

// The text of the kernel for a name; NULL: none.
static const char *text_of(const struct pps_slices *cut, const char *name)
{
    const struct pps_kernel *kernel = cut->view.kernel;
    const size_t n = name == NULL ? 0 : strlen(name);
    if (n == 0 || kernel == NULL || kernel->heatmap.texts == NULL)
        return NULL;
    for (const char *const *text = kernel->heatmap.texts; *text != NULL; text++)
        if (strncmp(*text, name, n) == 0 && (*text)[n] == '=')
            return *text + n + 1;
    return NULL;
}

void pps_slice_describe(const struct pps_slices *cut, size_t i, struct pps_slice *slice)
{
    slice->z_name = is_ternary(cut, i) ? cut->view.columns[cut->z].name : NULL;
    slice->x_text = text_of(cut, slice->x_name);
    slice->y_text = text_of(cut, slice->y_name);
    slice->z_text = text_of(cut, slice->z_name);
    slice->value_text = text_of(cut, slice->value_name);
    put_panel(cut, i, cut->panel_row, slice->panel_row);
    put_panel(cut, i, cut->panel_column, slice->panel_column);
    make_legend(cut, slice);
}

// ---- percentages --------------------------------------------------------------------------------

static double percent(double value, double best, enum pps_goal goal)
{
    return 100 * (goal == PPS_HIGHER ? 1 - value / best : value / best - 1);
}

enum pps_status pps_slice_relate(const struct pps_slices *cut, struct pps_slice *slice,
                                 struct pps_error *err)
{
    if (!cut->scale.relative || !slice->has_best)
        return PPS_OK;
    const bool all = cut->scale.shared && cut->n_maps > 1;
    const bool higher = slice->goal == PPS_HIGHER;
    const double best = !all ? slice->best_value : higher ? cut->max : cut->min;
    if (!(best > 0))
        return pps_fail(err, PPS_E_INPUT,
                        "--relative: the best %s is %g; percentages need a best value above 0",
                        slice->value_name, best);
    for (size_t i = 0; i < slice->n_x * slice->n_y; i++)
        slice->cells[i] = percent(slice->cells[i], best, slice->goal);
    if (cut->scale.shared) {
        slice->scale.low = 0;
        slice->scale.high = percent(higher ? cut->min : cut->max, best, slice->goal);
    }
    slice->unit = "%";
    slice->relative = higher ? (all ? "% below the best of all maps" : "% below the best")
                             : (all ? "% above the best of all maps" : "% above the best");
    return PPS_OK;
}
