// SPDX-License-Identifier: Apache-2.0
// Evaluating rows of points: a batch of rows is read, run by all threads, and written.
#include "evaluate.h"

#include "csvfile.h"
#include "decimal.h"
#include "inputs.h"
#include "machine.h"
#include "scratch.h"
#include "suggest.h"
#include "value.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_PER_THREAD = 256, CHUNK = 16 };

enum cell_kind { CELL_PARAM, CELL_RESULT, CELL_OTHER };

struct column {
    enum cell_kind kind;
    int which; // parameter or result column; of others their number in `cells`
};

struct evaluator {
    const struct pps_evaluate *ask;
    const struct pps_kernel *kernel;
    struct pps_evaluated *count;
    struct pps_csv *csv;
    struct column columns[PPS_CSV_COLUMNS]; // of the input
    int n_input;
    uint64_t named; // parameters that the input has
    struct column output[PPS_CSV_COLUMNS + PPS_MAX_COLUMNS];
    int n_output;
    bool wanted[PPS_MAX_COLUMNS];
    // the batch
    size_t n, cap;
    double *values;               // one array of cap a parameter, then one a result column
    char *texts[PPS_MAX_COLUMNS]; // of text columns: cap of them
    uint8_t *outcome;
    int *reason; // 0: run
    char *cells; // echoed cells of the batch, each ended with NUL
    size_t cells_n, cells_cap;
    size_t *row_cells; // where the cells of a row begin
    char **scratch;    // one a thread
    size_t scratch_bytes;
    struct pps_error *err;
};

// ---- the header -------------------------------------------------------------------------------

static enum pps_status unknown_column(struct evaluator *e, const char *name, int c)
{
    const char *names[PPS_MAX_PARAMS + PPS_MAX_COLUMNS];
    size_t n = 0;
    for (int p = 0; p < e->kernel->n_params; p++)
        names[n++] = e->kernel->params[p].name;
    for (int k = 0; k < e->kernel->n_columns; k++)
        names[n++] = e->kernel->columns[k].name;
    const char *near = pps_suggest(name, names, n);
    return pps_csv_fail(e->csv, c, e->err,
                        "\"%.60s\" is neither a parameter nor a result of %s%s%s%s (--keep "
                        "passes other columns through)",
                        name, e->kernel->name, near ? "; did you mean " : "", near ? near : "",
                        near ? "?" : "");
}

static enum pps_status read_column(struct evaluator *e, const struct pps_csv_row *row, int c)
{
    const int p = pps_param_find(e->kernel, row->text[c], row->length[c]);
    const int k = pps_column_find(e->kernel, row->text[c], row->length[c]);
    const struct column column = {p >= 0   ? CELL_PARAM
                                  : k >= 0 ? CELL_RESULT
                                           : CELL_OTHER,
                                  p >= 0 ? p : k};
    if (column.kind == CELL_OTHER && !e->ask->keep)
        return unknown_column(e, row->text[c], c);
    for (int before = 0; before < c && column.kind != CELL_OTHER; before++)
        if (e->columns[before].kind == column.kind && e->columns[before].which == column.which)
            return pps_csv_fail(e->csv, c, e->err, "%s stands twice in the header",
                                row->text[c]);
    if (column.kind == CELL_PARAM && e->kernel->params[p].fixed)
        return pps_csv_fail(e->csv, c, e->err, "%s is said by a document; leave it out",
                            row->text[c]);
    if (column.kind == CELL_PARAM)
        e->named |= (uint64_t)1 << p;
    if (column.kind == CELL_RESULT)
        e->wanted[k] = true;
    e->columns[c] = column;
    e->output[c] = column;
    return PPS_OK;
}

