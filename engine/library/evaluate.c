// SPDX-License-Identifier: Apache-2.0
// Evaluates points from the caller's arrays into the caller's arrays: windows of points are
// distributed to threads; in each window, invalid points are set aside and the others are
// evaluated in batches.
#include "engine/library/batch_private.h"

#include <float.h>
#include <math.h>

enum { COST_SAMPLES = 8, MOST_THREADS = 1024 };

// Work in ns that pays for a thread, whose start takes about 30 us.
#define WORK_PER_THREAD 200e3

// ---- a window ---------------------------------------------------------------------------------

// Returns true if all n values are numbers within the limits, and their maximum; false if some
// may not be. Four maxima at once and no branches let the compiler use vectors.
static bool all_allowed(const struct pps_limits *limits,
                        const double *values,
                        size_t n,
                        double *highest)
{
    const double low = limits->low, high = limits->high;
    const double most = limits->whole ? 0x1p51 : DBL_MAX;
    const double shift = limits->whole ? 0x1.8p52 : 0; // rounds numbers up to `most`
    double top[4] = {values[0], values[0], values[0], values[0]};
    int wrong = 0;
    const size_t whole_fours = n / 4 * 4;
    for (size_t i = 0; i < whole_fours; i += 4)
        for (size_t j = 0; j < 4; j++) {
            const double x = values[i + j];
            wrong |= !(x >= low) | !(x <= high) | (fabs(x) > most) | ((x + shift) - shift != x);
            top[j] = x > top[j] ? x : top[j];
        }
    *highest = fmax(fmax(top[0], top[1]), fmax(top[2], top[3]));
    for (size_t i = whole_fours; i < n; i++) {
        wrong |= values[i] < 0 || !pps_limits_allow(limits, values[i]);
        *highest = fmax(*highest, values[i]);
    }
    return wrong == 0;
}

// Marks the points whose parameter p is not allowed, and finds the maximum of the others.
static void check_param(const struct pps_call *call,
                        struct pps_workspace *w,
                        int p,
                        size_t first,
                        size_t n)
{
    const double *values = call->points->param[p] + first;
    const struct pps_limits *limits = &call->model->limits[p];
    if (all_allowed(limits, values, n, &w->highest[p]))
        return;
    w->highest[p] = -HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        if (!pps_limits_allow(limits, values[i]))
            w->refused[i] = p;
        else if (values[i] > w->highest[p])
            w->highest[p] = values[i];
    }
}

// Lists the valid points among n points from `first` on and ends the others. Returns their
// number.
static size_t select_valid(const struct pps_call *call,
                           struct pps_workspace *w,
                           size_t first,
                           size_t n)
{
    const struct pps_kernel *kernel = call->model->kernel;
    double point[PPS_MAX_PARAMS];
    size_t valid = 0;
    for (size_t i = 0; i < n; i++)
        w->refused[i] = -1;
    for (int p = 0; p < kernel->n_params; p++)
        w->highest[p] = call->model->highest[p];
    for (int g = call->n_given - 1; g >= 0; g--)
        check_param(call, w, call->given_list[g], first, n);
    pps_call_defaults(call, point);
    for (size_t i = 0; i < n; i++) {
        int reason = 0;
        if (w->refused[i] < 0) {
            pps_call_point(call, first + i, point);
            reason = kernel->check(point, kernel->shared);
        }
        if (w->refused[i] >= 0)
            pps_call_refuse(call, first + i, PPSWEEP_INVALID, w->refused[i]);
        else if (reason != 0)
            pps_call_refuse(call, first + i, PPSWEEP_SKIPPED, reason);
        else
            w->valid[valid++] = (uint32_t)i;
    }
    return valid;
}

static void evaluate_window(struct pps_call *call,
                            struct pps_workspace *w,
                            size_t first,
                            size_t n)
{
    if (atomic_load_explicit(call->stop, memory_order_relaxed)) {
        atomic_store(&call->stopped, true);
        for (size_t i = 0; i < n; i++)
            pps_call_refuse(call, first + i, PPSWEEP_STOPPED, -1);
        return;
    }
    const size_t valid = select_valid(call, w, first, n);
    for (size_t i = 0; i < valid; i += PPS_BATCH) {
        const size_t left = valid - i;
        const struct pps_chunk chunk = {w->valid + i, first,
                                        left < PPS_BATCH ? left : PPS_BATCH};
        pps_call_evaluate(call, w, &chunk, w->highest);
    }
}

// ---- threads ----------------------------------------------------------------------------------

