// SPDX-License-Identifier: Apache-2.0
// Chooses the audited rows, runs the reference on them and compares the results.
#include "engine/run/audit.h"

#include "engine/experiment/kernel_calls.h"
#include "engine/experiment/point_text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct pps_auditor {
    const struct pps_experiment *experiment;
    const struct pps_kernel *kernel;
    double fraction;
    double *values; // one array of PPS_BATCH per parameter, then one per column
    const double *param[PPS_MAX_PARAMS];
    double *all_columns[PPS_MAX_COLUMNS];
    double *column[PPS_MAX_COLUMNS];  // NULL if `run` did not compute it
    char *all_texts[PPS_MAX_COLUMNS]; // NULL: not a text column
    char *text[PPS_MAX_COLUMNS];
    uint8_t outcome[PPS_BATCH];
    size_t row[PPS_BATCH]; // row in the batch of `run`
};

void pps_audited_add(struct pps_audited *total, const struct pps_audited *part)
{
    total->rows += part->rows;
    total->largest = fmax(total->largest, part->largest);
    total->sensitive += part->sensitive;
    total->stopped = total->stopped || part->stopped;
}

// Hashes the bytes of the number from the lowest, so that every machine chooses the same
// points.
bool pps_audit_chooses(double fraction, uint64_t index)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(index >> 8 * i);
    return (double)(XXH64(bytes, sizeof bytes, 0) >> 11) * 0x1p-53 < fraction;
}

// ---- sensitive points ---------------------------------------------------------------------------

enum { TRIALS = 12 };

// Returns the parameter changed by a few units in the last place if it is a positive real
// number and the new value is valid; otherwise the unchanged value.
static double beside(const struct pps_param *param, double value, int step)
{
    const double other = value * (1 + step * 0x1p-50);
    if (param->kind != PPS_REAL || !(value > 0) || other > param->max || other < param->min ||
        (param->max_open && other >= param->max))
        return value;
    return other;
}

// Returns the reference's result in column c for the point of this trial, or NAN. Each trial
// changes all real parameters by different amounts.
static double try_beside(const struct pps_kernel *kernel, const double *point, int c, int trial,
                         const struct pps_worker *worker)
{
    double near[PPS_MAX_PARAMS], result = (double)NAN;
    const double *param[PPS_MAX_PARAMS];
    double *column[PPS_MAX_COLUMNS] = {NULL};
    char *text[PPS_MAX_COLUMNS] = {NULL};
    uint8_t outcome = PPS_FAILED;
    for (int p = 0; p < kernel->n_params; p++) {
        near[p] = beside(&kernel->params[p], point[p], (trial + 1) * (p % 3 - 1 + trial % 2));
        param[p] = &near[p];
    }
    if (kernel->check != NULL && kernel->check(near, kernel->shared) != 0)
        return (double)NAN;
    column[c] = &result;
    pps_kernel_reference(kernel,
                         &(struct pps_batch){.n_points = 1,
                                             .param = param,
                                             .column = column,
                                             .text = text,
                                             .outcome = &outcome},
                         worker);
    return outcome == PPS_DONE ? result : (double)NAN;
}

// Returns how far the reference's result in column c moves, relative to `result`, when the
// point's real parameters change by some units in the last place. The value is the maximum of
// several trials; the trials end once it exceeds `enough`. It is about 1e-15 for a point that
// is not sensitive. Thread-safe if each thread has its own worker.
static double pps_sensitivity(const struct pps_kernel *kernel, const double *point, int c,
                              double result, double enough, const struct pps_worker *worker)
{
    double most = 0;
    for (int trial = 0; trial < TRIALS && most < enough; trial++) {
        const double moved = fabs(try_beside(kernel, point, c, trial, worker) - result);
        most = fmax(most, moved / fmax(fabs(result), 0x1p-1022));
    }
    return most;
}

// ---- opening ----------------------------------------------------------------------------------

