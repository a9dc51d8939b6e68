// SPDX-License-Identifier: Apache-2.0
// Draws heatmaps and lines of a result.
#include "engine/picture/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plot {
    const struct pps_plot_ask *ask;
    struct pps_plot_count *count;
    struct pps_pictures *pictures;
    struct pps_slices *cut;
    bool lines;
    char **names; // of the figures
    size_t n;
};

// ---- what to draw ---------------------------------------------------------------------------

// Returns the first map of a figure.
static size_t first_map(const struct plot *plot, size_t figure)
{
    size_t i = 0;
    while (pps_slices_figure(plot->cut, i) != figure)
        i++;
    return i;
}

// Names a figure and checks that its pictures do not replace others.
static enum pps_status name_figure(struct plot *plot, size_t figure, struct pps_error *err)
{
    const size_t i = first_map(plot, figure);
    char name[512 + sizeof "-lines"];
    if (!pps_slices_name(plot->cut, i, name, 512))
        return pps_fail_memory(err, "the heatmaps");
    if (plot->lines)
        snprintf(name + strlen(name), sizeof name - strlen(name), "-lines");
    plot->names[figure] = strdup(name);
    return plot->names[figure] == NULL ? pps_fail_memory(err, "the heatmaps")
                                       : pps_pictures_check(plot->pictures, name, err);
}

static bool has_panels(const struct pps_slice_ask *cut)
{
    return cut->panel_rows != NULL || cut->panel_columns != NULL;
}

// Cuts the result into maps, or into lines if each map would be one row or one column.
static enum pps_status cut_maps(struct plot *plot, struct pps_error *err)
{
    struct pps_slice_ask cut = plot->ask->cut;
    const bool chosen = cut.x != NULL || cut.y != NULL || cut.by != NULL || has_panels(&cut) ||
                        cut.reduce != PPS_REDUCE_NONE;
    // A shared range covers all maps, and a figure has all its panels.
    const bool all = cut.scale.shared || has_panels(&cut) || plot->ask->pictures.name != NULL;
    cut.max_maps = all ? 0 : plot->ask->limit;
    enum pps_status status = pps_slices_open(&plot->cut, &cut, err);
    if (status != PPS_OK || chosen || strcmp(cut.view.path, "-") == 0 ||
        !pps_slices_suit_lines(plot->cut, &cut.x, &cut.y))
        return status;
    struct pps_slices *maps = plot->cut;
    plot->lines = true;
    status = pps_slices_open(&plot->cut, &cut, err);
    pps_slices_close(maps);
    return status;
}

static enum pps_status name_figures(struct plot *plot, struct pps_error *err)
{
    const size_t limit = plot->ask->limit;
    const size_t n = pps_slices_figures(plot->cut);
    if (n > 1 && plot->ask->pictures.name != NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--output names one picture, but there are %zu; write a folder, keep "
                        "the rows of one (as n=8), or draw all in one figure with --rows and "
                        "--columns",
                        n);
    const size_t n_drawn = limit > 0 && n > limit ? limit : n;
    plot->count->left_out =
        n - n_drawn + pps_slices_left_out(plot->cut, &plot->count->at_least);
    plot->names = calloc(n_drawn, sizeof *plot->names);
    if (plot->names == NULL)
        return pps_fail_memory(err, "the heatmaps");
    enum pps_status status = PPS_OK;
    for (plot->n = 0; plot->n < n_drawn && status == PPS_OK; plot->n++)
        status = name_figure(plot, plot->n, err);
    return status;
}

// ---- drawing --------------------------------------------------------------------------------

// Limits the labels: each cell has at least four pixels, and pictures have a maximum size.
enum { MOST_LABELS = 4000 };

static enum pps_status check_width(const struct pps_slice *slice, struct pps_error *err)
{
    const bool wide = slice->n_x > MOST_LABELS;
    if (!wide && slice->n_y <= MOST_LABELS)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "--%c %s has %zu values, too many for a map (at most %d); --pareto %s,%s "
                    "draws every row as a point",
                    wide ? 'x' : 'y', wide ? slice->x_name : slice->y_name,
                    wide ? slice->n_x : slice->n_y, MOST_LABELS,
                    wide ? slice->x_name : slice->y_name, slice->value_name);
}

// Writes map i to the file, which is opened for the first map: nothing is created for a map that
// cannot be drawn. For gnuplot, two empty lines separate maps.
static enum pps_status write_slice(const struct plot *plot, size_t figure, size_t i,
                                   struct pps_new_file *file, struct pps_error *err)
{
    struct pps_slice slice;
    enum pps_status status = pps_slices_get(plot->cut, i, &slice, err);
    if (status == PPS_OK)
        status = check_width(&slice, err);
    const bool first = file->out == NULL;
    if (status == PPS_OK && first)
        status = pps_pictures_data(plot->pictures, figure, file, err);
    if (status == PPS_OK) {
        fputs(first ? "" : "\n\n", file->out);
        pps_slice_write(&slice, file->out);
    }
    pps_slice_free(&slice);
    return status;
}

// Writes the maps of a figure to the file that its script reads.
static enum pps_status write_figure(const struct plot *plot, size_t figure,
                                    struct pps_error *err)
{
    struct pps_new_file file = {.out = NULL};
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < pps_slices_maps(plot->cut) && status == PPS_OK; i++)
        if (pps_slices_figure(plot->cut, i) == figure)
            status = write_slice(plot, figure, i, &file, err);
    return pps_new_file_end(&file, status, err);
}

static enum pps_status draw_maps(struct plot *plot, size_t first, size_t last,
                                 struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    for (size_t i = first; i < last && status == PPS_OK; i++)
        status = write_figure(plot, i, err);
    if (status == PPS_OK)
        status = pps_pictures_draw(plot->pictures, first, last - first, plot->names + first,
                                   &plot->count->pictures, err);
    plot->count->maps += status == PPS_OK ? last - first : 0;
    return status;
}

static enum pps_status run_plot(struct plot *plot, struct pps_error *err)
{
    const size_t batch = PPS_PICTURE_BATCH;
    const struct pps_slice_ask *cut = &plot->ask->cut;
    enum pps_status status = cut_maps(plot, err);
    if (status == PPS_OK && pps_slices_has_points_only(plot->cut))
        status =
            pps_fail(err, PPS_E_INPUT,
                     "%s: each map would have one cell; --scatter draws every row as a point",
                     cut->view.path);
    const char *script = plot->lines       ? "lines.gp"
                         : has_panels(cut) ? "panels.gp"
                                           : "heatmap.gp";
    if (status == PPS_OK)
        status = pps_pictures_open(&plot->pictures, &plot->ask->pictures, script,
                                   cut->view.path, err);
    if (status == PPS_OK)
        status = name_figures(plot, err);
    for (size_t i = 0; i < plot->n && status == PPS_OK; i += batch)
        status = draw_maps(plot, i, i + batch < plot->n ? i + batch : plot->n, err);
    return status;
}

enum pps_status pps_plot(const struct pps_plot_ask *ask, struct pps_plot_count *count,
                         struct pps_error *err)
{
    struct plot plot = {.ask = ask, .count = count, .lines = ask->lines};
    *count = (struct pps_plot_count){0};
    const enum pps_status status = run_plot(&plot, err);
    pps_pictures_close(plot.pictures);
    for (size_t i = 0; i < plot.n; i++)
        free(plot.names[i]);
    free(plot.names);
    pps_slices_close(plot.cut);
    return status;
}