static void write_cell(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"')
            fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

static enum pps_status read_header(struct evaluator *e)
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
        write_cell(out, row->text[c]);
    }
    for (int k = 0; k < e->kernel->n_columns; k++) {
        bool there = !e->wanted[k];
        for (int c = 0; c < row->n; c++)
            there = there || (e->columns[c].kind == CELL_RESULT && e->columns[c].which == k);
        if (there)
            continue;
        e->output[e->n_output++] = (struct column){CELL_RESULT, k};
        fprintf(out, ",%s", e->kernel->columns[k].name);
    }
    fputc('\n', out);
    return PPS_OK;
}

// ---- reading rows -----------------------------------------------------------------------------

static double *param_array(const struct evaluator *e, int p)
{
    return e->values + (size_t)p * e->cap;
}

static double *column_array(const struct evaluator *e, int k)
{
    return e->values + (size_t)(e->kernel->n_params + k) * e->cap;
}

static enum pps_status keep_cells(struct evaluator *e, const struct pps_csv_row *row)
{
    size_t need = e->cells_n;
    for (int c = 0; c < row->n; c++)
        need += row->raw_length[c] + 1;
    if (need > e->cells_cap) {
        char *cells = realloc(e->cells, 2 * need);
        if (cells == NULL)
            return pps_fail_errno(e->err, "no memory for rows of", e->ask->path);
        e->cells = cells;
        e->cells_cap = 2 * need;
    }
    e->row_cells[e->n] = e->cells_n;
    for (int c = 0; c < row->n; c++) {
        memcpy(e->cells + e->cells_n, row->raw[c], row->raw_length[c]);
        e->cells_n += row->raw_length[c];
        e->cells[e->cells_n++] = '\0';
    }
    return PPS_OK;
}

static enum pps_status add_row(struct evaluator *e, const struct pps_csv_row *row)
{
    double point[PPS_MAX_PARAMS];
    char why[PPS_WHY];
    if (row->n != e->n_input)
        return pps_csv_fail(e->csv, -1, e->err, "%d cell%s, but the header has %d", row->n,
                            row->n == 1 ? "" : "s", e->n_input);
    for (int p = 0; p < e->kernel->n_params; p++)
        point[p] = e->kernel->params[p].fallback;
    for (int c = 0; c < row->n; c++) {
        const int p = e->columns[c].which;
        if (e->columns[c].kind == CELL_PARAM &&
            !pps_value_parse(&e->kernel->params[p], row->text[c], row->length[c], &point[p],
                             why))
            return pps_csv_fail(e->csv, c, e->err, "%s: %s", e->kernel->params[p].name, why);
    }
    pps_inputs_say(e->ask->inputs, e->named, point);
    enum pps_status status = keep_cells(e, row);
    if (status != PPS_OK)
        return status;
    e->reason[e->n] = e->kernel->check(point, e->kernel->shared);
    for (int p = 0; p < e->kernel->n_params; p++)
        param_array(e, p)[e->n] = point[p];
    e->n++;
    return PPS_OK;
}

// ---- running ----------------------------------------------------------------------------------

static enum pps_status grow_scratch(struct evaluator *e)
{
    double highest[PPS_MAX_PARAMS];
    for (int p = 0; p < e->kernel->n_params; p++) {
        highest[p] = -HUGE_VAL;
        for (size_t i = 0; i < e->n; i++)
            highest[p] = fmax(highest[p], param_array(e, p)[i]);
    }
    const size_t bytes = e->kernel->scratch_bytes(highest, e->kernel->shared);
    if (bytes <= e->scratch_bytes && e->scratch[0] != NULL)
        return PPS_OK;
    if (bytes == SIZE_MAX || (double)bytes * e->ask->threads > 0.8 * pps_machine_memory())
        return pps_csv_fail(
            e->csv, -1, e->err,
            "a point up to here needs more memory than there is for %d threads; "
            "take smaller values or fewer threads (-j)",
            e->ask->threads);
    for (int t = 0; t < e->ask->threads; t++) {
        free(e->scratch[t]);
        e->scratch[t] = pps_scratch_take(bytes);
        if (e->scratch[t] == NULL)
            return pps_fail_errno(e->err, "no scratch memory for", e->kernel->name);
    }
    e->scratch_bytes = bytes;
    return PPS_OK;
}

