// SPDX-License-Identifier: Apache-2.0
// Reads a result into the points of a scatter picture.
#include "engine/picture/scatter.h"

#include "base/document/json.h"
#include "base/text/human.h"
#include "engine/read/coverage.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

bool pps_scatter_suits(const char *path)
{
    cJSON *manifest = pps_coverage_manifest(path);
    const cJSON *experiment = pps_json_member(manifest, "experiment");
    const bool suits = pps_json_member(experiment, "sample") != NULL ||
                       pps_json_member(experiment, "points") != NULL;
    cJSON_Delete(manifest);
    return suits;
}

// ---- columns ------------------------------------------------------------------------------------

static enum pps_status find_value(struct pps_scatter *scatter, struct pps_error *err)
{
    const struct pps_kernel *kernel = scatter->view.kernel;
    const char *value = scatter->ask->value;
    if (value == NULL && kernel != NULL && kernel->heatmap.value != NULL &&
        pps_result_find(scatter->view.result, kernel->heatmap.value) >= 0)
        value = kernel->heatmap.value;
    return pps_view_objective(&scatter->view, "--value", value, &scatter->value, err);
}

static enum pps_status find_columns(struct pps_scatter *scatter, struct pps_error *err)
{
    const struct pps_view *view = &scatter->view;
    const enum pps_status status = find_value(scatter, err);
    if (status != PPS_OK)
        return status;
    scatter->axes = calloc((size_t)view->n_columns, sizeof *scatter->axes);
    if (scatter->axes == NULL)
        return pps_fail_memory(err, "the rows to draw");
    for (int i = 0; i < view->n_columns; i++) {
        const bool wanted =
            view->roles_known ? view->columns[i].role == PPS_ROLE_PARAM : i < scatter->value;
        if (wanted && i != scatter->value)
            scatter->axes[scatter->n_axes++].column = i;
    }
    pps_best_init(&scatter->best, 1, view->columns[scatter->value].goal == PPS_HIGHER);
    return pps_constant_columns_open(&scatter->constants, view->n_columns, err);
}

// ---- rows ---------------------------------------------------------------------------------------

static enum pps_status add_point(struct pps_scatter *scatter, struct pps_scatter_axis *axis,
                                 struct pps_cell cell, double value, struct pps_error *err)
{
    const uint64_t row = pps_result_row(scatter->view.result);
    uint32_t name;
    double x;
    if (pps_cell_number(cell, &x))
        return pps_thinned_points_add(&axis->numbers, x, value, row, err);
    const enum pps_status status =
        pps_string_pool_add(&axis->names, cell.text, cell.n, &name, err);
    return status == PPS_OK ? pps_thinned_points_add(&axis->named, name, value, row, err)
                            : status;
}

static enum pps_status keep_best(struct pps_scatter *scatter, const struct pps_cell *cells,
                                 double value, struct pps_error *err)
{
    if (!pps_best_would_take(&scatter->best, value))
        return PPS_OK;
    const enum pps_status status =
        pps_row_text_join(&scatter->row, cells, NULL, scatter->view.n_columns, err);
    return status == PPS_OK
               ? pps_best_add(&scatter->best, value, pps_result_row(scatter->view.result),
                              scatter->row.text, scatter->row.n, err)
               : status;
}

static enum pps_status add_row(struct pps_scatter *scatter, const struct pps_cell *cells,
                               struct pps_error *err)
{
    double value;
    if (!pps_view_is_done(&scatter->view, cells) ||
        !pps_cell_number(cells[scatter->value], &value))
        return PPS_OK;
    scatter->min = fmin(scatter->min, value);
    scatter->max = fmax(scatter->max, value);
    scatter->valued++;
    enum pps_status status = pps_constant_columns_note(&scatter->constants, cells, err);
    for (int i = 0; i < scatter->n_axes && status == PPS_OK; i++)
        status =
            add_point(scatter, &scatter->axes[i], cells[scatter->axes[i].column], value, err);
    return status == PPS_OK ? keep_best(scatter, cells, value, err) : status;
}

static enum pps_status read_rows(struct pps_scatter *scatter, struct pps_error *err)
{
    for (;; scatter->read++) {
        const struct pps_cell *cells;
        enum pps_status status = pps_view_next(&scatter->view, &cells, err);
        if (status == PPS_OK && cells != NULL)
            status = add_row(scatter, cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
    }
}

enum pps_status pps_scatter_open(struct pps_scatter *scatter, const struct pps_scatter_ask *ask,
                                 struct pps_error *err)
{
    *scatter = (struct pps_scatter){.ask = ask, .min = (double)NAN, .max = (double)NAN};
    enum pps_status status = pps_view_open(&scatter->view, &ask->view, err);
    if (status == PPS_OK)
        status = find_columns(scatter, err);
    if (status == PPS_OK)
        status = read_rows(scatter, err);
    if (status == PPS_OK && scatter->valued == 0)
        status = pps_fail(err, PPS_E_INPUT, "%s: none of %s rows%s has a value of %s",
                          scatter->view.path, pps_count_text((double)scatter->read).text,
                          ask->view.n_filters > 0 ? " that pass the filters" : "",
                          scatter->view.columns[scatter->value].name);
    if (status != PPS_OK)
        pps_scatter_close(scatter);
    return status;
}

void pps_scatter_close(struct pps_scatter *scatter)
{
    for (int i = 0; i < scatter->n_axes; i++) {
        pps_thinned_points_free(&scatter->axes[i].numbers);
        pps_thinned_points_free(&scatter->axes[i].named);
        pps_string_pool_free(&scatter->axes[i].names);
    }
    free(scatter->axes);
    text_buffer_free(&scatter->row);
    pps_best_free(&scatter->best);
    pps_constant_columns_close(&scatter->constants);
    pps_view_close(&scatter->view);
    *scatter = (struct pps_scatter){.n_axes = 0};
}
