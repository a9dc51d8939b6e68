// SPDX-License-Identifier: Apache-2.0
// Chooses the columns and rows of stacked bars.
#include "engine/picture/bars.h"

#include "base/text/human.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- columns --------------------------------------------------------------------------------

// Returns the columns of the kernel's stack with this name, or NULL if there is none.
static const char *find_stack(struct pps_bars *bars, const char *name)
{
    const struct pps_kernel *kernel = bars->view.kernel;
    const struct pps_stack *stack = kernel == NULL ? NULL : kernel->stacks;
    for (; stack != NULL && stack->name != NULL; stack++)
        if (strcmp(stack->name, name) == 0) {
            bars->stack = stack->name;
            return stack->columns;
        }
    return NULL;
}

static enum pps_status refuse_single(const struct pps_bars *bars, struct pps_error *err)
{
    const struct pps_kernel *kernel = bars->view.kernel;
    const struct pps_stack *stack = kernel == NULL ? NULL : kernel->stacks;
    char names[160] = "";
    for (; stack != NULL && stack->name != NULL; stack++) {
        const size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", n == 0 ? "" : ", ", stack->name);
    }
    return pps_fail(
        err, PPS_E_INPUT, "--stack %s: write two or more columns separated by commas%s%s",
        bars->ask->stack, names[0] == '\0' ? "" : ", or the name of a stack: ", names);
}

static const char *unit_of(const struct pps_view_column *column)
{
    return column->unit[0] == '\0' ? "no unit" : column->unit;
}

static enum pps_status check_parts(const struct pps_bars *bars, struct pps_error *err)
{
    const struct pps_view_column *columns = bars->view.columns;
    const struct pps_view_column *first = &columns[bars->parts[0]];
    if (bars->n_parts > PPS_BARS_PARTS)
        return pps_fail(err, PPS_E_INPUT, "--stack %s: a bar has at most %d parts",
                        bars->ask->stack, PPS_BARS_PARTS);
    for (int i = 1; i < bars->n_parts; i++) {
        const struct pps_view_column *part = &columns[bars->parts[i]];
        if (strcmp(first->unit, part->unit) != 0)
            return pps_fail(
                err, PPS_E_INPUT,
                "--stack: %s [%s] and %s [%s] cannot be added; name columns with the same unit",
                first->name, unit_of(first), part->name, unit_of(part));
    }
    return PPS_OK;
}

static enum pps_status find_columns(struct pps_bars *bars, struct pps_error *err)
{
    const struct pps_bars_ask *ask = bars->ask;
    const char *columns = find_stack(bars, ask->stack);
    if (columns == NULL)
        columns = ask->stack;
    if (strchr(columns, ',') == NULL)
        return refuse_single(bars, err);
    enum pps_status status =
        pps_view_list(&bars->view, "--stack", columns, &bars->parts, &bars->n_parts, err);
    if (status == PPS_OK && bars->n_parts < 2)
        status = refuse_single(bars, err);
    if (status == PPS_OK)
        status = check_parts(bars, err);
    if (status == PPS_OK)
        status = pps_view_objective(&bars->view, "--objective", ask->objective,
                                    &bars->objective, err);
    if (status != PPS_OK)
        return status;
    const enum pps_goal goal =
        ask->goal == PPS_NEUTRAL ? bars->view.columns[bars->objective].goal : ask->goal;
    pps_best_init(&bars->best, (size_t)ask->k, goal == PPS_HIGHER);
    return PPS_OK;
}

// ---- rows -----------------------------------------------------------------------------------

// Sets *whole if the row has the objective and all segments.
static enum pps_status read_values(const struct pps_bars *bars, const struct pps_cell *cells,
                                   double *objective, bool *whole, struct pps_error *err)
{
    *whole = pps_cell_number(cells[bars->objective], objective);
    for (int i = 0; i < bars->n_parts && *whole; i++) {
        double part = 0;
        *whole = pps_cell_number(cells[bars->parts[i]], &part);
        if (*whole && part < 0)
            return pps_fail(err, PPS_E_INPUT,
                            "row %" PRIu64 " of %s: %s is negative and cannot be part of a bar",
                            pps_result_row(bars->view.result), bars->view.path,
                            bars->view.columns[bars->parts[i]].name);
    }
    return PPS_OK;
}

static enum pps_status keep_row(struct pps_bars *bars, const struct pps_cell *cells,
                                double value, struct pps_error *err)
{
    if (!pps_best_would_take(&bars->best, value))
        return PPS_OK;
    enum pps_status status =
        pps_row_text_join(&bars->row, cells, NULL, bars->view.n_columns, err);
    if (status == PPS_OK)
        status = pps_best_add(&bars->best, value, pps_result_row(bars->view.result),
                              bars->row.text, bars->row.n, err);
    return status;
}

static enum pps_status read_rows(struct pps_bars *bars, struct pps_error *err)
{
    for (;; bars->read++) {
        const struct pps_cell *cells;
        double value = 0;
        bool whole;
        enum pps_status status = pps_view_next(&bars->view, &cells, err);
        if (status != PPS_OK || cells == NULL)
            return status;
        status = read_values(bars, cells, &value, &whole, err);
        if (status == PPS_OK && whole) {
            bars->valued++;
            status = keep_row(bars, cells, value, err);
        }
        if (status != PPS_OK)
            return status;
    }
}

// Finds the parameters that vary among the shown rows.
static enum pps_status note_rows(struct pps_bars *bars, struct pps_error *err)
{
    struct pps_cell *cells = calloc((size_t)bars->view.n_columns, sizeof *cells);
    enum pps_status status =
        pps_constant_columns_open(&bars->constants, bars->view.n_columns, err);
    if (cells == NULL && status == PPS_OK)
        status = pps_fail_memory(err, "the rows to show");
    bars->rows = pps_best_sorted(&bars->best, &bars->n_rows);
    for (size_t i = 0; i < bars->n_rows && status == PPS_OK; i++) {
        pps_cells_split(bars->rows[i].text, bars->rows[i].n, cells, bars->view.n_columns);
        status = pps_constant_columns_note(&bars->constants, cells, err);
    }
    free(cells);
    return status;
}

enum pps_status pps_bars_open(struct pps_bars *bars, const struct pps_bars_ask *ask,
                              struct pps_error *err)
{
    *bars = (struct pps_bars){.ask = ask};
    enum pps_status status = pps_view_open(&bars->view, &ask->view, err);
    if (status == PPS_OK)
        status = find_columns(bars, err);
    if (status == PPS_OK)
        status = read_rows(bars, err);
    if (status == PPS_OK && bars->read == 0)
        status =
            pps_fail(err, PPS_E_INPUT, "%s: %s", bars->view.path,
                     ask->view.n_filters > 0 ? "no row passes the filters" : "it has no rows");
    if (status == PPS_OK && bars->valued == 0)
        status = pps_fail(err, PPS_E_INPUT,
                          "%s: none of %s rows has a value of %s and of every part",
                          bars->view.path, pps_count_text((double)bars->read).text,
                          bars->view.columns[bars->objective].name);
    if (status == PPS_OK)
        status = note_rows(bars, err);
    if (status != PPS_OK)
        pps_bars_close(bars);
    return status;
}

void pps_bars_close(struct pps_bars *bars)
{
    free(bars->parts);
    text_buffer_free(&bars->row);
    pps_best_free(&bars->best);
    pps_constant_columns_close(&bars->constants);
    pps_view_close(&bars->view);
    *bars = (struct pps_bars){.n_parts = 0};
}
