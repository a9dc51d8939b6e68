// SPDX-License-Identifier: Apache-2.0
// Writes stacked bars as text for gnuplot and draws the picture.
#include "engine/picture/bars.h"
#include "engine/slice/gnuplot_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Returns true if the column is a label of the bars. If the parameters are unknown, the columns
// left of the segments and the objective are labels.
static bool is_label(const struct pps_bars *bars, int column)
{
    if (!bars->constants.list[column].varied)
        return false;
    if (bars->view.roles_known)
        return bars->view.columns[column].role == PPS_ROLE_PARAM;
    for (int i = 0; i < bars->n_parts; i++)
        if (column >= bars->parts[i])
            return false;
    return column < bars->objective;
}

// ---- the header -----------------------------------------------------------------------------

static void put_names(const struct pps_bars *bars, FILE *out, const char *key,
                      const int *columns, int n)
{
    const char *names[PPS_BARS_PARTS] = {NULL};
    for (int i = 0; i < n; i++)
        names[i] = bars->view.columns[columns[i]].name;
    pps_put_labels(out, key, names, (size_t)n);
}

static void put_label_names(const struct pps_bars *bars, FILE *out)
{
    for (int i = 0; i < bars->view.n_columns; i++)
        if (is_label(bars, i))
            pps_put_labels(out, "labels", &bars->view.columns[i].name, 1);
}

static bool put_head(const struct pps_bars *bars, FILE *out)
{
    const struct pps_view_column *objective = &bars->view.columns[bars->objective];
    char *title = pps_constant_columns_title(&bars->constants, &bars->view);
    if (title == NULL)
        return false;
    pps_put_quoted(out, "title", title);
    pps_put_partial(out, bars->view.partial);
    free(title);
    pps_put_quoted(out, "stack", bars->stack == NULL ? "" : bars->stack);
    pps_put_quoted(out, "unit", bars->view.columns[bars->parts[0]].unit);
    put_names(bars, out, "parts", bars->parts, bars->n_parts);
    put_label_names(bars, out);
    pps_put_quoted(out, "objective", objective->name);
    pps_put_quoted(out, "objective-unit", objective->unit);
    fprintf(out, "# goal %s\n", bars->best.higher ? "higher" : "lower");
    fprintf(out, "# shown %zu\n# rows %" PRIu64 "\n", bars->n_rows, bars->valued);
    if (bars->ask->has_limit) {
        fputs("# limit ", out);
        pps_put_number(out, bars->ask->limit);
        fputc('\n', out);
    }
    return true;
}

// ---- bars -----------------------------------------------------------------------------------

static bool put_cell(FILE *out, struct pps_cell cell)
{
    char *word = strndup(cell.text, cell.n);
    if (word == NULL)
        return false;
    fputc(' ', out);
    pps_put_word(out, word);
    free(word);
    return true;
}

static bool put_row(const struct pps_bars *bars, const struct pps_best_row *row,
                    struct pps_cell *cells, FILE *out)
{
    bool good = true;
    pps_cells_split(row->text, row->n, cells, bars->view.n_columns);
    fprintf(out, "%" PRIu64, row->index);
    for (int i = 0; i < bars->view.n_columns && good; i++)
        if (is_label(bars, i))
            good = put_cell(out, cells[i]);
    for (int i = 0; i < bars->n_parts && good; i++)
        good = put_cell(out, cells[bars->parts[i]]);
    good = good && put_cell(out, cells[bars->objective]);
    fputc('\n', out);
    return good;
}

enum pps_status pps_bars_slice(struct pps_bars *bars, FILE *out, struct pps_error *err)
{
    struct pps_cell *cells = calloc((size_t)bars->view.n_columns, sizeof *cells);
    bool good = cells != NULL && put_head(bars, out);
    for (size_t i = 0; i < bars->n_rows && good; i++)
        good = put_row(bars, &bars->rows[i], cells, out);
    free(cells);
    return good ? PPS_OK : pps_fail_memory(err, "the bars");
}

// ---- the picture ----------------------------------------------------------------------------

static void put_asked(void *self, FILE *out)
{
    const struct pps_bars *bars = self;
    const struct pps_view_column *columns = bars->view.columns;
    fputs("-stack", out);
    if (bars->stack != NULL)
        fprintf(out, "-%s", bars->stack);
    for (int i = 0; i < bars->n_parts && bars->stack == NULL; i++)
        fprintf(out, "-%s", columns[bars->parts[i]].name);
    if (bars->ask->k != PPS_BARS_USUAL)
        fprintf(out, "-k%" PRIu64, bars->ask->k);
    if (bars->ask->objective != NULL)
        fprintf(out, "-by-%s", columns[bars->objective].name);
    if (bars->ask->goal != PPS_NEUTRAL)
        fprintf(out, "-%s", bars->ask->goal == PPS_HIGHER ? "highest" : "lowest");
    pps_picture_filters(out, &bars->view, NULL, 0);
}

static enum pps_status write_data(void *self, FILE *out, struct pps_error *err)
{
    return pps_bars_slice(self, out, err);
}

enum pps_status pps_bars_plot(const struct pps_bars_ask *ask,
                              const struct pps_picture_ask *pictures, struct pps_error *err)
{
    struct pps_bars bars;
    char name[512];
    enum pps_status status = pps_bars_open(&bars, ask, err);
    if (status == PPS_OK)
        status = pps_picture_name(name, ask->view.path, put_asked, &bars, err);
    if (status == PPS_OK)
        status =
            pps_picture_one(pictures, "bars.gp", ask->view.path, name, &bars, write_data, err);
    pps_bars_close(&bars);
    return status;
}