enum pps_status pps_audit_possible(const struct pps_kernel *kernel, struct pps_error *err)
{
    if (kernel->reference != NULL)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT, "--audit: the kernel %s has no reference", kernel->name);
}

// Allocates the arrays of a batch. Returns false if memory runs out.
static bool allocate(struct pps_auditor *a)
{
    const struct pps_kernel *kernel = a->kernel;
    const size_t arrays = (size_t)(kernel->n_params + kernel->n_columns);
    a->values = calloc(arrays * PPS_BATCH, sizeof *a->values);
    if (a->values == NULL)
        return false;
    for (int p = 0; p < kernel->n_params; p++)
        a->param[p] = a->values + (size_t)p * PPS_BATCH;
    for (int c = 0; c < kernel->n_columns; c++) {
        const size_t width = pps_column_width(&kernel->columns[c]);
        a->all_columns[c] = a->values + (size_t)(kernel->n_params + c) * PPS_BATCH;
        if (width > 0 && (a->all_texts[c] = calloc(PPS_BATCH, width)) == NULL)
            return false;
    }
    return true;
}

enum pps_status pps_auditor_open(struct pps_auditor **auditor,
                                 const struct pps_experiment *experiment, double fraction,
                                 struct pps_error *err)
{
    *auditor = NULL;
    enum pps_status status = pps_audit_possible(experiment->kernel, err);
    if (status != PPS_OK)
        return status;
    struct pps_auditor *a = calloc(1, sizeof *a);
    if (a == NULL)
        return pps_fail_memory(err, "an audit");
    a->experiment = experiment;
    a->kernel = experiment->model;
    a->fraction = fraction;
    if (!allocate(a)) {
        pps_auditor_close(a);
        return pps_fail_memory(err, "an audit");
    }
    *auditor = a;
    return PPS_OK;
}

void pps_auditor_close(struct pps_auditor *a)
{
    if (a == NULL)
        return;
    for (int c = 0; c < a->kernel->n_columns; c++)
        free(a->all_texts[c]);
    free(a->values);
    free(a);
}

// ---- one row ----------------------------------------------------------------------------------

// One row computed twice: by the fast path (0) and by the reference (1).
struct pair {
    const struct pps_auditor *auditor;
    const struct pps_worker *worker;
    double *const *column[2];
    char *const *text[2];
    size_t row[2];
    enum pps_outcome outcome[2];
};

static double result(const struct pair *pair, int which, int c)
{
    return pair->column[which][c][pair->row[which]];
}

// Returns the value to which a difference in column c is relative.
static double scale_of(const struct pair *pair, int c)
{
    const struct pps_column *columns = pair->auditor->kernel->columns;
    double scale = fmax(fabs(result(pair, 0, c)), fabs(result(pair, 1, c)));
    if (columns[c].kind == PPS_COLUMN_INTEGER)
        return fmax(scale, 1);
    if (columns[c].unit[0] == '\0')
        return fmax(scale, 1);
    for (int k = 0; k < pair->auditor->kernel->n_columns; k++)
        if (pair->column[0][k] != NULL && strcmp(columns[k].unit, columns[c].unit) == 0)
            scale = fmax(scale, fmax(fabs(result(pair, 0, k)), fabs(result(pair, 1, k))));
    return fmax(scale, DBL_MIN);
}

static void show_point(const struct pps_experiment *experiment, const double *const *values,
                       size_t row, char *out, size_t cap)
{
    double point[PPS_MAX_PARAMS];
    for (int p = 0; p < experiment->kernel->n_params; p++)
        point[p] = values[p][row];
    pps_point_text(experiment, point, out, cap);
}

static void point_text(const struct pair *pair, char *out, size_t cap)
{
    show_point(pair->auditor->experiment, pair->auditor->param, pair->row[1], out, cap);
}

