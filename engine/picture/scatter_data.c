// SPDX-License-Identifier: Apache-2.0
// Writes scatter pictures as points for gnuplot, and draws them.
#include "engine/picture/scatter.h"
#include "engine/slice/gnuplot_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ACROSS = 120, // cells per side of the grid that thins the points
    UP = 90,
};

static bool is_panel(const struct pps_scatter *scatter, int i)
{
    return scatter->constants.list[scatter->axes[i].column].varied;
}

// Returns the rank of a name in sorted order, from 1.
static int rank_of(const struct pps_string_pool *names, uint32_t name)
{
    int rank = 1;
    for (uint32_t i = 0; i < names->n; i++)
        rank += strcmp(pps_string_pool_text(names, i), pps_string_pool_text(names, name)) < 0;
    return rank;
}

// ---- the head -----------------------------------------------------------------------------------

static void put_keyed(FILE *out, const char *key, double value)
{
    fprintf(out, "# %s ", key);
    pps_put_number(out, value);
    fputc('\n', out);
}

static const char *log_word(bool is_log)
{
    return is_log ? "log" : "linear";
}

// Writes one line per panel and key; the script collects the lines in order.
static void put_panel(const struct pps_scatter *scatter, int i, FILE *out)
{
    const struct pps_scatter_axis *axis = &scatter->axes[i];
    const struct pps_thinned_points *numbers = &axis->numbers;
    const struct pps_thinned_points_scale scale =
        pps_thinned_points_scale(numbers->x_min, numbers->x_max);
    const bool is_log = scale.log && scatter->ask->scale != PPS_SCALE_LINEAR;
    pps_put_labels(out, "panel", &scatter->view.columns[axis->column].name, 1);
    fprintf(out, "# panel-scale %s\n", numbers->n == 0 ? "names" : log_word(is_log));
    put_keyed(out, "panel-min", numbers->n > 0 ? numbers->x_min : 0);
    put_keyed(out, "panel-max", numbers->n > 0 ? numbers->x_max : 0);
    fprintf(out, "# panel-names %" PRIu32 "\n", axis->names.n);
    for (int rank = 1; rank <= (int)axis->names.n; rank++)
        for (uint32_t n = 0; n < axis->names.n; n++)
            if (rank_of(&axis->names, n) == rank) {
                const char *name = pps_string_pool_text(&axis->names, n);
                pps_put_labels(out, "names", &name, 1);
            }
}

// Returns the cells of the best row; the caller frees them. NULL if memory runs out.
static struct pps_cell *best_cells(struct pps_scatter *scatter,
                                   const struct pps_best_row **best)
{
    size_t n;
    struct pps_cell *cells = calloc((size_t)scatter->view.n_columns, sizeof *cells);
    *best = pps_best_sorted(&scatter->best, &n);
    if (cells != NULL)
        pps_cells_split((*best)->text, (*best)->n, cells, scatter->view.n_columns);
    return cells;
}

// Writes "n=8 gpus=4" for the best row: the parameters that vary.
static bool put_best(struct pps_scatter *scatter, FILE *out)
{
    const struct pps_best_row *best;
    struct pps_cell *cells = best_cells(scatter, &best);
    if (cells == NULL)
        return false;
    fprintf(out, "# best-row %" PRIu64 "\n", best->index);
    put_keyed(out, "best-value", best->value);
    fputs("# best \"", out);
    for (int i = 0; i < scatter->n_axes; i++)
        if (is_panel(scatter, i))
            fprintf(out, " %s=%.*s", scatter->view.columns[scatter->axes[i].column].name,
                    (int)cells[scatter->axes[i].column].n, cells[scatter->axes[i].column].text);
    fputs("\"\n", out);
    free(cells);
    return true;
}

static bool put_head(struct pps_scatter *scatter, FILE *out)
{
    const struct pps_view_column *value = &scatter->view.columns[scatter->value];
    const enum pps_scale_kind kind = scatter->ask->scale;
    const bool is_log = kind == PPS_SCALE_AUTO
                            ? pps_thinned_points_scale(scatter->min, scatter->max).log
                            : kind == PPS_SCALE_LOG;
    char *title = pps_constant_columns_title(&scatter->constants, &scatter->view);
    if (title == NULL)
        return false;
    pps_put_quoted(out, "title", title);
    free(title);
    pps_put_partial(out, scatter->view.partial);
    pps_put_quoted(out, "value", value->name);
    pps_put_quoted(out, "unit", value->unit);
    fprintf(out, "# goal %s\n", value->goal == PPS_HIGHER ? "higher" : "lower");
    fprintf(out, "# scale %s\n", log_word(is_log));
    put_keyed(out, "min", scatter->min);
    put_keyed(out, "max", scatter->max);
    fprintf(out, "# rows %" PRIu64 "\n", scatter->valued);
    for (int i = 0; i < scatter->n_axes; i++)
        if (is_panel(scatter, i))
            put_panel(scatter, i, out);
    return put_best(scatter, out);
}

