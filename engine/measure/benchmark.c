// SPDX-License-Identifier: Apache-2.0
// Times the kernel alone and its reference, and runs the parts of a benchmark in order.
#include "engine/measure/benchmark.h"

#include "base/system/machine.h"
#include "engine/measure/benchmark_private.h"
#include "engine/measure/points_in_memory.h"

#include <math.h>

static const struct pps_bench_effort thorough = {5, 0.7, 0.02, 0.4, 800 * 1000, 8, 15, 0.15, 7};
static const struct pps_bench_effort hasty = {3, 0.08, 0.005, 0.08, 120 * 1000, 8, 7, 0.05, 3};

// ---- the kernel alone -------------------------------------------------------------------------

// Number of points such that three passes fit in the time; a few if one point takes longer.
static uint64_t points_for(const struct pps_bench *b, double point_s)
{
    const double n = b->effort.cell_s / 3 / fmax(point_s, 1e-9);
    return (uint64_t)fmin(fmax(n, b->effort.fewest), PPS_BENCH_POINTS);
}

static enum pps_status time_points(const struct pps_bench *b, const struct pps_experiment *e,
                                   uint64_t n, double seconds, struct pps_bench_cell *cell)
{
    struct pps_benchpoints *points = NULL;
    enum pps_status status = pps_benchpoints_open(&points, e, n, 1, b->err);
    if (status == PPS_OK)
        status = pps_benchpoints_time(points, b->kernel->run, seconds, b->ask->stop,
                                      &cell->point_s, b->err);
    if (status == PPS_OK) {
        cell->points = pps_benchpoints_count(points);
        cell->events = pps_benchpoints_events(points);
        cell->scratch_bytes = pps_benchpoints_scratch(points);
    }
    pps_benchpoints_close(points);
    return status;
}

static enum pps_status time_cell(const struct pps_bench *b, struct pps_bench_cell *cell)
{
    const double seconds = b->effort.cell_s;
    struct pps_experiment *e = NULL;
    enum pps_status status = pps_bench_load_cell(b, cell, &e);
    if (status == PPS_OK)
        status = time_points(b, e, 2, 0, cell);
    if (status == PPS_OK &&
        ((double)cell->points < b->effort.fewest || 2 * cell->point_s < seconds))
        status = time_points(b, e, points_for(b, cell->point_s), seconds, cell);
    pps_experiment_free(e);
    return status;
}

// Visits the combinations of the values of the axes; the last axis changes fastest.
static enum pps_status time_cells(const struct pps_bench *b)
{
    const struct pps_bench_axis *axes = b->kernel->bench_axes;
    struct pps_benchmark *out = b->out;
    int n = 1;
    while (axes != NULL && out->n_axes < PPS_BENCH_AXES && axes[out->n_axes].param != NULL)
        n *= axes[out->n_axes++].n;
    for (int i = 0; i < n && i < PPS_BENCH_CELLS; i++) {
        struct pps_bench_cell *cell = &out->cells[out->n_cells];
        int rest = i;
        for (int a = out->n_axes - 1; a >= 0; a--) {
            cell->value[a] = axes[a].values[rest % axes[a].n];
            rest /= axes[a].n;
        }
        enum pps_status status = time_cell(b, cell);
        if (status != PPS_OK)
            return status;
        out->n_cells++;
    }
    return PPS_OK;
}

// Times reference and kernel in turns, so that other work on the machine affects both equally;
// as many turns as fit in the time. Reports the medians of the times of the reference and of
// the ratios.
static enum pps_status time_turns(const struct pps_bench *b, struct pps_benchpoints *points)
{
    double reference_s[PPS_BENCH_TURNS], ratio[PPS_BENCH_TURNS];
    const double start = pps_wall_seconds();
    int n = 0;
    do {
        double fast_s;
        enum pps_status status = pps_benchpoints_time(points, b->kernel->run, b->effort.fast_s,
                                                      b->ask->stop, &fast_s, b->err);
        if (status == PPS_OK)
            status = pps_benchpoints_time(points, b->kernel->reference, 0, b->ask->stop,
                                          &reference_s[n], b->err);
        if (status != PPS_OK)
            return status;
        ratio[n] = reference_s[n] / fast_s;
        n++;
    } while (n < PPS_BENCH_TURNS && pps_wall_seconds() - start < 2 * b->effort.cell_s);
    b->out->reference_s = pps_bench_median(reference_s, n);
    b->out->reference_ratio = pps_bench_median(ratio, n);
    return PPS_OK;
}

static enum pps_status time_reference(const struct pps_bench *b)
{
    struct pps_experiment *e = NULL;
    struct pps_benchpoints *points = NULL;
    if (b->kernel->reference == NULL)
        return PPS_OK;
    enum pps_status status = pps_bench_load_cell(b, &b->out->cells[0], &e);
    if (status == PPS_OK)
        status = pps_benchpoints_open(&points, e, b->out->cells[0].points, 1, b->err);
    if (status == PPS_OK)
        status = time_turns(b, points);
    if (status == PPS_OK)
        status =
            pps_benchpoints_audit(points, b->ask->stop, &b->out->reference_difference, b->err);
    pps_benchpoints_close(points);
    pps_experiment_free(e);
    return status;
}

// ---- the whole --------------------------------------------------------------------------------

enum pps_status pps_benchmark_run(const struct pps_bench_ask *ask,
                                  struct pps_benchmark *benchmark, struct pps_error *err)
{
    const struct pps_bench bench = {ask, ask->kernel, ask->quick ? hasty : thorough, benchmark,
                                    err};
    *benchmark = (struct pps_benchmark){.kernel = ask->kernel};
    enum pps_status status = time_cells(&bench);
    if (status == PPS_OK)
        status = time_reference(&bench);
    if (status == PPS_OK)
        status = pps_bench_time_rows(&bench);
    if (status == PPS_OK)
        status = pps_bench_time_runs(&bench);
    return status;
}
