// SPDX-License-Identifier: Apache-2.0
// Bootstraps statistics.
#include "engine/sensitivity/estimate.h"

#include "base/math/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_stopped(const struct pps_bootstrap *how)
{
    return how->stop != NULL && atomic_load_explicit(how->stop, memory_order_relaxed);
}

static void draw_counts(const struct pps_bootstrap *how, uint32_t r, size_t n, uint32_t *counts)
{
    memset(counts, 0, n * sizeof *counts);
    for (uint32_t i = 0; i < n; i++)
        counts[statistics_resampled(how->seed, r, i, (uint32_t)n)]++;
}

// Computes resample r into values[r]; false without memory.
static bool resample(const struct pps_bootstrap *how, const struct pps_statistic *statistic,
                     uint32_t r, double *values)
{
    uint32_t *counts = malloc(statistic->n * sizeof *counts);
    if (counts == NULL)
        return false;
    draw_counts(how, r, statistic->n, counts);
    statistic->compute(statistic->self, counts,
                       values + (size_t)r * (size_t)statistic->n_values);
    free(counts);
    return true;
}

// Returns the standard deviation of value v over the resamples in which it exists.
static double deviation(const double *values, uint32_t resamples, int n_values, int v)
{
    double sum = 0, squares = 0;
    uint32_t n = 0;
    for (uint32_t r = 0; r < resamples; r++) {
        const double x = values[(size_t)r * (size_t)n_values + (size_t)v];
        n += isfinite(x) ? 1 : 0;
        sum += isfinite(x) ? x : 0;
    }
    if (n < 2)
        return (double)NAN;
    for (uint32_t r = 0; r < resamples; r++) {
        const double x = values[(size_t)r * (size_t)n_values + (size_t)v];
        squares += isfinite(x) ? (x - sum / n) * (x - sum / n) : 0;
    }
    return sqrt(squares / (n - 1));
}

static enum pps_status run(const struct pps_bootstrap *how,
                           const struct pps_statistic *statistic, double *values,
                           struct pps_error *err)
{
    atomic_bool full = false;
#pragma omp parallel for schedule(dynamic) num_threads(how->threads)
    for (uint32_t r = 0; r < how->resamples; r++)
        if (!is_stopped(how) && !atomic_load(&full) && !resample(how, statistic, r, values))
            atomic_store(&full, true);
    if (is_stopped(how))
        return pps_fail(err, PPS_E_STOPPED, "stopped while computing intervals");
    return atomic_load(&full) ? pps_fail_memory(err, "the bootstrap") : PPS_OK;
}

enum pps_status pps_bootstrap(const struct pps_bootstrap *how,
                              const struct pps_statistic *statistic,
                              struct pps_estimate *estimates, struct pps_error *err)
{
    const int n_values = statistic->n_values;
    const bool any = statistic->n >= 2 && how->resamples >= 2;
    double *values = calloc((size_t)how->resamples + 1, (size_t)n_values * sizeof *values);
    uint32_t *once = malloc((statistic->n + 1) * sizeof *once);
    enum pps_status status = PPS_OK;
    if (values == NULL || once == NULL)
        status = pps_fail_memory(err, "the bootstrap");
    if (status == PPS_OK && any)
        status = run(how, statistic, values, err);
    for (int v = 0; v < n_values && status == PPS_OK; v++)
        estimates[v].half =
            any ? PPS_Z975 * deviation(values, how->resamples, n_values, v) : (double)NAN;
    for (size_t i = 0; i < statistic->n && once != NULL; i++)
        once[i] = 1;
    if (status == PPS_OK)
        statistic->compute(statistic->self, once, values);
    for (int v = 0; v < n_values && status == PPS_OK; v++)
        estimates[v].value = values[v];
    free(values);
    free(once);
    return status;
}
