// SPDX-License-Identifier: Apache-2.0
// Walking, running and writing: the inner loop of a sweep.
#include "rows.h"

#include "decimal.h"
#include "machine.h"
#include "result.h"
#include "scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_TARGET = 1 << 20, // bytes of text a block aims at
    WORK_TARGET_NS = 20 * 1000 * 1000,
    SAMPLES = 64,
};

struct pps_rowmaker {
    const struct pps_experiment *experiment;
    const struct pps_kernel *kernel;
    struct pps_cursor cursor;
    struct pps_best best;
    int objective;
    double *values; // one array of PPS_BATCH for each parameter, then for each wanted column
    const double *param[PPS_MAX_PARAMS];
    double *column[PPS_MAX_COLUMNS];
    int decimals[PPS_MAX_COLUMNS];
    uint8_t outcome[PPS_BATCH];
    uint64_t index[PPS_BATCH];
    size_t n_batch;
    char *prefixes; // PPS_BATCH of prefix_cap bytes
    size_t prefix_cap;
    size_t prefix_n[PPS_BATCH];
    char *text;
    size_t text_n, text_cap;
    size_t row_cap; // greatest bytes of a row
    void *scratch;
    struct pps_auditor *auditor; // or NULL
    double only_audited;         // make no rows but those of this fraction; 0: all
    struct pps_cell shown;       // the objective in the row written last; n 0: not shown
};

// ---- opening ----------------------------------------------------------------------------------

enum pps_status pps_scratch_bytes(const struct pps_experiment *experiment,
                                  int threads,
                                  size_t *bytes,
                                  struct pps_error *err)
{
    const double memory = 0.8 * pps_machine_memory();
    *bytes = experiment->kernel->scratch_bytes(experiment->space.highest);
    if (*bytes == SIZE_MAX || (double)*bytes * threads > memory)
        return pps_fail(err, PPS_E_INPUT,
                        "the largest point of this experiment needs %.3g GiB a thread, and %d "
                        "threads have %.3g GiB; take smaller values or fewer threads (-j)",
                        (double)*bytes / 0x1p30, threads, memory / 0x1p30);
    return PPS_OK;
}

static void set_columns(struct pps_rowmaker *m)
{
    double *next = m->values;
    for (int p = 0; p < m->kernel->n_params; p++, next += PPS_BATCH)
        m->param[p] = next;
    for (int c = 0; c < m->kernel->n_columns; c++) {
        m->decimals[c] = pps_column_decimals(m->kernel, c, m->experiment->digits);
        if (!m->experiment->wanted[c] && c != m->objective)
            continue;
        m->column[c] = next;
        next += PPS_BATCH;
    }
}

