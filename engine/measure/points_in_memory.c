// SPDX-License-Identifier: Apache-2.0
// Times a kernel alone.
#include "engine/measure/points_in_memory.h"

#include "base/system/machine.h"
#include "engine/experiment/kernel_calls.h"
#include "engine/run/audit.h"
#include "engine/run/row_maker.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PASSES = 101 };

struct pps_benchpoints {
    const struct pps_experiment *experiment;
    const struct pps_kernel *kernel;
    uint64_t n, cap;
    double *values; // one array of cap values for each parameter, then for each column
    char *texts[PPS_MAX_COLUMNS]; // cap texts for each text column
    uint8_t *outcome;
    uint64_t *index;
    double events; // of the last pass
    size_t scratch_bytes;
    void *scratch;
};

double pps_bench_median(double *values, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
            const double swap = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
    return values[n / 2];
}

// ---- opening ----------------------------------------------------------------------------------

// Stores up to `most` points of the cursor before `end` that are not skipped.
static void take(struct pps_benchpoints *b, struct pps_cursor *cursor, uint64_t end,
                 uint64_t most)
{
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    for (; most > 0 && pps_cursor_next(cursor, end, left_out); most--) {
        for (int p = 0; p < b->kernel->n_params; p++)
            b->values[(size_t)p * b->cap + b->n] = cursor->point[p];
        b->index[b->n++] = cursor->index;
        pps_cursor_step(cursor);
    }
}

static enum pps_status gather(struct pps_benchpoints *b, uint64_t together,
                              struct pps_error *err)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    const uint64_t all = b->experiment->n_points;
    if (cursor == NULL)
        return pps_fail_memory(err, "a benchmark");
    for (uint64_t i = 0; i < b->cap; i += together) {
        const double step = (double)all / (double)b->cap;
        const uint64_t at = (uint64_t)(step * (double)i);
        const uint64_t end = (uint64_t)(step * (double)(i + together));
        const uint64_t most = together < b->cap - i ? together : b->cap - i;
        pps_cursor_seek(cursor, &b->experiment->space, at);
        take(b, cursor, end < all ? end : all, most);
    }
    free(cursor);
    return b->n > 0
               ? PPS_OK
               : pps_fail(err, PPS_E_INPUT, "every point of %s is skipped", b->kernel->name);
}

// Allocates the arrays. Returns false if memory runs out.
static bool allocate(struct pps_benchpoints *b)
{
    const struct pps_kernel *kernel = b->kernel;
    b->values = calloc((size_t)(kernel->n_params + kernel->n_columns) * b->cap, sizeof(double));
    b->outcome = calloc(b->cap, sizeof *b->outcome);
    b->index = calloc(b->cap, sizeof *b->index);
    b->scratch = pps_scratch_take(b->scratch_bytes);
    for (int c = 0; c < kernel->n_columns; c++) {
        const size_t width = pps_column_width(&kernel->columns[c]);
        if (width > 0 && (b->texts[c] = calloc(b->cap, width)) == NULL)
            return false;
    }
    return b->values != NULL && b->outcome != NULL && b->index != NULL && b->scratch != NULL;
}

enum pps_status pps_benchpoints_open(struct pps_benchpoints **points,
                                     const struct pps_experiment *experiment, uint64_t n,
                                     uint64_t together, struct pps_error *err)
{
    size_t scratch_bytes;
    *points = NULL;
    enum pps_status status = pps_scratch_bytes(experiment, 1, &scratch_bytes, err);
    if (status != PPS_OK)
        return status;
    struct pps_benchpoints *b = calloc(1, sizeof *b);
    if (b == NULL)
        return pps_fail_memory(err, "a benchmark");
    b->experiment = experiment;
    b->kernel = experiment->kernel;
    b->cap = n < experiment->n_points ? n : experiment->n_points;
    b->scratch_bytes = scratch_bytes;
    status = allocate(b) ? gather(b, together, err) : pps_fail_memory(err, "a benchmark");
    if (status == PPS_OK)
        *points = b;
    else
        pps_benchpoints_close(b);
    return status;
}

void pps_benchpoints_close(struct pps_benchpoints *b)
{
    if (b == NULL)
        return;
    for (int c = 0; c < b->kernel->n_columns; c++)
        free(b->texts[c]);
    free(b->values);
    free(b->outcome);
    free(b->index);
    free(b->scratch);
    free(b);
}

