// SPDX-License-Identifier: Apache-2.0
// Writes Pareto fronts as points for gnuplot, and draws the picture.
#include "engine/experiment/work_groups.h"
#include "engine/picture/pareto.h"
#include "engine/slice/gnuplot_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_FRONTS = 8, // colours that a script has
    ACROSS = 240,   // cells of the grid on which points are thinned out
    UP = 160,
};

// ---- the head -------------------------------------------------------------------------------

static void put_number(FILE *out, const char *key, const char *what, double value)
{
    fprintf(out, "# %s-%s ", key, what);
    pps_put_number(out, value);
    fputc('\n', out);
}

static void put_axis(const struct pps_pareto *pareto, FILE *out, const char *key,
                     const struct pps_pareto_axis *axis, struct pps_thinned_points_scale scale)
{
    const struct pps_view_column *column = &pareto->view.columns[axis->column];
    char unit[16];
    snprintf(unit, sizeof unit, "%s-unit", key);
    pps_put_quoted(out, key, column->name);
    pps_put_quoted(out, unit, column->unit);
    fprintf(out, "# %s-goal %s\n", key, axis->higher ? "higher" : "lower");
    fprintf(out, "# %s-scale %s\n", key, scale.log ? "log" : "linear");
    put_number(out, key, "min", scale.min);
    put_number(out, key, "max", scale.max);
}

// "n=8,gpus=4" of group 8,4. The caller frees it; NULL: no memory.
static char *group_label(const struct pps_pareto *pareto, uint32_t group)
{
    const struct pps_grouping *grouping = &pareto->grouping;
    const char *values = pps_string_pool_text(&grouping->names, group);
    char *label = NULL;
    size_t n;
    FILE *out = open_memstream(&label, &n);
    if (out == NULL)
        return NULL;
    for (int b = 0; b < grouping->n_by; b++) {
        const size_t length = strcspn(values, ",");
        fprintf(out, "%s%s=%.*s", b == 0 ? "" : ",", pareto->view.columns[grouping->by[b]].name,
                (int)length, values);
        values += length + (values[length] == ',');
    }
    if (fclose(out) == 0)
        return label;
    free(label);
    return NULL;
}

static bool put_groups(const struct pps_pareto *pareto, FILE *out)
{
    char *labels[MAX_FRONTS] = {NULL};
    bool good = true;
    for (size_t f = 0; f < pareto->n_fronts; f++) {
        labels[f] = group_label(pareto, (uint32_t)f);
        good = good && labels[f] != NULL;
    }
    // If there are several groups that the user did not ask for, they are named.
    if (good && pareto->grouping.n_by > 0 && (pareto->grouping.asked || pareto->n_fronts > 1))
        pps_put_labels(out, "groups", (const char *const *)labels, pareto->n_fronts);
    for (size_t f = 0; f < pareto->n_fronts; f++)
        free(labels[f]);
    return good;
}

static enum pps_status check_scale(const struct pps_pareto *pareto, struct pps_error *err)
{
    const struct pps_thinned_points *cloud = &pareto->cloud;
    const bool x = cloud->x_min <= 0;
    if (pareto->scale != PPS_SCALE_LOG || (!x && cloud->y_min > 0))
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--log: %s has values of 0 or less (%g)",
                    pareto->view.columns[x ? pareto->x.column : pareto->y.column].name,
                    x ? cloud->x_min : cloud->y_min);
}

static struct pps_thinned_points_scale scale_of(const struct pps_pareto *pareto, double min,
                                                double max)
{
    struct pps_thinned_points_scale scale = pps_thinned_points_scale(min, max);
    if (pareto->scale != PPS_SCALE_AUTO)
        scale.log = pareto->scale == PPS_SCALE_LOG;
    return scale;
}

static bool put_head(const struct pps_pareto *pareto, FILE *out)
{
    const struct pps_thinned_points *cloud = &pareto->cloud;
    char *title = pps_constant_columns_title(&pareto->constants, &pareto->view);
    if (title == NULL)
        return false;
    pps_put_quoted(out, "title", title);
    pps_put_partial(out, pareto->view.partial);
    free(title);
    put_axis(pareto, out, "x", &pareto->x, scale_of(pareto, cloud->x_min, cloud->x_max));
    put_axis(pareto, out, "y", &pareto->y, scale_of(pareto, cloud->y_min, cloud->y_max));
    fprintf(out, "# rows %" PRIu64 "\n# front-rows %" PRIu64 "\n# equal-rows %" PRIu64 "\n",
            pareto->valued, pareto->kept, pareto->equal);
    return put_groups(pareto, out);
}

