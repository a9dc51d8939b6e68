// SPDX-License-Identifier: Apache-2.0
// Reads the input of an evaluation: the roles of its columns, and rows into the batch.
#include "base/text/grow_list.h"
#include "engine/point/evaluate_private.h"

#include "base/text/nearest.h"
#include "engine/experiment/documents.h"
#include "engine/point/one_point.h"
#include "engine/space/typed_columns.h"
#include "engine/space/value.h"

#include <string.h>

// ---- the header -------------------------------------------------------------------------------

static enum pps_status unknown_column(struct pps_evaluator *e, const struct pps_csv_row *row,
                                      int c)
{
    const char *names[PPS_MAX_PARAMS + PPS_MAX_COLUMNS];
    size_t n = 0;
    for (int p = 0; p < e->kernel->n_params; p++)
        if (!pps_csv_has(row, e->kernel->params[p].name))
            names[n++] = e->kernel->params[p].name;
    for (int k = 0; k < e->kernel->n_columns; k++)
        if (!pps_csv_has(row, e->kernel->columns[k].name))
            names[n++] = e->kernel->columns[k].name;
    return pps_csv_fail(e->csv, c, e->err,
                        "\"%.60s\" is neither a parameter nor a result of %s%s (--keep "
                        "passes other columns through)",
                        row->text[c], e->kernel->name,
                        pps_did_you_mean(row->text[c], names, n).text);
}

static struct pps_cell_column column_of_name(const struct pps_evaluator *e, const char *name,
                                             size_t n)
{
    const int p = pps_param_find(e->kernel, name, n);
    const int k = pps_column_find(e->kernel, name, n);
    const int tier = pps_typed_find(e->kernel, name, n);
    if (p >= 0)
        return (struct pps_cell_column){PPS_CELL_PARAM, p};
    if (k >= 0)
        return (struct pps_cell_column){PPS_CELL_RESULT, k};
    if (tier >= 0)
        return (struct pps_cell_column){PPS_CELL_TIER, tier};
    const bool reason = e->ask->reasons && strcmp(name, PPS_REASON_COLUMN) == 0;
    return (struct pps_cell_column){reason ? PPS_CELL_REASON : PPS_CELL_OTHER, -1};
}

static enum pps_status read_column(struct pps_evaluator *e, const struct pps_csv_row *row,
                                   int c)
{
    const struct pps_cell_column column = column_of_name(e, row->text[c], row->length[c]);
    const bool param = column.kind == PPS_CELL_PARAM || column.kind == PPS_CELL_TIER;
    if (column.kind == PPS_CELL_OTHER && !e->ask->keep)
        return unknown_column(e, row, c);
    for (int before = 0; before < c && column.kind != PPS_CELL_OTHER; before++)
        if (e->columns[before].kind == column.kind && e->columns[before].which == column.which)
            return pps_csv_fail(e->csv, c, e->err, "%s appears twice in the header",
                                row->text[c]);
    if (param && e->kernel->params[column.which].fixed)
        return pps_csv_fail(e->csv, c, e->err, "%s is set by a document; remove it",
                            row->text[c]);
    const uint64_t bit = param ? (uint64_t)1 << column.which : 0;
    e->paired |= e->named & bit;
    e->named |= bit;
    if (column.kind == PPS_CELL_RESULT)
        e->wanted[column.which] = true;
    e->columns[c] = column;
    e->output[c] = column;
    return PPS_OK;
}

enum pps_status pps_evaluate_header(struct pps_evaluator *e)
{
    const struct pps_csv_row *row;
    FILE *out = e->ask->out;
    enum pps_status status = pps_csv_next(e->csv, &row, e->err);
    if (status != PPS_OK)
        return status;
    if (row == NULL)
        return pps_csv_fail(e->csv, -1, e->err,
                            "the input is empty; its first line names the parameters");
    e->n_input = e->n_output = row->n;
    for (int c = 0; c < row->n; c++) {
        status = read_column(e, row, c);
        if (status != PPS_OK)
            return status;
    }
    for (int c = 0; c < row->n; c++) {
        fputs(c > 0 ? "," : "", out);
        pps_evaluate_cell(out, row->text[c]);
    }
    for (int k = 0; k < e->kernel->n_columns; k++) {
        bool there = !e->wanted[k];
        for (int c = 0; c < row->n; c++)
            there =
                there || (e->columns[c].kind == PPS_CELL_RESULT && e->columns[c].which == k);
        if (there)
            continue;
        e->output[e->n_output++] = (struct pps_cell_column){PPS_CELL_RESULT, k};
        fprintf(out, ",%s", e->kernel->columns[k].name);
    }
    if (e->ask->reasons && !pps_csv_has(row, PPS_REASON_COLUMN)) {
        e->output[e->n_output++] = (struct pps_cell_column){PPS_CELL_REASON, -1};
        fputs("," PPS_REASON_COLUMN, out);
    }
    fputc('\n', out);
    return PPS_OK;
}

// ---- rows -------------------------------------------------------------------------------------