uint64_t pps_benchpoints_count(const struct pps_benchpoints *b)
{
    return b->n;
}

size_t pps_benchpoints_scratch(const struct pps_benchpoints *b)
{
    return b->scratch_bytes;
}

double pps_benchpoints_events(const struct pps_benchpoints *b)
{
    return b->events / (double)b->n;
}

// ---- passes -----------------------------------------------------------------------------------

// Runs a batch of the points from `first` on.
struct stretch {
    struct pps_batch batch;
    const double *param[PPS_MAX_PARAMS];
    double *column[PPS_MAX_COLUMNS];
    char *text[PPS_MAX_COLUMNS];
};

static void set_stretch(struct pps_benchpoints *b, uint64_t first, struct stretch *s)
{
    const struct pps_kernel *kernel = b->kernel;
    const uint64_t left = b->n - first;
    for (int p = 0; p < kernel->n_params; p++)
        s->param[p] = b->values + (size_t)p * b->cap + first;
    for (int c = 0; c < kernel->n_columns; c++) {
        const size_t width = pps_column_width(&kernel->columns[c]);
        const bool wanted = b->experiment->wanted[c] || c == 0;
        s->column[c] = wanted && width == 0
                           ? b->values + (size_t)(kernel->n_params + c) * b->cap + first
                           : NULL;
        s->text[c] = wanted && width > 0 ? b->texts[c] + first * width : NULL;
    }
    s->batch = (struct pps_batch){.n_points = left < PPS_BATCH ? left : PPS_BATCH,
                                  .param = s->param,
                                  .column = s->column,
                                  .text = s->text,
                                  .outcome = b->outcome + first,
                                  .n_events = &b->events};
}

static void pass(struct pps_benchpoints *b, pps_bench_function *function,
                 const atomic_bool *stop)
{
    const struct pps_worker worker = {b->scratch, stop, b->experiment->exact, b->kernel->shared,
                                      0};
    b->events = 0;
    for (uint64_t first = 0; first < b->n; first += PPS_BATCH) {
        struct stretch s;
        set_stretch(b, first, &s);
        function(&s.batch, &worker);
    }
}

enum pps_status pps_benchpoints_time(struct pps_benchpoints *b, pps_bench_function *function,
                                     double seconds, const atomic_bool *stop, double *point_s,
                                     struct pps_error *err)
{
    double took[MAX_PASSES];
    const double start = pps_wall_seconds();
    int n = 0;
    do {
        memset(b->scratch, 0, b->scratch_bytes); // else, passes recall the first one
        const double before = pps_cpu_seconds();
        pass(b, function, stop);
        took[n++] = pps_cpu_seconds() - before;
        if (atomic_load_explicit(stop, memory_order_relaxed))
            return pps_fail(err, PPS_E_STOPPED, "stopped");
    } while (n < MAX_PASSES && pps_wall_seconds() - start < seconds);
    for (uint64_t i = 0; i < b->n; i++)
        if (b->outcome[i] != PPS_DONE && b->outcome[i] != PPS_INFEASIBLE)
            return pps_fail(err, PPS_E_POINTS, "%s could not finish a point of the benchmark",
                            b->kernel->name);
    *point_s = pps_bench_median(took, n) / (double)b->n;
    return PPS_OK;
}

enum pps_status pps_benchpoints_audit(struct pps_benchpoints *b, const atomic_bool *stop,
                                      double *largest, struct pps_error *err)
{
    const struct pps_worker worker = {b->scratch, stop, b->experiment->exact, b->kernel->shared,
                                      0};
    struct pps_audited audited = {.rows = 0};
    struct pps_auditor *auditor = NULL;
    enum pps_status status = pps_auditor_open(&auditor, b->experiment, 1, err);
    for (uint64_t first = 0; status == PPS_OK && first < b->n; first += PPS_BATCH) {
        struct stretch s;
        set_stretch(b, first, &s);
        pps_kernel_run(b->kernel, &s.batch, &worker);
        status = pps_auditor_batch(auditor, &s.batch, b->index + first, &worker, &audited, err);
    }
    if (status == PPS_OK && audited.stopped)
        status = pps_fail(err, PPS_E_STOPPED, "stopped");
    *largest = audited.largest;
    pps_auditor_close(auditor);
    return status;
}