// ---- points ---------------------------------------------------------------------------------

static void put_point(FILE *out, double x, double y, uint64_t row)
{
    pps_put_number(out, x);
    fputc(' ', out);
    pps_put_number(out, y);
    fprintf(out, " %" PRIu64 "\n", row);
}

static void put_points(struct pps_pareto *pareto, FILE *out)
{
    const struct pps_thinned_points *cloud = &pareto->cloud;
    for (size_t i = 0; i < cloud->n; i++)
        put_point(out, cloud->points[i].x, cloud->points[i].y, cloud->points[i].row);
    for (size_t f = 0; f < pareto->n_fronts; f++) {
        size_t n;
        const struct pps_pareto_front_row *rows = pps_pareto_front_rows(&pareto->fronts[f], &n);
        // Two empty lines part blocks for gnuplot.
        fputs("\n\n", out);
        for (size_t i = 0; i < n; i++)
            put_point(out, pareto->x.higher ? -rows[i].a : rows[i].a,
                      pareto->y.higher ? -rows[i].b : rows[i].b, rows[i].row);
    }
}

enum pps_status pps_pareto_slice(struct pps_pareto *pareto, FILE *out, struct pps_error *err)
{
    const struct pps_view_column *columns = pareto->view.columns;
    if (pareto->valued == 0)
        return pps_fail(err, PPS_E_INPUT, "%s: no row%s has numbers in both %s and %s",
                        pareto->view.path,
                        pareto->view.n_filters > 0 ? " that passes the filters" : "",
                        columns[pareto->x.column].name, columns[pareto->y.column].name);
    if (pareto->n_fronts > MAX_FRONTS)
        return pps_fail(err, PPS_E_INPUT,
                        "a picture shows at most %d fronts, and --by makes %zu; keep fewer "
                        "rows, as n=8 after the result's name, or write --by none",
                        MAX_FRONTS, pareto->n_fronts);
    enum pps_status status = check_scale(pareto, err);
    if (status == PPS_OK)
        status = pps_thinned_points_thin(&pareto->cloud, ACROSS, UP, err);
    if (status != PPS_OK)
        return status;
    if (!put_head(pareto, out))
        return pps_fail_memory(err, "the Pareto front");
    put_points(pareto, out);
    return PPS_OK;
}

// ---- the picture ----------------------------------------------------------------------------

static void put_asked(void *self, FILE *out)
{
    const struct pps_pareto *pareto = self;
    const struct pps_pareto_axis *const axes[] = {&pareto->x, &pareto->y};
    const struct pps_grouping *grouping = &pareto->grouping;
    fputs("-pareto", out);
    for (int i = 0; i < 2; i++)
        fprintf(out, "-%s%s",
                !axes[i]->said    ? ""
                : axes[i]->higher ? "max_"
                                  : "min_",
                pareto->view.columns[axes[i]->column].name);
    if (grouping->asked && grouping->n_by == 0)
        fputs("-by-" PPS_BY_NONE, out);
    for (int b = 0; b < grouping->n_by && grouping->asked; b++)
        fprintf(out, "%s%s", b == 0 ? "-by-" : "-", pareto->view.columns[grouping->by[b]].name);
    if (pareto->scale != PPS_SCALE_AUTO)
        fprintf(out, "-%s", pps_scale_word(pareto->scale));
    pps_picture_filters(out, &pareto->view, NULL, 0);
}

static enum pps_status write_data(void *self, FILE *out, struct pps_error *err)
{
    return pps_pareto_slice(self, out, err);
}

enum pps_status pps_pareto_plot(const struct pps_pareto_ask *ask,
                                const struct pps_picture_ask *pictures, struct pps_error *err)
{
    struct pps_pareto pareto;
    char name[512];
    enum pps_status status = pps_pareto_open(&pareto, ask, err);
    if (status == PPS_OK)
        status = pps_picture_name(name, ask->view.path, put_asked, &pareto, err);
    if (status == PPS_OK)
        status = pps_picture_one(pictures, "pareto.gp", ask->view.path, name, &pareto,
                                 write_data, err);
    pps_pareto_close(&pareto);
    return status;
}
