// SPDX-License-Identifier: Apache-2.0
// Marks cells of a map: cells that share the best value, and cells whose rows cover other
// combinations of the other parameters than most cells.
#include "engine/slice/marks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the most common coverage -------------------------------------------------------------------

struct cover {
    uint64_t id;
    uint32_t n_rows;
};

struct common {
    uint64_t id;
    size_t n_with, n_cells; // cells with this coverage; cells with a value
};

static int compare_covers(const void *a, const void *b)
{
    const struct cover *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id ? 1 : -1)
                          : (x->n_rows > y->n_rows) - (x->n_rows < y->n_rows);
}

// Finds the coverage of most cells; of equally frequent ones, the coverage with more rows.
static void longest_run(const struct cover *covers, size_t n, struct common *common)
{
    uint32_t n_rows = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && covers[end].id == covers[i].id;)
            end++;
        const size_t length = end - i;
        if (length < common->n_with ||
            (length == common->n_with && covers[end - 1].n_rows <= n_rows))
            continue;
        common->id = covers[i].id;
        common->n_with = length;
        n_rows = covers[end - 1].n_rows;
    }
}

// Returns false if memory runs out.
static bool find_common(struct pps_slice_span span, struct common *common)
{
    struct cover *covers = malloc((span.n + 1) * sizeof *covers);
    *common = (struct common){0};
    if (covers == NULL)
        return false;
    for (size_t i = 0; i < span.n; i++)
        if (!isnan(span.cells[i].value))
            covers[common->n_cells++] =
                (struct cover){span.cells[i].cover, span.cells[i].n_rows};
    qsort(covers, common->n_cells, sizeof *covers, compare_covers);
    longest_run(covers, common->n_cells, common);
    free(covers);
    return true;
}

static bool is_other(const struct pps_slice_cell *cell, const struct common *common)
{
    return !isnan(cell->value) && cell->cover != common->id;
}

// Writes "n,sync_freq": the parameters whose values, or whose proportions of values, differ
// between cells. If none differs alone, all parameters that vary within cells.
static void combined_names(const struct pps_slices *cut, char *out, size_t cap)
{
    const bool *list = cut->covered.varies;
    for (int c = 0; c < cut->covered.n; c++)
        if (cut->covered.differs[c])
            list = cut->covered.differs;
    out[0] = '\0';
    for (int c = 0; c < cut->covered.n; c++) {
        const char *name = cut->view.columns[cut->covered.columns[c]].name;
        const size_t n = strlen(out);
        if (!list[c])
            continue;
        if (n + strlen(name) + 5 < cap)
            snprintf(out + n, cap - n, "%s%s", n == 0 ? "" : ",", name);
        else if (n + 5 < cap && out[n - 1] != '.')
            snprintf(out + n, cap - n, ",...");
    }
}

// ---- a mean over unequal rows -------------------------------------------------------------------

static const struct pps_slice_cell *find_cell(struct pps_slice_span span,
                                              const struct common *common, bool other)
{
    for (size_t i = 0; i < span.n; i++)
        if (!isnan(span.cells[i].value) && is_other(&span.cells[i], common) == other)
            return &span.cells[i];
    return NULL;
}

static enum pps_status fail_unequal(const struct pps_slices *cut, struct pps_slice_span span,
                                    const struct common *common, struct pps_error *err)
{
    const struct pps_slice_cell *one = find_cell(span, common, false);
    const struct pps_slice_cell *other = find_cell(span, common, true);
    const char *x = cut->view.columns[cut->x].name, *y = cut->view.columns[cut->y].name;
    char names[100];
    combined_names(cut, names, sizeof names);
    return pps_fail(err, PPS_E_INPUT,
                    "--reduce mean: the rows of %s=%s %s=%s and of %s=%s %s=%s cover different "
                    "combinations of %s; keep rows that every cell has (as n=8 after the "
                    "result's name), add columns to --by, or write --reduce min or "
                    "--allow-partial",
                    x, cut->x_axis.sorted[one->x], y, cut->y_axis.sorted[one->y], x,
                    cut->x_axis.sorted[other->x], y, cut->y_axis.sorted[other->y], names);
}

enum pps_status pps_slice_check_mean(const struct pps_slices *cut, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (size_t m = 0; m < cut->n_maps && status == PPS_OK; m++) {
        const struct pps_slice_span span = pps_slice_span(cut, m);
        struct common common;
        if (!find_common(span, &common))
            return pps_fail_memory(err, "the cells of the slices");
        if (common.n_with < common.n_cells)
            status = fail_unequal(cut, span, &common, err);
    }
    return status;
}

// ---- one map ------------------------------------------------------------------------------------

// If at least half of the cells have the same coverage, the other cells are marked; otherwise
// there is no common coverage to compare with.
static void mark_others(const struct pps_slices *cut, struct pps_slice_span span,
                        const uint32_t *x_place, const uint32_t *y_place,
                        const struct common *common, struct pps_slice *slice)
{
    const size_t n_others = common->n_cells - common->n_with;
    const bool marked = n_others <= common->n_with;
    char names[64];
    combined_names(cut, names, sizeof names);
    for (size_t i = 0; i < span.n && marked; i++)
        if (is_other(&span.cells[i], common))
            slice->hatched[slice->n_hatched++] =
                y_place[span.cells[i].y] * slice->n_x + x_place[span.cells[i].x];
    if (n_others > 0 && marked)
        snprintf(slice->uneven, sizeof slice->uneven,
                 "rows of %zu cell%s cover other combinations of %s than most", n_others,
                 n_others == 1 ? "" : "s", names);
    else if (n_others > 0 && cut->asked_reduce) // the kernel's default combines any rows
        snprintf(slice->uneven, sizeof slice->uneven,
                 "cells cover different combinations of %s", names);
}

static void mark_ties(struct pps_slice_span span, const uint32_t *x_place,
                      const uint32_t *y_place, struct pps_slice *slice)
{
    const double best = slice->cells[slice->best_y * slice->n_x + slice->best_x];
    for (size_t i = 0; i < span.n && slice->n_best > 1; i++)
        if (span.cells[i].value == best)
            slice->ties[slice->n_ties++] =
                y_place[span.cells[i].y] * slice->n_x + x_place[span.cells[i].x];
}

bool pps_slice_mark(const struct pps_slices *cut, struct pps_slice_span span,
                    const uint32_t *x_place, const uint32_t *y_place, struct pps_slice *slice)
{
    struct common common = {0};
    slice->hatched = malloc((span.n + 1) * sizeof *slice->hatched);
    slice->ties = malloc((span.n + 1) * sizeof *slice->ties);
    if (slice->hatched == NULL || slice->ties == NULL ||
        (cut->reduce != PPS_REDUCE_NONE && !find_common(span, &common)))
        return false;
    if (slice->has_best)
        mark_ties(span, x_place, y_place, slice);
    if (cut->reduce != PPS_REDUCE_NONE)
        mark_others(cut, span, x_place, y_place, &common, slice);
    return true;
}