// ---- points -------------------------------------------------------------------------------------

static void put_point(FILE *out, double x, double value, uint64_t row, bool is_name)
{
    pps_put_number(out, x);
    fputc(' ', out);
    pps_put_number(out, value);
    fprintf(out, " %" PRIu64 " %d\n", row, is_name);
}

static enum pps_status put_points(struct pps_scatter_axis *axis, FILE *out,
                                  struct pps_error *err)
{
    enum pps_status status = pps_thinned_points_thin(&axis->numbers, ACROSS, UP, err);
    if (status == PPS_OK)
        status = pps_thinned_points_thin(&axis->named, ACROSS, UP, err);
    // Two empty lines separate blocks for gnuplot.
    fputs("\n\n", out);
    for (size_t i = 0; i < axis->numbers.n && status == PPS_OK; i++)
        put_point(out, axis->numbers.points[i].x, axis->numbers.points[i].y,
                  axis->numbers.points[i].row, false);
    for (size_t i = 0; i < axis->named.n && status == PPS_OK; i++)
        put_point(out, rank_of(&axis->names, (uint32_t)axis->named.points[i].x),
                  axis->named.points[i].y, axis->named.points[i].row, true);
    return status;
}

// Writes block 0: the position of the best row in each panel.
static bool put_best_points(struct pps_scatter *scatter, FILE *out)
{
    const struct pps_best_row *best;
    struct pps_cell *cells = best_cells(scatter, &best);
    if (cells == NULL)
        return false;
    for (int i = 0; i < scatter->n_axes; i++) {
        const struct pps_scatter_axis *axis = &scatter->axes[i];
        const struct pps_cell cell = cells[axis->column];
        double x = 0;
        const bool is_name = !pps_cell_number(cell, &x);
        for (uint32_t k = 0; is_name && k < axis->names.n; k++) {
            const char *name = pps_string_pool_text(&axis->names, k);
            if (strlen(name) == cell.n && memcmp(name, cell.text, cell.n) == 0)
                x = rank_of(&axis->names, k);
        }
        if (is_panel(scatter, i))
            put_point(out, x, best->value, best->index, is_name);
    }
    free(cells);
    return true;
}

static enum pps_status write_data(void *self, FILE *out, struct pps_error *err)
{
    struct pps_scatter *scatter = self;
    int n_panels = 0;
    for (int i = 0; i < scatter->n_axes; i++)
        n_panels += is_panel(scatter, i);
    if (n_panels == 0)
        return pps_fail(err, PPS_E_INPUT, "%s: no parameter varies among its rows",
                        scatter->view.path);
    if (scatter->ask->scale == PPS_SCALE_LOG && scatter->min <= 0)
        return pps_fail(err, PPS_E_INPUT, "--log: %s has values of 0 or less (%g)",
                        scatter->view.columns[scatter->value].name, scatter->min);
    if (!put_head(scatter, out) || !put_best_points(scatter, out))
        return pps_fail_memory(err, "the rows to draw");
    enum pps_status status = PPS_OK;
    for (int i = 0; i < scatter->n_axes && status == PPS_OK; i++)
        if (is_panel(scatter, i))
            status = put_points(&scatter->axes[i], out, err);
    return status;
}

// ---- the picture --------------------------------------------------------------------------------

static void put_asked(void *self, FILE *out)
{
    const struct pps_scatter *scatter = self;
    fputs("-scatter", out);
    if (scatter->ask->value != NULL)
        fprintf(out, "-%s", scatter->ask->value);
    if (scatter->ask->scale != PPS_SCALE_AUTO)
        fprintf(out, "-%s", pps_scale_word(scatter->ask->scale));
    pps_picture_filters(out, &scatter->view, NULL, 0);
}

enum pps_status pps_scatter_plot(const struct pps_scatter_ask *ask,
                                 const struct pps_picture_ask *pictures, struct pps_error *err)
{
    struct pps_scatter scatter;
    char name[512];
    enum pps_status status = pps_scatter_open(&scatter, ask, err);
    if (status == PPS_OK)
        status = pps_picture_name(name, ask->view.path, put_asked, &scatter, err);
    if (status == PPS_OK)
        status = pps_picture_one(pictures, "scatter.gp", ask->view.path, name, &scatter,
                                 write_data, err);
    pps_scatter_close(&scatter);
    return status;
}
