// SPDX-License-Identifier: Apache-2.0
// Evaluates rows of points: reads a batch of rows, runs the kernel on all threads and writes
// the results.
#include "engine/point/evaluate_private.h"

#include "base/system/machine.h"
#include "engine/experiment/kernel_calls.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum { ROWS_PER_THREAD = 256, CHUNK = 16 };

// ---- running ----------------------------------------------------------------------------------

// Grows the scratch memory for the rows first ... end - 1.
static enum pps_status grow_scratch(struct pps_evaluator *e, size_t first, size_t end)
{
    double highest[PPS_MAX_PARAMS];
    for (int p = 0; p < e->kernel->n_params; p++) {
        highest[p] = -HUGE_VAL;
        for (size_t i = first; i < end; i++)
            highest[p] = fmax(highest[p], pps_evaluate_param(e, p)[i]);
    }
    const size_t bytes = e->kernel->scratch_bytes(highest, e->kernel->shared);
    if (bytes <= e->scratch_bytes && e->scratch[0] != NULL)
        return PPS_OK;
    if (bytes == SIZE_MAX || (double)bytes * e->ask->threads > 0.8 * pps_machine_memory())
        return pps_csv_fail(e->csv, -1, e->err,
                            "a point up to here needs more memory than is available for %d "
                            "threads; use smaller values or fewer threads (-j)",
                            e->ask->threads);
    for (int t = 0; t < e->ask->threads; t++) {
        free(e->scratch[t]);
        e->scratch[t] = pps_scratch_take(bytes);
        if (e->scratch[t] == NULL)
            return pps_fail_memory(e->err, "the scratch of %s", e->kernel->name);
    }
    e->scratch_bytes = bytes;
    return PPS_OK;
}

// Runs the rows first ... end - 1 except skipped rows, one run of consecutive rows at a time.
static void run_rows(const struct pps_evaluator *e, size_t first, size_t end, void *scratch)
{
    const struct pps_worker worker = {scratch, e->ask->stop, e->ask->exact, e->kernel->shared,
                                      e->ask->point_limit};
    while (first < end) {
        const double *param[PPS_MAX_PARAMS];
        double *column[PPS_MAX_COLUMNS];
        char *text[PPS_MAX_COLUMNS];
        size_t n = 0;
        while (first + n < end && e->reason[first + n] == 0)
            n++;
        for (int p = 0; p < e->kernel->n_params; p++)
            param[p] = pps_evaluate_param(e, p) + first;
        for (int k = 0; k < e->kernel->n_columns; k++) {
            const size_t width = pps_column_width(&e->kernel->columns[k]);
            column[k] = e->wanted[k] && width == 0 ? pps_evaluate_column(e, k) + first : NULL;
            text[k] = e->wanted[k] && width > 0 ? e->texts[k] + first * width : NULL;
        }
        const struct pps_batch batch = {.n_points = n,
                                        .param = param,
                                        .column = column,
                                        .text = text,
                                        .outcome = e->outcome + first};
        if (n > 0)
            pps_kernel_run(e->kernel, &batch, &worker);
        for (size_t i = 0; i < n; i++)
            batch.outcome[i] = (uint8_t)pps_batch_outcome(e->kernel->columns, batch.outcome[i],
                                                          column, e->kernel->n_columns, i);
        first += n + 1;
    }
}

// Runs the rows one by one if all rows of the batch together need too much memory. Refuses rows
// that need too much memory alone.
static enum pps_status run_apart(struct pps_evaluator *e)
{
    enum pps_status status = PPS_OK;
    for (size_t i = 0; i < e->n && status == PPS_OK; i++) {
        if (e->reason[i] != 0)
            continue;
        status = grow_scratch(e, i, i + 1);
        if (status == PPS_OK)
            run_rows(e, i, i + 1, e->scratch[0]);
        else if (status == PPS_E_INPUT)
            status = pps_evaluate_refuse(e, i);
    }
    return status;
}

static enum pps_status run_together(struct pps_evaluator *e)
{
    const size_t chunks = (e->n + CHUNK - 1) / CHUNK;
    const int threads = chunks < (size_t)e->ask->threads ? (int)chunks : e->ask->threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads > 0 ? threads : 1)
    for (size_t c = 0; c < chunks; c++) {
        const size_t end = (c + 1) * CHUNK < e->n ? (c + 1) * CHUNK : e->n;
        run_rows(e, c * CHUNK, end, e->scratch[omp_get_thread_num()]);
    }
    return PPS_OK;
}

