// SPDX-License-Identifier: Apache-2.0
// Reads a result, finds its Pareto front of two columns, and writes the table.
#include "engine/picture/pareto.h"

#include "base/text/grow_list.h"
#include "engine/read/row_text.h"

#include <stdlib.h>
#include <string.h>

// Rows that all fronts may keep together: with rows of 150 bytes, about 1 GB.
#define MAX_KEPT 4000000

// ---- columns --------------------------------------------------------------------------------

// Reads "name", "min:name" or "max:name" of n characters.
static enum pps_status read_axis(const struct pps_view *view, const char *word, size_t n,
                                 struct pps_pareto_axis *axis, struct pps_error *err)
{
    char name[256];
    const bool max = n > 4 && strncmp(word, "max:", 4) == 0;
    axis->said = max || (n > 4 && strncmp(word, "min:", 4) == 0);
    word += axis->said ? 4 : 0;
    n -= axis->said ? 4 : 0;
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    const enum pps_status status = pps_view_column(view, "--pareto", name, &axis->column, err);
    if (status == PPS_OK)
        axis->higher = axis->said ? max : view->columns[axis->column].goal == PPS_HIGHER;
    return status;
}

static enum pps_status read_axes(struct pps_pareto *pareto, const char *columns,
                                 struct pps_error *err)
{
    const char *comma = strchr(columns, ',');
    if (comma == NULL || comma == columns || comma[1] == '\0' || strchr(comma + 1, ',') != NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--pareto %s: write two columns, as time,memory or max:speed,memory",
                        columns);
    enum pps_status status =
        read_axis(&pareto->view, columns, (size_t)(comma - columns), &pareto->x, err);
    if (status == PPS_OK)
        status = read_axis(&pareto->view, comma + 1, strlen(comma + 1), &pareto->y, err);
    if (status == PPS_OK && pareto->x.column == pareto->y.column)
        status =
            pps_fail(err, PPS_E_INPUT, "--pareto %s: write two different columns", columns);
    return status;
}

// ---- rows -----------------------------------------------------------------------------------

static enum pps_status find_front(struct pps_pareto *pareto, const struct pps_cell *cells,
                                  struct pps_pareto_front **front, struct pps_error *err)
{
    uint32_t group;
    const enum pps_status status = pps_grouping_find(&pareto->grouping, cells, &group, err);
    if (status != PPS_OK)
        return status;
    struct pps_pareto_front *fronts =
        pps_grow(pareto->fronts, &pareto->fronts_room, (size_t)group + 1, sizeof *fronts);
    if (fronts == NULL)
        return pps_fail_memory(err, "the Pareto fronts");
    pareto->fronts = fronts;
    if (group == pareto->n_fronts)
        pareto->fronts[pareto->n_fronts++] = (struct pps_pareto_front){.n = 0};
    *front = &pareto->fronts[group];
    return PPS_OK;
}

static enum pps_status add_to_front(struct pps_pareto *pareto, const struct pps_cell *cells,
                                    double x, double y, uint64_t row, struct pps_error *err)
{
    struct pps_pareto_front *front = NULL;
    const double a = pareto->x.higher ? -x : x, b = pareto->y.higher ? -y : y;
    enum pps_status status = find_front(pareto, cells, &front, err);
    if (status != PPS_OK || !pps_pareto_front_would_take(front, a, b))
        return status;
    const size_t before = front->n;
    status = pps_row_text_join(&pareto->row, cells, NULL, pareto->view.n_columns, err);
    if (status == PPS_OK)
        status = pps_pareto_front_add(front, a, b, row, pareto->row.text, pareto->row.n, err);
    pareto->kept += front->n - before; // wraps where fewer are left: so does the sum
    if (status == PPS_OK && pareto->kept > MAX_KEPT)
        status = pps_fail(
            err, PPS_E_INPUT,
            "more than %d rows on the Pareto fronts; choose fewer columns in --by", MAX_KEPT);
    return status;
}

