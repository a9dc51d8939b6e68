// SPDX-License-Identifier: Apache-2.0
// Evaluates points from the caller's arrays into the caller's arrays: windows of points are
// distributed to threads; in each window, invalid points are set aside and the others are
// evaluated in batches.
#include "engine/library/batch_private.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COST_SAMPLES = 8, MOST_THREADS = 1024, LIMIT_POSITIONS = 64 };

// Work in ns that pays for a thread, whose start takes about 30 us.
#define WORK_PER_THREAD 200e3

// ---- a window ---------------------------------------------------------------------------------

static int64_t bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Returns true if all n values are numbers within the limits, and *highest, which is at least their
// maximum; false if some may not be. The compiler turns the inner loop into vectors on every
// processor: it collects sign bits instead of comparisons, and a maximum per position.
static bool all_allowed(const struct pps_limits *limits, const double *values, size_t n,
                        double *highest)
{
    const double most = limits->whole ? 0x1p51 : DBL_MAX;
    const double shift = limits->whole ? 0x1.8p52 : 0; // rounds numbers up to `most`
    const double low = fmax(limits->low, -most), high = fmin(limits->high, most);
    double top[LIMIT_POSITIONS] = {0};
    int64_t signs = 0, parts = 0; // sign bit: out of range; not 0: not whole, or not a number
    for (size_t i = 0; i < n; i += LIMIT_POSITIONS) {
        const size_t m = n - i < LIMIT_POSITIONS ? n - i : LIMIT_POSITIONS;
        for (size_t j = 0; j < m; j++) {
            const double x = values[i + j];
            signs |= bits_of(x - low) | bits_of(high - x);
            parts |= bits_of((x + shift) - shift - x);
            top[j] = x > top[j] ? x : top[j];
        }
    }
    *highest = 0;
    for (size_t j = 0; j < LIMIT_POSITIONS; j++)
        *highest = top[j] > *highest ? top[j] : *highest;
    return signs >= 0 && parts == 0;
}

// Marks the points whose parameter p is not allowed, and finds the maximum of the others. Returns
// false if there are points that are not allowed.
static bool check_param(const struct pps_call *call, struct pps_workspace *w, int p,
                        size_t first, size_t n)
{
    const double *values = call->points->param[p] + first;
    const struct pps_limits *limits = &call->model->limits[p];
    if (n >= LIMIT_POSITIONS && all_allowed(limits, values, n, &w->highest[p]))
        return true;
    bool in_range = true;
    w->highest[p] = -HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        if (!pps_limits_allow(limits, values[i])) {
            w->refused[i] = p;
            in_range = false;
        } else if (values[i] > w->highest[p])
            w->highest[p] = values[i];
    }
    return in_range;
}

// Finds the rule that excludes each point of first + from ... first + to - 1, which are in range.
static void check_rules(const struct pps_call *call, struct pps_workspace *w, size_t first,
                        size_t from, size_t to)
{
    const struct ppsweep_model *m = call->model;
    const struct pps_kernel *kernel = m->kernel;
    if (kernel->check_points == NULL || (m->by_choice & ~call->given) != 0) {
        double point[PPS_MAX_PARAMS];
        pps_call_defaults(call, point);
        for (size_t i = from; i < to; i++) {
            pps_call_point(call, first + i, point);
            w->reason[i] = kernel->check(point, kernel->shared);
        }
        return;
    }
    for (size_t i = from; i < to; i += PPS_BATCH) {
        const double *param[PPS_MAX_PARAMS];
        const size_t n = to - i < PPS_BATCH ? to - i : PPS_BATCH;
        for (int p = 0; p < kernel->n_params; p++)
            param[p] = (call->given >> p & 1) != 0 ? call->points->param[p] + first + i
                                                   : m->defaults + (size_t)p * PPS_BATCH;
        kernel->check_points(param, n, kernel->shared, w->reason + i);
    }
}

// Checks the limits of all parameters, then the rules for each stretch of points in range.
static void check_points(const struct pps_call *call, struct pps_workspace *w, size_t first,
                         size_t n)
{
    const struct pps_kernel *kernel = call->model->kernel;
    bool all_in_range = true;
    for (size_t i = 0; i < n; i++)
        w->refused[i] = -1;
    for (int p = 0; p < kernel->n_params; p++)
        w->highest[p] = call->model->highest[p];
    for (int g = call->n_given - 1; g >= 0; g--)
        all_in_range &= check_param(call, w, call->given_list[g], first, n);
    for (size_t from = 0, to; from < n; from = to + 1) {
        for (to = all_in_range ? n : from; to < n && w->refused[to] < 0;)
            to++;
        check_rules(call, w, first, from, to);
    }
}

// Lists the valid points among n points from `first` on and ends the others. Returns their
// number.
static size_t select_valid(const struct pps_call *call, struct pps_workspace *w, size_t first,
                           size_t n)
{
    size_t valid = 0;
    check_points(call, w, first, n);
    for (size_t i = 0; i < n; i++) {
        if (w->refused[i] >= 0)
            pps_call_refuse(call, first + i, PPSWEEP_INVALID, w->refused[i]);
        else if (w->reason[i] != 0)
            pps_call_refuse(call, first + i, PPSWEEP_SKIPPED, w->reason[i]);
        else
            w->valid[valid++] = (uint32_t)i;
    }
    return valid;
}

static void evaluate_window(struct pps_call *call, struct pps_workspace *w, size_t first,
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

// Returns true if the arrays hold values in range for point i. Only then may documents be chosen by
// their numbers.
static bool in_range(const struct pps_call *call, size_t i)
{
    for (int g = 0; g < call->n_given; g++) {
        const int p = call->given_list[g];
        if (!pps_limits_allow(&call->model->limits[p], call->points->param[p][i]))
            return false;
    }
    return true;
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
        const size_t i = n / COST_SAMPLES * s;
        if (!in_range(call, i))
            continue;
        pps_call_point(call, i, point);
        if (kernel->check(point, kernel->shared) != 0)
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

int ppsweep_evaluate(struct ppsweep_model *model, const struct ppsweep_points *points,
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
    const long failures = pps_memory_failures();
    if (call.threads > 1)
        work_on_threads(&call);
    else
        work(&call);
    // A kernel calls a point failed if it had no memory for it.
    if (atomic_load(&call.no_memory) || pps_memory_failures() != failures)
        return pps_library_fail(error, PPSWEEP_E_MACHINE, "out of memory for an evaluation");
    if (atomic_load(&call.stopped))
        return pps_library_fail(error, PPSWEEP_E_STOPPED, "stopped; some points are missing");
    return PPSWEEP_OK;
}
