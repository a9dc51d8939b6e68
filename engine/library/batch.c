// SPDX-License-Identifier: Apache-2.0
// Passes batches of points from the caller's arrays through the kernel to the caller's arrays.
#include "engine/library/batch_private.h"

#include "base/system/machine.h"
#include "engine/experiment/kernel_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *column_of(const struct pps_call *call, int c)
{
    return call->points->column != NULL ? call->points->column[c] : NULL;
}

static char *text_of(const struct pps_call *call, int c)
{
    return call->points->text != NULL ? call->points->text[c] : NULL;
}

// ---- one point --------------------------------------------------------------------------------

void pps_call_point(const struct pps_call *call, size_t i, double *point)
{
    for (int g = 0; g < call->n_given; g++)
        point[call->given_list[g]] = call->points->param[call->given_list[g]][i];
    if (call->model->by_choice != 0)
        pps_documents_say(call->model->inputs, call->given, point);
}

void pps_call_defaults(const struct pps_call *call, double *point)
{
    for (int p = 0; p < call->model->kernel->n_params; p++)
        point[p] = call->model->kernel->params[p].fallback;
}

void pps_call_refuse(const struct pps_call *call, size_t i, enum ppsweep_outcome outcome,
                     int detail)
{
    const struct pps_kernel *kernel = call->model->kernel;
    for (int c = 0; c < kernel->n_columns; c++) {
        if (column_of(call, c) != NULL)
            column_of(call, c)[i] = (double)NAN;
        if (text_of(call, c) != NULL)
            text_of(call, c)[i * pps_column_width(&kernel->columns[c])] = '\0';
    }
    if (call->points->outcome != NULL)
        call->points->outcome[i] = (unsigned char)outcome;
    if (call->points->detail != NULL)
        call->points->detail[i] = detail;
}

// ---- a batch ----------------------------------------------------------------------------------

// Gathers the parameters of the batch. Parameters without an array keep the model's defaults.
static void gather(const struct pps_call *call, struct pps_workspace *w,
                   const struct pps_chunk *chunk, const double **param)
{
    const struct ppsweep_model *m = call->model;
    const bool adjacent = chunk->from[chunk->n - 1] - chunk->from[0] == chunk->n - 1;
    double point[PPS_MAX_PARAMS];
    for (int p = 0; p < m->kernel->n_params; p++) {
        double *values = w->values + (size_t)p * PPS_BATCH;
        const bool given = (call->given >> p & 1) != 0;
        const double *all = given ? call->points->param[p] + chunk->first : NULL;
        param[p] = given && adjacent                  ? all + chunk->from[0]
                   : given || (m->by_choice >> p & 1) ? values
                                                      : m->defaults + (size_t)p * PPS_BATCH;
        for (size_t i = 0; i < chunk->n && given && !adjacent; i++)
            values[i] = all[chunk->from[i]];
    }
    pps_call_defaults(call, point);
    for (size_t i = 0; i < chunk->n && (m->by_choice & ~call->given) != 0; i++) {
        pps_call_point(call, chunk->first + chunk->from[i], point);
        for (int p = 0; p < m->kernel->n_params; p++)
            if (((m->by_choice & ~call->given) >> p & 1) != 0)
                w->values[(size_t)p * PPS_BATCH + i] = point[p];
    }
}

// Finds the maxima of the batch alone.
static void find_highest(const struct pps_call *call, const struct pps_chunk *chunk,
                         double *highest)
{
    double point[PPS_MAX_PARAMS];
    pps_call_defaults(call, point);
    for (size_t i = 0; i < chunk->n; i++) {
        pps_call_point(call, chunk->first + chunk->from[i], point);
        for (int p = 0; p < call->model->kernel->n_params; p++)
            highest[p] = i == 0 ? point[p] : fmax(highest[p], point[p]);
    }
}

// Grows the scratch memory. Returns false if it is more than a thread may have.
static bool grow_scratch(struct pps_call *call, struct pps_workspace *w, const double *highest)
{
    const struct pps_kernel *kernel = call->model->kernel;
    const size_t bytes = kernel->scratch_bytes(highest, kernel->shared);
    if (w->scratch != NULL && bytes <= w->scratch_bytes)
        return true;
    if (bytes == SIZE_MAX || (double)bytes * call->threads > 0.8 * pps_machine_memory())
        return false;
    free(w->scratch);
    w->scratch = pps_scratch_take(bytes);
    w->scratch_bytes = w->scratch != NULL ? bytes : 0;
    if (w->scratch == NULL)
        atomic_store(&call->no_memory, true);
    return true;
}