static void *work(void *self)
{
    struct pps_call *call = self;
    const size_t n = call->points->n;
    struct pps_workspace *w = pps_workspace_take(call->model);
    if (w == NULL) {
        atomic_store(&call->no_memory, true);
        return NULL;
    }
    for (;;) {
        const size_t first = atomic_fetch_add(&call->next, call->window);
        if (first >= n || atomic_load(&call->no_memory))
            break;
        evaluate_window(call, w, first, n - first < call->window ? n - first : call->window);
    }
    pps_workspace_give_back(call->model, w);
    return NULL;
}

// Chooses the number of threads by the cost of a few points, and the size of a window.
static void plan(struct pps_call *call)
{
    const struct pps_kernel *kernel = call->model->kernel;
    const size_t n = call->points->n;
    double point[PPS_MAX_PARAMS], cost = 0;
    size_t samples = 0, together = 1;
    int threads = call->points->threads > 0 ? call->points->threads : call->model->threads;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    pps_call_defaults(call, point);
    for (size_t s = 0; s < COST_SAMPLES && n > 1 && threads > 1; s++) {
        bool valid = true;
        pps_call_point(call, n / COST_SAMPLES * s, point);
        for (int p = 0; p < kernel->n_params; p++)
            valid = valid && pps_limits_allow(&call->model->limits[p], point[p]);
        if (!valid || kernel->check(point, kernel->shared) != 0)
            continue;
        cost += kernel->cost(point, kernel->shared);
        samples++;
        if (kernel->together != NULL)
            together = (size_t)kernel->together(point, kernel->shared);
    }
    const double pays = samples > 0 ? cost / (double)samples * (double)n / WORK_PER_THREAD : 0;
    call->threads = pays < threads ? 1 + (int)pays : threads;
    call->window = n / (4 * (size_t)call->threads) + 1;
    call->window = call->window > together ? call->window : together;
    if (call->threads == 1 || call->window > PPS_WINDOW)
        call->window = PPS_WINDOW;
}

// Runs `work` on call->threads threads; on fewer if the system starts no more.
static void work_on_threads(struct pps_call *call)
{
    pthread_t threads[MOST_THREADS];
    int n = 0;
    while (n < call->threads - 1 && pps_library_thread(&threads[n], work, call) == 0)
        n++;
    work(call);
    for (int t = 0; t < n; t++)
        pthread_join(threads[t], NULL);
}

// ---- entry point ------------------------------------------------------------------------------

static int check_arrays(struct pps_call *call, struct ppsweep_error *error)
{
    const struct ppsweep_model *m = call->model;
    const struct ppsweep_points *points = call->points;
    for (int p = 0; points->param != NULL && p < m->kernel->n_params; p++) {
        if (points->param[p] == NULL)
            continue;
        if (m->kernel->params[p].fixed)
            return pps_library_fail(error, PPSWEEP_E_CALL, "%s is set by a document",
                                    m->kernel->params[p].name);
        call->given |= (uint64_t)1 << p;
        call->given_list[call->n_given++] = p;
    }
    for (int c = 0; c < m->kernel->n_columns; c++) {
        const bool text = m->columns[c].text_size > 0;
        const bool numbers_given = points->column != NULL && points->column[c] != NULL;
        const bool texts_given = points->text != NULL && points->text[c] != NULL;
        if (text ? numbers_given : texts_given)
            return pps_library_fail(error, PPSWEEP_E_CALL, "column %s contains %s",
                                    m->columns[c].name, text ? "texts" : "numbers");
    }
    if (points->threads < 0)
        return pps_library_fail(error, PPSWEEP_E_CALL, "threads: must be 0 or more (got %d)",
                                points->threads);
    return PPSWEEP_OK;
}

int ppsweep_evaluate(struct ppsweep_model *model,
                     const struct ppsweep_points *points,
                     struct ppsweep_error *error)
{
    static const atomic_bool never = false;
    struct pps_call call = {.model = model, .points = points, .stop = &never};
    if (model == NULL || points == NULL)
        return pps_library_fail(error, PPSWEEP_E_CALL, "model, points: must not be NULL");
    if (!pps_library_size(points->size, sizeof *points, "ppsweep_points", error))
        return PPSWEEP_E_CALL;
    const int code = check_arrays(&call, error);
    if (code != PPSWEEP_OK || points->n == 0)
        return code;
    if (points->stop != NULL)
        call.stop = &points->stop->raised;
    plan(&call);
    if (call.threads > 1)
        work_on_threads(&call);
    else
        work(&call);
    if (atomic_load(&call.no_memory))
        return pps_library_fail(error, PPSWEEP_E_MACHINE, "out of memory for an evaluation");
    if (atomic_load(&call.stopped))
        return pps_library_fail(error, PPSWEEP_E_STOPPED, "stopped; some points are missing");
    return PPSWEEP_OK;
}