static enum pps_status read_rows(struct pps_pareto *pareto, bool cloud, struct pps_error *err)
{
    for (;; pareto->rows++) {
        const struct pps_cell *cells;
        double x, y;
        enum pps_status status = pps_view_next(&pareto->view, &cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
        if (!pps_view_is_done(&pareto->view, cells) ||
            !pps_cell_number(cells[pareto->x.column], &x) ||
            !pps_cell_number(cells[pareto->y.column], &y))
            continue;
        const uint64_t row = pps_result_row(pareto->view.result);
        pareto->valued++;
        status = add_to_front(pareto, cells, x, y, row, err);
        if (status == PPS_OK && cloud)
            status = pps_thinned_points_add(&pareto->cloud, x, y, row, err);
        if (status == PPS_OK && cloud)
            status = pps_constant_columns_note(&pareto->constants, cells, err);
        if (status != PPS_OK)
            return status;
    }
}

static void settle(struct pps_pareto *pareto)
{
    pareto->kept = pareto->equal = 0;
    for (size_t f = 0; f < pareto->n_fronts; f++) {
        size_t n;
        const struct pps_pareto_front_row *rows = pps_pareto_front_rows(&pareto->fronts[f], &n);
        pareto->kept += n;
        for (size_t i = 0; i < n; i++)
            pareto->equal += rows[i].equal - 1;
    }
}

enum pps_status pps_pareto_open(struct pps_pareto *pareto, const struct pps_pareto_ask *ask,
                                struct pps_error *err)
{
    *pareto = (struct pps_pareto){.scale = ask->scale};
    enum pps_status status = pps_view_open(&pareto->view, &ask->view, err);
    if (status == PPS_OK)
        status = read_axes(pareto, ask->columns, err);
    if (status == PPS_OK)
        status = pps_grouping_open(&pareto->grouping, &pareto->view, ask->by,
                                   (const int[]){pareto->x.column, pareto->y.column}, 2, err);
    if (status == PPS_OK)
        status = pps_constant_columns_open(&pareto->constants, pareto->view.n_columns, err);
    if (status == PPS_OK)
        status = read_rows(pareto, ask->cloud, err);
    if (status == PPS_OK)
        settle(pareto);
    else
        pps_pareto_close(pareto);
    return status;
}

void pps_pareto_close(struct pps_pareto *pareto)
{
    for (size_t f = 0; f < pareto->n_fronts; f++)
        pps_pareto_front_free(&pareto->fronts[f]);
    free(pareto->fronts);
    pps_thinned_points_free(&pareto->cloud);
    text_buffer_free(&pareto->row);
    pps_constant_columns_close(&pareto->constants);
    pps_grouping_close(&pareto->grouping);
    pps_view_close(&pareto->view);
    *pareto = (struct pps_pareto){.rows = 0};
}

// ---- the table ------------------------------------------------------------------------------

enum pps_status pps_pareto_write(struct pps_pareto *pareto, FILE *out, bool table,
                                 struct pps_error *err)
{
    const char **lines = calloc((size_t)pareto->kept + 1, sizeof *lines);
    size_t n = 0;
    if (lines == NULL)
        return pps_fail_memory(err, "the Pareto fronts");
    enum pps_status status = pps_row_text_header(&pareto->row, &pareto->view, err);
    lines[n++] = pareto->row.text;
    for (size_t f = 0; f < pareto->n_fronts && status == PPS_OK; f++) {
        size_t n_rows;
        const struct pps_pareto_front_row *rows =
            pps_pareto_front_rows(&pareto->fronts[f], &n_rows);
        for (size_t i = 0; i < n_rows; i++)
            lines[n++] = rows[i].text;
    }
    if (status == PPS_OK)
        status = pps_row_text_write(out, lines, n, table, err);
    free(lines);
    return status;
}