static enum pps_status other_outcome(const struct pair *pair, struct pps_error *err)
{
    static const char *const words[] = {
        [PPS_DONE] = "finished this point",
        [PPS_FAILED] = "did not finish this point",
        [PPS_STOPPED] = "stopped at this point",
        [PPS_INFEASIBLE] = "reports this point as infeasible",
    };
    char point[768];
    point_text(pair, point, sizeof point);
    return pps_fail(err, PPS_E_POINTS, "audit: %s: the run %s, but the reference %s", point,
                    words[pair->outcome[0]], words[pair->outcome[1]]);
}

static enum pps_status other_text(const struct pair *pair, int c, struct pps_error *err)
{
    const struct pps_column *column = &pair->auditor->kernel->columns[c];
    const size_t width = pps_column_width(column);
    char point[768];
    if (strcmp(pair->text[0][c] + pair->row[0] * width,
               pair->text[1][c] + pair->row[1] * width) == 0)
        return PPS_OK;
    point_text(pair, point, sizeof point);
    return pps_fail(err, PPS_E_POINTS,
                    "audit: %s: %s is \"%s\", but the reference gives \"%s\"", point,
                    column->name, pair->text[0][c] + pair->row[0] * width,
                    pair->text[1][c] + pair->row[1] * width);
}

static enum pps_status differs(const struct pair *pair, int c, double difference,
                               struct pps_error *err)
{
    char point[768];
    point_text(pair, point, sizeof point);
    return pps_fail(
        err, PPS_E_POINTS,
        "audit: %s: %s is %.17g, but the reference gives %.17g (difference %.2g, allowed %.2g)",
        point, pair->auditor->kernel->columns[c].name, result(pair, 0, c), result(pair, 1, c),
        difference, pair->auditor->kernel->tolerance);
}

// Returns true if rounding alone changes the reference's result by an eighth of the difference.
static bool is_sensitive(const struct pair *pair, int c, double difference)
{
    const struct pps_auditor *a = pair->auditor;
    double point[PPS_MAX_PARAMS];
    for (int p = 0; p < a->kernel->n_params; p++)
        point[p] = a->param[p][pair->row[1]];
    const double enough = difference / 8;
    return pps_sensitivity(a->kernel, point, c, result(pair, 1, c), enough, pair->worker) >=
           enough;
}