enum pps_status pps_rowmaker_open(struct pps_rowmaker **maker,
                                  const struct pps_experiment *experiment,
                                  int objective,
                                  size_t n_best,
                                  struct pps_error *err)
{
    const struct pps_kernel *kernel = experiment->kernel;
    const size_t arrays = (size_t)(kernel->n_params + kernel->n_columns);
    size_t scratch_bytes;
    struct pps_rowmaker *m = calloc(1, sizeof *m);
    *maker = m;
    enum pps_status status = pps_scratch_bytes(experiment, 1, &scratch_bytes, err);
    if (status != PPS_OK)
        return status;
    if (m == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for a worker");
    m->experiment = experiment;
    m->kernel = kernel;
    m->objective = objective;
    m->prefix_cap = (size_t)(experiment->space.n_columns + 1) * PPS_CELL_TEXT;
    m->row_cap = m->prefix_cap + (size_t)kernel->n_columns * (PPS_DECIMAL_CAP + 1) + 1;
    m->text_cap = TEXT_TARGET + TEXT_TARGET / 4 + PPS_BATCH * m->row_cap;
    m->values = calloc(arrays * PPS_BATCH, sizeof *m->values);
    m->prefixes = malloc(PPS_BATCH * m->prefix_cap);
    m->text = malloc(m->text_cap);
    m->scratch = pps_scratch_take(scratch_bytes);
    if (m->values == NULL || m->prefixes == NULL || m->text == NULL || m->scratch == NULL)
        return pps_fail(err, PPS_E_MACHINE, "no memory for a worker (%zu bytes of scratch)",
                        scratch_bytes);
    set_columns(m);
    const bool higher = kernel->columns[objective].goal == PPS_HIGHER;
    pps_best_init(&m->best, n_best, higher);
    return PPS_OK;
}

enum pps_status pps_rowmaker_audit(struct pps_rowmaker *m,
                                   double fraction,
                                   bool only,
                                   struct pps_error *err)
{
    m->only_audited = only ? fraction : 0;
    return pps_auditor_open(&m->auditor, m->experiment, fraction, err);
}

void pps_rowmaker_close(struct pps_rowmaker *m)
{
    if (m == NULL)
        return;
    pps_auditor_close(m->auditor);
    pps_best_free(&m->best);
    free(m->values);
    free(m->prefixes);
    free(m->text);
    free(m->scratch);
    free(m);
}

struct pps_best *pps_rowmaker_best(struct pps_rowmaker *m)
{
    return &m->best;
}

// ---- a batch ----------------------------------------------------------------------------------

// Takes the cursor's points up to `end` into the batch, as many as it holds.
static void gather(struct pps_rowmaker *m, uint64_t end, struct pps_left_out *left_out)
{
    struct pps_cursor *cursor = &m->cursor;
    m->n_batch = 0;
    while (m->n_batch < PPS_BATCH && pps_cursor_next(cursor, end, left_out)) {
        if (m->only_audited > 0 && !pps_audit_chooses(m->only_audited, cursor->index)) {
            pps_cursor_step(cursor);
            continue;
        }
        const size_t i = m->n_batch++;
        for (int p = 0; p < m->kernel->n_params; p++)
            m->values[(size_t)p * PPS_BATCH + i] = cursor->point[p];
        memcpy(m->prefixes + i * m->prefix_cap, cursor->prefix, cursor->prefix_n);
        m->prefix_n[i] = cursor->prefix_n;
        m->index[i] = cursor->index;
        pps_cursor_step(cursor);
    }
}

static bool room_for_batch(struct pps_rowmaker *m)
{
    const size_t need = m->text_n + m->n_batch * m->row_cap;
    if (need <= m->text_cap)
        return true;
    char *text = realloc(m->text, 2 * need);
    if (text == NULL)
        return false;
    m->text = text;
    m->text_cap = 2 * need;
    return true;
}

static bool has_results(const struct pps_rowmaker *m, size_t i)
{
    for (int c = 0; c < m->kernel->n_columns; c++)
        if (m->column[c] != NULL && !isfinite(m->column[c][i]))
            return false;
    return m->outcome[i] == PPS_DONE;
}

static void write_results(struct pps_rowmaker *m, size_t i, bool done)
{
    char *out = m->text + m->text_n;
    m->shown.n = 0;
    for (int c = 0; c < m->kernel->n_columns; c++) {
        const char *cell = out;
        if (!m->experiment->wanted[c])
            continue;
        if (done && m->kernel->columns[c].kind == PPS_COLUMN_INTEGER)
            out += pps_decimal_integer(out, m->column[c][i]);
        else if (done)
            out += pps_decimal_write(out, m->column[c][i], m->decimals[c]);
        if (c == m->objective)
            m->shown = (struct pps_cell){cell, (size_t)(out - cell)};
        *out++ = ',';
    }
    out[-1] = '\n';
    m->text_n = (size_t)(out - m->text);
}

static enum pps_status write_row(struct pps_rowmaker *m,
                                 size_t i,
                                 struct pps_rows *rows,
                                 struct pps_error *err)
{
    const size_t start = m->text_n;
    const bool done = has_results(m, i);
    memcpy(m->text + m->text_n, m->prefixes + i * m->prefix_cap, m->prefix_n[i]);
    m->text_n += m->prefix_n[i];
    write_results(m, i, done);
    rows->rows++;
    if (!done) {
        if (rows->failed++ == 0)
            rows->failed_example = m->index[i];
        return PPS_OK;
    }
    double value = m->column[m->objective][i];
    if (!pps_best_would_take(&m->best, value))
        return PPS_OK;
    if (m->shown.n > 0)
        (void)pps_cell_number(m->shown, &value);
    return pps_best_add(&m->best, value, m->index[i], m->text + start, m->text_n - start - 1,
                        err);
}

static enum pps_status run_batch(struct pps_rowmaker *m,
                                 const atomic_bool *stop,
                                 struct pps_rows *rows,
                                 struct pps_error *err)
{
    const struct pps_batch batch = {m->n_batch, m->param, m->column, m->outcome,
                                    &rows->recalled};
    const struct pps_worker worker = {m->scratch, stop, m->experiment->exact};
    m->kernel->run(&batch, &worker);
    if (!room_for_batch(m))
        return pps_fail(err, PPS_E_MACHINE, "no memory for the rows of a block");
    for (size_t i = 0; i < m->n_batch; i++) {
        if (m->outcome[i] == PPS_STOPPED) {
            rows->stopped = true;
            return PPS_OK;
        }
        enum pps_status status = write_row(m, i, rows, err);
        if (status != PPS_OK)
            return status;
    }
    if (m->auditor == NULL)
        return PPS_OK;
    return pps_auditor_batch(m->auditor, &batch, m->index, &worker, &rows->audited, err);
}

enum pps_status pps_rowmaker_make(struct pps_rowmaker *m,
                                  uint64_t first,
                                  uint64_t n,
                                  const atomic_bool *stop,
                                  struct pps_rows *rows,
                                  struct pps_error *err)
{
    *rows = (struct pps_rows){.n = 0};
    m->text_n = 0;
    pps_cursor_seek(&m->cursor, &m->experiment->space, first);
    do {
        gather(m, first + n, rows->left_out);
        enum pps_status status = m->n_batch > 0 ? run_batch(m, stop, rows, err) : PPS_OK;
        if (status != PPS_OK)
            return status;
        rows->stopped = rows->stopped || rows->audited.stopped;
    } while (m->cursor.index < first + n && !rows->stopped);
    rows->text = m->text;
    rows->n = m->text_n;
    return PPS_OK;
}

// ---- blocks -----------------------------------------------------------------------------------

static size_t results_bytes(const struct pps_experiment *experiment)
{
    size_t n = 0;
    for (int c = 0; c < experiment->kernel->n_columns; c++)
        if (experiment->wanted[c])
            n += 8;
    return n;
}

void pps_estimate(const struct pps_experiment *experiment, double *cost_ns, double *row_bytes)
{
    struct pps_cursor cursor;
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    const uint64_t n = experiment->n_points;
    const uint64_t samples = n < SAMPLES ? n : SAMPLES;
    uint64_t seen = 0;
    *cost_ns = *row_bytes = 0;
    for (uint64_t s = 0; s < samples; s++) {
        const uint64_t index = n / samples * s + n / samples / 2;
        pps_cursor_seek(&cursor, &experiment->space, index);
        if (!pps_cursor_next(&cursor, index + 1, left_out))
            continue;
        *cost_ns += experiment->kernel->cost(cursor.point);
        *row_bytes += (double)(cursor.prefix_n + results_bytes(experiment));
        seen++;
    }
    *cost_ns = seen > 0 ? *cost_ns / (double)seen : 1000;
    *row_bytes = seen > 0 ? *row_bytes / (double)seen : 100;
}

uint64_t pps_block_points(const struct pps_experiment *experiment)
{
    double cost_ns, row_bytes;
    pps_estimate(experiment, &cost_ns, &row_bytes);
    const double points = fmin(TEXT_TARGET / row_bytes, WORK_TARGET_NS / fmax(cost_ns, 1));
    return points > 1 ? (uint64_t)points : 1;
}
