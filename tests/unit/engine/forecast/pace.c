// SPDX-License-Identifier: Apache-2.0
// Remaining time: forecasts during runs whose durations are known.
#include "tests/unit/support/engine/experiments.h"

#include "engine/forecast/pace.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { N = 10000, STEP = 100 }; // points of a run, points of a block

// A run's points: what the kernel foretells of one, whether it is computed, how long it takes.
struct run {
    double (*cost)(double point);
    bool (*computed)(double point);
    double (*seconds)(double point);
};

static struct pps_workload workload_of(const struct run *run)
{
    struct pps_workload w = {.n = PPS_WORKLOAD_PIECES};
    for (int i = 0; i < w.n; i++) {
        w.before[i + 1].passing = w.before[i].passing + 100;
        w.before[i + 1].computing =
            w.before[i].computing + run->cost((i + 0.5) * N / PPS_WORKLOAD_PIECES);
    }
    return w;
}

// The greatest factor by which a forecast is wrong between these parts (0 to 1) of the run's time.
// Points before `first` were done earlier.
static double worst(const struct run *run, const struct pps_workload *workload, uint64_t first,
                    double from, double to)
{
    struct pps_pace pace;
    struct pps_passed passed = {0, 0, 0, 0};
    double seconds = 0, whole = 0, factor = 1;
    for (uint64_t p = first; p < N; p++)
        whole += run->seconds((double)p);
    pps_pace_begin(&pace, workload, first, N);
    cr_assert_eq(pps_pace_left(&pace), 0);
    for (uint64_t p = first; p < N; p++) {
        passed.points++;
        passed.live++;
        passed.computed += run->computed((double)p);
        seconds += run->seconds((double)p);
        if ((p + 1) % STEP != 0)
            continue;
        pps_pace_step(&pace, seconds, &passed);
        const double left = pps_pace_left(&pace), part = seconds / whole;
        cr_assert(left >= 0 && isfinite(left));
        if (part >= from && part <= to)
            factor = fmax(factor, fmax(left / (whole - seconds), (whole - seconds) / left));
    }
    cr_assert_lt(pps_pace_left(&pace), 1e-9 * whole);
    return factor;
}

static bool all(double point)
{
    (void)point;
    return true;
}

static double alike(double point)
{
    (void)point;
    return 1000;
}

static double rising(double point)
{
    return 1000 * pow(1000, floor(10 * point / N) / 9);
}

static double falling(double point)
{
    return rising(N - 1 - point);
}

static double as_rising(double point)
{
    return 3e-9 * (100 + rising(point));
}

static double as_falling(double point)
{
    return 3e-9 * (100 + falling(point));
}

static double as_alike(double point)
{
    return 3e-9 * (100 + alike(point));
}

// Would catch forecasts by the mean speed so far: these are wrong by factors of 30 and more.
Test(pace, costs_that_the_kernel_knows)
{
    const struct run runs[] = {{alike, all, as_alike},
                               {rising, all, as_rising},
                               {falling, all, as_falling}};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        const struct pps_workload workload = workload_of(&runs[r]), blank = {.n = 0};
        // Pieces do not end where the costs change, which matters where little has been done.
        cr_assert_lt(worst(&runs[r], &workload, 0, 0.01, 0.95), 1.2, "run %zu", r);
        cr_assert_lt(worst(&runs[r], &workload, 3000, 0.01, 0.95), 1.2, "run %zu", r);
        cr_assert(r == 0 || worst(&runs[r], &blank, 0, 0.01, 0.95) > 3, "run %zu", r);
    }
}

// Merged blocks are alike, and nothing is known of them.
Test(pace, without_a_workload)
{
    const struct run run = {NULL, all, as_alike};
    const struct pps_workload blank = {.n = 0};
    cr_assert_lt(worst(&run, &blank, 0, 0, 0.95), 1.0001);
}

// Takes ten times as long as foretold from the middle on.
static double from_the_middle(double point)
{
    return point < N / 2 ? 1e-6 : 1e-5;
}

// Would catch what was long ago counting as much as what was of late: by the mean the forecast is
// wrong by more than 2 when 70 % of the time have passed.
Test(pace, costs_that_the_kernel_does_not_know)
{
    const struct run run = {alike, all, from_the_middle};
    const struct pps_workload workload = workload_of(&run);
    cr_assert_lt(worst(&run, &workload, 0, 0.7, 0.95), 1.2);
}

static bool at_first(double point)
{
    return point < N / 50;
}

static double spared(double point)
{
    return 3e-9 * (100 + (at_first(point) ? rising(N - 1) : 0));
}

static double costly(double point)
{
    (void)point;
    return rising(N - 1);
}

// The best are found at once, which takes nearly all of the time, and bounds spare the rest: would
// catch a rest that is taken to be computed, thousands of times what it takes.
Test(pace, points_that_are_spared)
{
    const struct run run = {costly, at_first, spared};
    const struct pps_workload workload = workload_of(&run);
    cr_assert_lt(worst(&run, &workload, 0, 0.999, 0.9999), 15);
}

// ---- workloads of experiments -------------------------------------------------------------------

// Computes the work of all points before each tenth of the list, by the kernel's `cost`.
static void work_of_all(const struct pps_experiment *e, double computing[11])
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    for (int i = 0; i <= 10; i++)
        computing[i] = 0;
    pps_cursor_seek(cursor, &e->space, 0);
    while (pps_cursor_next(cursor, e->n_points, left_out)) {
        const double cost = e->kernel->cost(cursor->point, NULL);
        for (int i = 0; i <= 10; i++) {
            const double before = i / 10.0 * (double)e->n_points - (double)cursor->index;
            computing[i] += fmin(fmax(before, 0), 1) * cost / (double)e->n_points;
        }
        pps_cursor_step(cursor);
    }
    free(cursor);
}

// Would catch pieces out of order, a wrong scale, and points that are not spread.
Test(pace, workloads)
{
    static const char *const texts[] = {
        "{\"n\": [4, 8, 16, 32, 64, 128, 256, 512], \"gpus\": [2, 4, 8], \"priority_step\": "
        "0.2}",
        "{\"gpus\": [8, 4, 2], \"n\": [512, 64, 8], \"bwd_len\": \"1..2 step 0.01\"}",
        "{\"bwd_len\": \"1..3 step 0.01\", \"n\": [8, 64], \"where\": \"bwd_len <= 2 || n < "
        "9\"}",
        "{\"n\": [4, 512], \"tiers\": [{}], \"priority_step\": 1}", // fewer points than pieces
    };
    static struct pps_workload workload;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct pps_experiment *e = load_good(texts[t]);
        double want[11];
        work_of_all(e, want);
        pps_workload_measure(&workload, e);
        cr_assert_gt(workload.n, 0);
        for (int i = 0; i <= 10; i++) {
            const struct pps_work work = pps_workload_before(&workload, i / 10.0);
            cr_assert_lt(fabs(work.computing - want[i]), 0.08 * want[10] + 300 * i / 10.0,
                         "%s: %d: %g, not %g", texts[t], i, work.computing, want[i]);
            cr_assert(work.passing >= 20 * i / 10.0 - 1e-6 &&
                      work.passing <= 150 * i / 10.0 + 1e-6);
        }
        pps_experiment_free(e);
    }
}