static enum pps_status flush_batch(struct pps_evaluator *e)
{
    enum pps_status status = e->n > 0 ? grow_scratch(e, 0, e->n) : PPS_OK;
    if (status == PPS_OK)
        status = run_together(e);
    else if (status == PPS_E_INPUT && !e->ask->strict)
        status = run_apart(e);
    if (status != PPS_OK)
        return status;
    if (pps_memory_failed()) // a kernel calls a point failed if it had no memory for it
        return pps_fail_memory(e->err, "the results");
    for (size_t i = 0; i < e->n; i++) {
        if (e->reason[i] == 0 && e->outcome[i] == PPS_STOPPED)
            return pps_fail(e->err, PPS_E_STOPPED, "stopped after %llu row%s",
                            (unsigned long long)e->count->rows, e->count->rows == 1 ? "" : "s");
        pps_evaluate_row(e, i);
    }
    e->n = e->cells_n = 0;
    if (e->ask->watch.read != NULL)
        e->ask->watch.read(e->ask->watch.self, pps_csv_part(e->csv), e->count->rows);
    if (fflush(e->ask->out) != 0)
        return pps_fail_errno(e->err, "cannot write", "the results");
    return PPS_OK;
}

// ---- entry points -----------------------------------------------------------------------------

static enum pps_status read_all(struct pps_evaluator *e)
{
    for (;;) {
        const struct pps_csv_row *row;
        enum pps_status status = pps_csv_next(e->csv, &row, e->err);
        const bool skipped = status == PPS_E_INPUT && !e->ask->strict && pps_csv_skip(e->csv);
        if (skipped)
            status = pps_evaluate_add_unreadable(e, NULL);
        else if (status == PPS_OK && row != NULL)
            status = pps_evaluate_add_row(e, row);
        const bool ended = row == NULL && !skipped;
        const struct pps_error said = *e->err;
        if (status != PPS_OK || ended || e->n == e->cap || !pps_csv_ready(e->csv)) {
            enum pps_status flushed = flush_batch(e);
            if (flushed != PPS_OK)
                return flushed;
        }
        if (status != PPS_OK)
            *e->err = said;
        if (status != PPS_OK || ended)
            return status;
    }
}

static enum pps_status allocate(struct pps_evaluator *e)
{
    const size_t arrays = (size_t)(e->kernel->n_params + e->kernel->n_columns);
    e->cap = (size_t)e->ask->threads * ROWS_PER_THREAD;
    e->values = calloc(arrays * e->cap, sizeof *e->values);
    e->outcome = calloc(e->cap, sizeof *e->outcome);
    e->reason = calloc(e->cap, sizeof *e->reason);
    e->row_cells = calloc(e->cap, sizeof *e->row_cells);
    e->row_why = calloc(e->cap, sizeof *e->row_why);
    e->scratch = calloc((size_t)e->ask->threads, sizeof *e->scratch);
    for (int k = 0; k < e->kernel->n_columns; k++) {
        const size_t width = pps_column_width(&e->kernel->columns[k]);
        e->texts[k] = width > 0 ? calloc(e->cap, width) : NULL;
        if (width > 0 && e->texts[k] == NULL)
            return pps_fail_memory(e->err, "the rows of %s", e->ask->path);
    }
    if (e->values == NULL || e->outcome == NULL || e->reason == NULL || e->row_cells == NULL ||
        e->row_why == NULL || e->scratch == NULL)
        return pps_fail_memory(e->err, "the rows of %s", e->ask->path);
    return PPS_OK;
}

static void release(struct pps_evaluator *e)
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
    free(e->row_why);
    free(e->cells);
    pps_csv_close(e->csv);
    free(e);
}

enum pps_status pps_evaluate(const struct pps_evaluate *ask, struct pps_evaluated *count,
                             struct pps_error *err)
{
    struct pps_evaluator *e = calloc(1, sizeof *e);
    *count = (struct pps_evaluated){.rows = 0};
    if (e == NULL)
        return pps_fail_memory(err, "the rows of %s", ask->path);
    e->ask = ask;
    e->kernel = ask->kernel;
    e->count = count;
    e->err = err;
    enum pps_status status = pps_point_limit_check(ask->kernel, ask->point_limit, err);
    if (status == PPS_OK)
        status = pps_columns_choose(ask->kernel, ask->metrics, e->wanted, err);
    if (status == PPS_OK)
        status = allocate(e);
    if (status == PPS_OK)
        status = pps_csv_open(&e->csv, ask->path, err);
    if (status == PPS_OK) {
        pps_csv_stop(e->csv, ask->stop);
        status = pps_evaluate_header(e);
    }
    if (status == PPS_OK)
        status = read_all(e);
    release(e);
    return status;
}