static bool room_for_cells(struct pps_evaluator *e, size_t n)
{
    char *cells = pps_grow(e->cells, &e->cells_cap, e->cells_n + n + 1, 1);
    if (cells != NULL)
        e->cells = cells;
    return cells != NULL;
}

static void keep_text(struct pps_evaluator *e, const char *text, size_t n)
{
    memcpy(e->cells + e->cells_n, text, n);
    e->cells_n += n;
    e->cells[e->cells_n++] = '\0';
}

// Copies one cell per column of the header. If the row has too few cells, the rest are empty.
static enum pps_status keep_cells(struct pps_evaluator *e, const struct pps_csv_row *row)
{
    const int n = row == NULL ? 0 : row->n < e->n_input ? row->n : e->n_input;
    size_t need = (size_t)e->n_input;
    for (int c = 0; c < n; c++)
        need += row->raw_length[c];
    if (!room_for_cells(e, need))
        return pps_fail_memory(e->err, "the rows of %s", e->ask->path);
    e->row_cells[e->n] = e->cells_n;
    for (int c = 0; c < e->n_input; c++)
        keep_text(e, c < n ? row->raw[c] : "", c < n ? row->raw_length[c] : 0);
    return PPS_OK;
}

static void keep_point(struct pps_evaluator *e, const double *point, int reason)
{
    for (int p = 0; p < e->kernel->n_params; p++)
        pps_evaluate_param(e, p)[e->n] = point[p];
    e->reason[e->n++] = reason;
}

// Returns true if the value may also be in another column.
static bool is_paired(const struct pps_evaluator *e, int c)
{
    return (e->columns[c].kind == PPS_CELL_PARAM || e->columns[c].kind == PPS_CELL_TIER) &&
           (e->paired >> e->columns[c].which & 1) != 0;
}

// Reads the cell of a parameter into the point. Ignores cells of other columns.
static enum pps_status read_cell(struct pps_evaluator *e, const struct pps_csv_row *row, int c,
                                 uint64_t *given, double *point)
{
    char why[PPS_WHY];
    const int p = e->columns[c].which;
    if (e->columns[c].kind != PPS_CELL_PARAM && e->columns[c].kind != PPS_CELL_TIER)
        return PPS_OK;
    if ((*given >> p & 1) != 0)
        return pps_csv_fail(e->csv, c, e->err, "%s: a number and a name; one must be empty",
                            e->kernel->params[p].name);
    if (!pps_value_parse(&e->kernel->params[p], row->text[c], row->length[c], &point[p], why))
        return pps_csv_fail(e->csv, c, e->err, "%s: %s", e->kernel->params[p].name, why);
    *given |= (uint64_t)1 << p;
    return PPS_OK;
}

static enum pps_status read_point(struct pps_evaluator *e, const struct pps_csv_row *row,
                                  double *point)
{
    uint64_t given = 0;
    if (row->n != e->n_input)
        return pps_csv_fail(e->csv, -1, e->err, "%d cell%s, but the header has %d", row->n,
                            row->n == 1 ? "" : "s", e->n_input);
    pps_point_default(e->kernel, point);
    for (int c = 0; c < row->n; c++) {
        if (row->length[c] == 0 && is_paired(e, c))
            continue;
        enum pps_status status = read_cell(e, row, c, &given, point);
        if (status != PPS_OK)
            return status;
    }
    for (int c = 0; c < row->n && given != e->named; c++)
        if (is_paired(e, c) && (given >> e->columns[c].which & 1) == 0)
            return read_cell(e, row, c, &given, point); // reports the valid values
    pps_documents_say(e->ask->inputs, e->named, point);
    return PPS_OK;
}

enum pps_status pps_evaluate_refuse(struct pps_evaluator *e, size_t i)
{
    if (e->ask->unreadable != NULL)
        e->ask->unreadable(e->ask->self, e->err);
    const size_t n = strlen(e->err->text);
    if (!room_for_cells(e, n + 1))
        return pps_fail_memory(e->err, "the rows of %s", e->ask->path);
    e->row_why[i] = e->cells_n;
    keep_text(e, e->err->text, n);
    e->err->text[0] = '\0'; // the message was copied
    e->reason[i] = PPS_UNREADABLE;
    return PPS_OK;
}

enum pps_status pps_evaluate_add_unreadable(struct pps_evaluator *e,
                                            const struct pps_csv_row *row)
{
    double point[PPS_MAX_PARAMS];
    pps_point_default(e->kernel, point);
    enum pps_status status = keep_cells(e, row);
    if (status == PPS_OK)
        status = pps_evaluate_refuse(e, e->n);
    if (status == PPS_OK)
        keep_point(e, point, PPS_UNREADABLE);
    return status;
}

enum pps_status pps_evaluate_add_row(struct pps_evaluator *e, const struct pps_csv_row *row)
{
    double point[PPS_MAX_PARAMS];
    enum pps_status status = read_point(e, row, point);
    if (status == PPS_E_INPUT && !e->ask->strict)
        return pps_evaluate_add_unreadable(e, row);
    if (status == PPS_OK)
        status = keep_cells(e, row);
    if (status == PPS_OK)
        keep_point(e, point, e->kernel->check(point, e->kernel->shared));
    return status;
}