// Lets the kernel write into the caller's arrays where the points are adjacent, otherwise into
// the workspace.
static void run(const struct pps_call *call, struct pps_workspace *w,
                const struct pps_chunk *chunk, const double *const *param, double **column,
                char **text)
{
    const struct ppsweep_model *m = call->model;
    const bool adjacent = chunk->from[chunk->n - 1] - chunk->from[0] == chunk->n - 1;
    const size_t at = chunk->first + chunk->from[0];
    char *own_text = w->texts;
    for (int c = 0; c < m->kernel->n_columns; c++) {
        const size_t width = pps_column_width(&m->kernel->columns[c]);
        double *const numbers = column_of(call, c);
        char *const texts = text_of(call, c);
        column[c] = numbers == NULL ? NULL
                    : adjacent      ? numbers + at
                                    : w->results + (size_t)c * PPS_BATCH;
        text[c] = texts == NULL ? NULL : adjacent ? texts + at * width : own_text;
        own_text += width * PPS_BATCH;
    }
    const struct pps_batch batch = {.n_points = chunk->n,
                                    .param = param,
                                    .column = column,
                                    .text = text,
                                    .outcome = w->outcome};
    const struct pps_worker worker = {w->scratch, call->stop, m->exact, m->kernel->shared,
                                      m->point_limit};
    pps_kernel_run(m->kernel, &batch, &worker);
}

// Copies the results of the batch that are not in the caller's arrays yet. A point whose results
// are not finite has failed, as in a row of a run.
static void settle(struct pps_call *call, struct pps_workspace *w,
                   const struct pps_chunk *chunk, double *const *column, char *const *text)
{
    const struct pps_kernel *kernel = call->model->kernel;
    for (int c = 0; c < kernel->n_columns; c++) {
        const size_t width = pps_column_width(&kernel->columns[c]);
        double *const numbers = column_of(call, c);
        char *const texts = text_of(call, c);
        for (size_t i = 0; column[c] != NULL && i < chunk->n; i++) {
            const double x = column[c][i];
            if (!isfinite(x) && w->outcome[i] == PPS_DONE)
                w->outcome[i] = PPS_FAILED;
            numbers[chunk->first + chunk->from[i]] = isfinite(x) ? x : (double)NAN;
        }
        for (size_t i = 0; text[c] != NULL && i < chunk->n; i++) {
            char *to = texts + (chunk->first + chunk->from[i]) * width;
            if (to != text[c] + i * width)
                memcpy(to, text[c] + i * width, width);
        }
    }
    for (size_t i = 0; i < chunk->n; i++) {
        const size_t at = chunk->first + chunk->from[i];
        const enum ppsweep_outcome outcome = (enum ppsweep_outcome)w->outcome[i];
        if (outcome == PPSWEEP_STOPPED)
            atomic_store(&call->stopped, true);
        if (outcome != PPSWEEP_DONE && outcome != PPSWEEP_INFEASIBLE)
            pps_call_refuse(call, at, outcome, -1);
        else if (call->points->outcome != NULL)
            call->points->outcome[at] = (unsigned char)outcome;
        if (call->points->detail != NULL)
            call->points->detail[at] = -1;
    }
}

void pps_call_evaluate(struct pps_call *call, struct pps_workspace *w,
                       const struct pps_chunk *chunk, const double *highest)
{
    const double *param[PPS_MAX_PARAMS];
    double own[PPS_MAX_PARAMS], *column[PPS_MAX_COLUMNS];
    char *text[PPS_MAX_COLUMNS];
    if (!grow_scratch(call, w, highest)) {
        const size_t half = chunk->n / 2;
        const struct pps_chunk halves[] = {
            {chunk->from, chunk->first, half},
            {chunk->from + half, chunk->first, chunk->n - half},
        };
        find_highest(call, chunk, own);
        if (chunk->n == 1 && !grow_scratch(call, w, own)) {
            pps_call_refuse(call, chunk->first + chunk->from[0], PPSWEEP_INVALID, -1);
            return;
        }
        for (int h = 0; chunk->n > 1 && h < 2; h++) {
            find_highest(call, &halves[h], own);
            pps_call_evaluate(call, w, &halves[h], own);
        }
        if (chunk->n > 1)
            return;
    }
    if (w->scratch == NULL)
        return;
    gather(call, w, chunk, param);
    run(call, w, chunk, param, column, text);
    settle(call, w, chunk, column, text);
}