// Runs rows first ... end - 1 but those left out, one stretch of kept rows at a time.
static void run_rows(const struct evaluator *e, size_t first, size_t end, void *scratch)
{
    const struct pps_worker worker = {scratch, e->ask->stop, e->ask->exact, e->kernel->shared};
    while (first < end) {
        const double *param[PPS_MAX_PARAMS];
        double *column[PPS_MAX_COLUMNS];
        char *text[PPS_MAX_COLUMNS];
        size_t n = 0;
        while (first + n < end && e->reason[first + n] == 0)
            n++;
        for (int p = 0; p < e->kernel->n_params; p++)
            param[p] = param_array(e, p) + first;
        for (int k = 0; k < e->kernel->n_columns; k++) {
            const size_t width = pps_column_width(&e->kernel->columns[k]);
            column[k] = e->wanted[k] && width == 0 ? column_array(e, k) + first : NULL;
            text[k] = e->wanted[k] && width > 0 ? e->texts[k] + first * width : NULL;
        }
        const struct pps_batch batch = {n, param, column, text, e->outcome + first, NULL};
        if (n > 0)
            e->kernel->run(&batch, &worker);
        first += n + 1;
    }
}

// What became of row i, which was not left out: a result without a number somewhere is none.
static enum pps_outcome outcome_of(const struct evaluator *e, size_t i)
{
    if (e->outcome[i] != PPS_DONE)
        return (enum pps_outcome)e->outcome[i];
    for (int k = 0; k < e->kernel->n_columns; k++)
        if (e->wanted[k] && e->texts[k] == NULL && !isfinite(column_array(e, k)[i]))
            return PPS_FAILED;
    return PPS_DONE;
}

static void write_result(const struct evaluator *e, size_t i, int k)
{
    char text[PPS_DECIMAL_CAP];
    const struct pps_column *column = &e->kernel->columns[k];
    if (column->kind == PPS_COLUMN_TEXT)
        fputs(e->texts[k] + i * pps_column_width(column), e->ask->out);
    else if (isfinite(column_array(e, k)[i]))
        fwrite(text, 1,
               pps_decimal_write(text, column_array(e, k)[i],
                                 pps_column_decimals(e->kernel, k, e->ask->digits)),
               e->ask->out);
}

static void write_row(struct evaluator *e, size_t i)
{
    const char *cell = e->cells + e->row_cells[i];
    const enum pps_outcome outcome = e->reason[i] != 0 ? PPS_FAILED : outcome_of(e, i);
    const bool answered = outcome != PPS_FAILED;
    FILE *out = e->ask->out;
    for (int c = 0; c < e->n_output; c++) {
        fputs(c > 0 ? "," : "", out);
        if (e->output[c].kind == CELL_RESULT && answered)
            write_result(e, i, e->output[c].which);
        else if (e->output[c].kind != CELL_RESULT)
            write_cell(out, cell);
        if (c < e->n_input)
            cell += strlen(cell) + 1;
    }
    fputc('\n', out);
    e->count->rows++;
    if (e->reason[i] != 0)
        e->count->left_out[e->reason[i]]++;
    else if (outcome == PPS_FAILED)
        e->count->failed++;
    e->count->infeasible += outcome == PPS_INFEASIBLE;
}