// Returns true if the stop flag ended the reference: its results for nearby points are invalid
// then.
static bool is_stopped(const struct pair *pair)
{
    const atomic_bool *stop = pair->worker->stop;
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

// Returns true if exactly one of both failed at the limit of events. The reference takes no
// shortcuts, so it reaches the limit first.
static bool is_limited(const struct pair *pair)
{
    return pair->worker->point_limit > 0 && pair->outcome[0] != pair->outcome[1] &&
           (pair->outcome[0] == PPS_FAILED || pair->outcome[1] == PPS_FAILED);
}

static enum pps_status compare(const struct pair *pair, struct pps_audited *audited,
                               struct pps_error *err)
{
    const struct pps_kernel *kernel = pair->auditor->kernel;
    if (is_limited(pair))
        return PPS_OK;
    audited->rows++;
    if (pair->outcome[0] != pair->outcome[1])
        return other_outcome(pair, err);
    for (int c = 0; pair->outcome[0] != PPS_FAILED && c < kernel->n_columns; c++) {
        if (pair->text[0][c] != NULL && other_text(pair, c, err) != PPS_OK)
            return PPS_E_POINTS;
        if (pair->column[0][c] == NULL ||
            (isnan(result(pair, 0, c)) && isnan(result(pair, 1, c))))
            continue;
        const double difference =
            fabs(result(pair, 0, c) - result(pair, 1, c)) / scale_of(pair, c);
        if (!(difference <= kernel->tolerance) && is_sensitive(pair, c, difference)) {
            audited->sensitive++;
            return PPS_OK;
        }
        if (!(difference <= kernel->tolerance) && is_stopped(pair)) {
            audited->stopped = true;
            return PPS_OK;
        }
        if (!(difference <= kernel->tolerance))
            return differs(pair, c, difference, err);
        audited->largest = fmax(audited->largest, difference);
    }
    return PPS_OK;
}

// ---- a batch ----------------------------------------------------------------------------------

// Copies the audited points and returns their number.
static size_t choose(struct pps_auditor *a, const struct pps_batch *batch,
                     const uint64_t *index)
{
    size_t n = 0;
    for (size_t i = 0; i < batch->n_points; i++) {
        if (!pps_audit_chooses(a->fraction, index[i]))
            continue;
        for (int p = 0; p < a->kernel->n_params; p++)
            a->values[(size_t)p * PPS_BATCH + n] = batch->param[p][i];
        a->row[n++] = i;
    }
    for (int c = 0; c < a->kernel->n_columns; c++) {
        a->column[c] = batch->column[c] != NULL ? a->all_columns[c] : NULL;
        a->text[c] = batch->text[c] != NULL ? a->all_texts[c] : NULL;
    }
    return n;
}

enum pps_status pps_auditor_batch(struct pps_auditor *a, const struct pps_batch *batch,
                                  const uint64_t *index, const struct pps_worker *worker,
                                  struct pps_audited *audited, struct pps_error *err)
{
    const size_t n = choose(a, batch, index);
    const struct pps_batch again = {.n_points = n,
                                    .param = a->param,
                                    .column = a->column,
                                    .text = a->text,
                                    .outcome = a->outcome};
    struct pair pair = {.auditor = a,
                        .worker = worker,
                        .column = {batch->column, a->column},
                        .text = {batch->text, a->text}};
    if (n == 0)
        return PPS_OK;
    pps_kernel_reference(a->kernel, &again, worker);
    for (size_t i = 0; i < n; i++) {
        if (a->outcome[i] == PPS_STOPPED) {
            audited->stopped = true;
            return PPS_OK;
        }
        pair.row[0] = a->row[i];
        pair.row[1] = i;
        pair.outcome[0] = pps_batch_outcome(a->kernel->columns, batch->outcome[a->row[i]],
                                            batch->column, a->kernel->n_columns, a->row[i]);
        pair.outcome[1] = pps_batch_outcome(a->kernel->columns, a->outcome[i], pair.column[1],
                                            a->kernel->n_columns, i);
        enum pps_status status = compare(&pair, audited, err);
        if (status != PPS_OK || audited->stopped)
            return status;
    }
    return PPS_OK;
}

// ---- rows of an earlier result ----------------------------------------------------------------

// Returns the name of cell k of a row's results. The cell after the wanted columns is the
// status.
static const char *cell_name(const struct pps_experiment *experiment, int k)
{
    for (int c = 0; c < experiment->kernel->n_columns; c++)
        if (experiment->wanted[c] && k-- == 0)
            return experiment->kernel->columns[c].name;
    return PPS_STATUS_COLUMN;
}

enum pps_status pps_audit_reused(const struct pps_experiment *experiment,
                                 const double *const *param, size_t i, const char *then,
                                 const char *now, struct pps_error *err)
{
    char point[768];
    for (int k = 0;; k++) {
        const size_t n = strcspn(then, ",\n"), m = strcspn(now, ",\n");
        if (n != m || memcmp(then, now, n) != 0) {
            show_point(experiment, param, i, point, sizeof point);
            return pps_fail(err, PPS_E_POINTS,
                            "audit: %s: %s is \"%.*s\" in the result of --reuse, but \"%.*s\" "
                            "when recomputed; start again with --force and without --reuse",
                            point, cell_name(experiment, k), (int)n, then, (int)m, now);
        }
        if (then[n] == '\n' || now[m] == '\n')
            return PPS_OK;
        then += n + 1;
        now += m + 1;
    }
}