static enum pps_status flush_batch(struct evaluator *e)
{
    enum pps_status status = e->n > 0 ? grow_scratch(e) : PPS_OK;
    if (status != PPS_OK)
        return status;
    const size_t chunks = (e->n + CHUNK - 1) / CHUNK;
    const int threads = chunks < (size_t)e->ask->threads ? (int)chunks : e->ask->threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads > 0 ? threads : 1)
    for (size_t c = 0; c < chunks; c++) {
        const size_t end = (c + 1) * CHUNK < e->n ? (c + 1) * CHUNK : e->n;
        run_rows(e, c * CHUNK, end, e->scratch[omp_get_thread_num()]);
    }
    for (size_t i = 0; i < e->n; i++) {
        if (e->reason[i] == 0 && e->outcome[i] == PPS_STOPPED)
            return pps_fail(e->err, PPS_E_STOPPED, "stopped after %llu rows",
                            (unsigned long long)e->count->rows);
        write_row(e, i);
    }
    e->n = e->cells_n = 0;
    if (fflush(e->ask->out) != 0)
        return pps_fail_errno(e->err, "cannot write", "the results");
    return PPS_OK;
}

// ---- the whole --------------------------------------------------------------------------------

static enum pps_status read_all(struct evaluator *e)
{
    for (;;) {
        const struct pps_csv_row *row;
        enum pps_status status = pps_csv_next(e->csv, &row, e->err);
        if (status == PPS_OK && row != NULL)
            status = add_row(e, row);
        const struct pps_error said = *e->err;
        if (status != PPS_OK || row == NULL || e->n == e->cap || !pps_csv_ready(e->csv)) {
            enum pps_status flushed = flush_batch(e);
            if (flushed != PPS_OK)
                return flushed;
        }
        if (status != PPS_OK)
            *e->err = said;
        if (status != PPS_OK || row == NULL)
            return status;
    }
}

static enum pps_status allocate(struct evaluator *e)
{
    const size_t arrays = (size_t)(e->kernel->n_params + e->kernel->n_columns);
    e->cap = (size_t)e->ask->threads * ROWS_PER_THREAD;
    e->values = calloc(arrays * e->cap, sizeof *e->values);
    e->outcome = calloc(e->cap, sizeof *e->outcome);
    e->reason = calloc(e->cap, sizeof *e->reason);
    e->row_cells = calloc(e->cap, sizeof *e->row_cells);
    e->scratch = calloc((size_t)e->ask->threads, sizeof *e->scratch);
    for (int k = 0; k < e->kernel->n_columns; k++) {
        const size_t width = pps_column_width(&e->kernel->columns[k]);
        e->texts[k] = width > 0 ? calloc(e->cap, width) : NULL;
        if (width > 0 && e->texts[k] == NULL)
            return pps_fail_errno(e->err, "no memory for rows of", e->ask->path);
    }
    if (e->values == NULL || e->outcome == NULL || e->reason == NULL || e->row_cells == NULL ||
        e->scratch == NULL)
        return pps_fail_errno(e->err, "no memory for rows of", e->ask->path);
    return PPS_OK;
}

static void release(struct evaluator *e)
{
    for (int t = 0; e->scratch != NULL && t < e->ask->threads; t++)
        free(e->scratch[t]);
    free(e->scratch);
    for (int k = 0; k < e->kernel->n_columns; k++)
        free(e->texts[k]);
    free(e->values);
    free(e->outcome);
    free(e->reason);
    free(e->row_cells);
    free(e->cells);
    pps_csv_close(e->csv);
    free(e);
}

enum pps_status pps_evaluate(const struct pps_evaluate *ask,
                             struct pps_evaluated *count,
                             struct pps_error *err)
{
    struct evaluator *e = calloc(1, sizeof *e);
    *count = (struct pps_evaluated){.rows = 0};
    if (e == NULL)
        return pps_fail_errno(err, "no memory for rows of", ask->path);
    e->ask = ask;
    e->kernel = ask->kernel;
    e->count = count;
    e->err = err;
    enum pps_status status = pps_columns_choose(ask->kernel, ask->metrics, e->wanted, err);
    if (status == PPS_OK)
        status = allocate(e);
    if (status == PPS_OK)
        status = pps_csv_open(&e->csv, ask->path, err);
    if (status == PPS_OK)
        status = read_header(e);
    if (status == PPS_OK)
        status = read_all(e);
    release(e);
    return status;
}
