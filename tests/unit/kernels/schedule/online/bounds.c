// SPDX-License-Identifier: Apache-2.0
// Lower bounds of replicates: below every order of small problems, below every policy, and equal to known
// figures.
#include "kernels/common/executor/bounds.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/noise/noise.h"
#include "kernels/schedule/online/limited.h"
#include "tests/unit/support/kernels/online_bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bounds_bench {
    struct online_bench *b;
    struct limited *limited;
    double *room;
    char *memory;
    struct bounds bounds[EXECUTOR_LANES];
    double free[EXECUTOR_LANES], least[EXECUTOR_LANES]; // without and with limits of memory
};

static struct bounds_bench *bench_new(struct pipeline *pipeline)
{
    struct bounds_bench *bench = calloc(1, sizeof *bench);
    const struct pipeline_shape *shape = &pipeline->shape;
    struct room room = {NULL, 0};
    bench->b = online_bench_new(pipeline);
    for (int pass = 0; pass < 2; pass++) {
        bench->limited = limited_take(shape, &room);
        bench->room = room_take(&room, (size_t)(BOUNDS_ROOM * shape->devices), sizeof(double));
        if (pass == 1)
            break;
        bench->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
        memset(bench->memory, 0xA5, room.used);
        room = (struct room){bench->memory, 0};
    }
    return bench;
}

static void bench_free(struct bounds_bench *bench)
{
    online_bench_free(bench->b);
    free(bench->memory);
    free(bench);
}

static void find_bounds(struct bounds_bench *bench)
{
    bounds_of_times(bench->b->pipeline, &bench->b->times, bench->room, bench->bounds);
    limited_open(bench->limited, bench->b->pipeline);
    limited_bounds(bench->limited, &bench->b->times, false, bench->free);
    limited_bounds(bench->limited, &bench->b->times, true, bench->least);
}

// ---- every order of a small problem -------------------------------------------------------------

// Enumerates the orders of all devices, one operation after the other.
struct brute {
    struct bounds_bench *bench;
    bool ascending;
    int8_t done[8][4]; // [stage][item]: operations that are placed
    double best[EXECUTOR_LANES];
};

static void evaluate(struct brute *e)
{
    struct online_bench *b = e->bench->b;
    struct metrics_excess excess;
    if (metrics_over_limit(b->pipeline, b->reference, &excess) ||
        executor_run(b->executor, b->pipeline, b->reference, NULL, NULL) != EXECUTOR_DONE)
        return;
    struct executor_lanes_result result = {.starts = NULL};
    executor_lanes_run(b->executor, b->lanes, &b->times, &result);
    for (int lane = 0; lane < EXECUTOR_LANES; lane++)
        e->best[lane] = fmin(e->best[lane], result.makespan[lane]);
}

static bool may_place(const struct brute *e, int32_t s, int32_t item)
{
    const int8_t *done = e->done[s];
    if (done[item] == 3)
        return false;
    return !e->ascending || item == 0 || done[item - 1] > done[item];
}

static void place(struct brute *e, int32_t device)
{
    struct online_bench *b = e->bench->b;
    const struct pipeline_shape *shape = &b->pipeline->shape;
    bool is_full = true;
    for (int32_t s = 0; s < shape->stages; s++) {
        if (b->pipeline->device_of[s] != device)
            continue;
        for (int32_t item = 0; item < shape->micro_batches; item++) {
            is_full = is_full && e->done[s][item] == 3;
            if (!may_place(e, s, item))
                continue;
            order_add(b->reference, device, (enum operation_type)e->done[s][item]++, item, s);
            place(e, device);
            e->done[s][item]--;
            b->reference->n[device]--;
        }
    }
    if (!is_full)
        return;
    if (device + 1 < shape->devices)
        place(e, device + 1);
    else
        evaluate(e);
}

static void find_best(struct brute *e, struct bounds_bench *bench, bool ascending)
{
    *e = (struct brute){.bench = bench, .ascending = ascending};
    for (int lane = 0; lane < EXECUTOR_LANES; lane++)
        e->best[lane] = HUGE_VAL;
    order_clear(bench->b->reference);
    place(e, 0);
}

static bool is_at_most(double bound, double value)
{
    return bound <= value * (1 + 1e-9) + 1e-12;
}

// Problems of at most 6 forwards; the sums show that the bounds are not trivial.
Test(online_bounds, below_the_best_order)
{
    struct random r = {22};
    double clairvoyant = 0, limited = 0, best = 0;
    for (int k = 0; k < 40; k++) {
        struct pipeline *pipeline;
        for (;;) {
            pipeline = online_bench_draw(&r, 3, 3);
            const struct pipeline_shape *shape = &pipeline->shape;
            const int32_t n = shape->stages / shape->devices * shape->micro_batches;
            if (n <= 4 && shape->devices * n <= 6)
                break;
            pipeline_free(pipeline);
        }
        struct bounds_bench *bench = bench_new(pipeline);
        struct brute all, ascending;
        online_bench_times(&r, bench->b, 0.5);
        find_bounds(bench);
        find_best(&ascending, bench, true);
        const bool is_small = pipeline->shape.stages * pipeline->shape.micro_batches <= 4;
        if (is_small)
            find_best(&all, bench, false);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
            const struct bounds *bounds = &bench->bounds[lane];
            cr_assert(isfinite(ascending.best[lane]));
            cr_assert(is_at_most(bench->least[lane], ascending.best[lane]),
                      "problem %d: %.17g, best %.17g", k, bench->least[lane],
                      ascending.best[lane]);
            cr_assert(
                is_at_most(bounds->makespan, is_small ? all.best[lane] : ascending.best[lane]),
                "problem %d: %.17g", k, bounds->makespan);
            clairvoyant += bounds->makespan;
            limited += bench->least[lane];
            best += ascending.best[lane];
        }
        bench_free(bench);
    }
    cr_expect(clairvoyant > 0.8 * best, "%g of %g", clairvoyant, best);
    cr_expect(limited > 0.95 * best && limited > clairvoyant, "%g of %g", limited, best);
}

// ---- every policy -------------------------------------------------------------------------------

Test(online_bounds, below_every_policy)
{
    struct random r = {23};
    for (int k = 0; k < 400; k++) {
        struct bounds_bench *bench = bench_new(online_bench_draw(&r, 5, 7));
        struct online_bench *b = bench->b;
        online_bench_sequential(b);
        online_open(b->online, b->pipeline, b->reference);
        for (int32_t d = 0; d < b->pipeline->shape.devices; d++)
            b->pipeline->limit[d] = online_device(b->online, d)->limit;
        online_bench_times(&r, b, 0.5);
        find_bounds(bench);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
            struct online_decision decision;
            online_start(b->online, &b->times, lane);
            while (online_next(b->online, &decision))
                online_act(b->online, (int32_t)random_below(&r, decision.n));
            const double makespan = online_makespan(b->online);
            cr_assert(is_at_most(bench->bounds[lane].makespan, makespan), "problem %d", k);
            cr_assert(is_at_most(bench->least[lane], makespan), "problem %d: %.17g > %.17g", k,
                      bench->least[lane], makespan);
        }
        bench_free(bench);
    }
}

Test(online_bounds, of_nominal_times_as_without_times)
{
    struct random r = {24};
    for (int k = 0; k < 400; k++) {
        struct bounds_bench *bench = bench_new(online_bench_draw(&r, 5, 7));
        struct bounds nominal;
        online_bench_times(&r, bench->b, 0);
        find_bounds(bench);
        bounds_of(bench->b->pipeline, &nominal);
        const double values[] = {nominal.load, nominal.work, nominal.chain, nominal.memory,
                                 nominal.makespan};
        for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
            const struct bounds *own = &bench->bounds[lane];
            const double others[] = {own->load, own->work, own->chain, own->memory,
                                     own->makespan};
            for (int i = 0; i < 5; i++)
                cr_assert_float_eq(others[i], values[i], 1e-9 * values[i] + 1e-12,
                                   "problem %d, bound %d: %.17g, %.17g", k, i, others[i],
                                   values[i]);
        }
        bench_free(bench);
    }
}

// ---- known figures --------------------------------------------------------------------------------

struct known {
    int32_t p, m;
    double level, outliers;
    double bound; // published mean
};

// f, b, w, latency = 12, 13, 7, 1; means of 1500 replicates. More than in CI: PPS_ONLINE_REPLICATES=1504.
static const struct known known[] = {
    {8, 32, 0, 0, 1115},   {8, 32, 0.1, 0, 1117},   {8, 32, 0.2, 0, 1124},
    {8, 32, 0.3, 0, 1135}, {16, 64, 0, 0.02, 2249}, {16, 64, 0.3, 0.02, 2284},
};

Test(online_bounds, published_means)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct known *row = &known[i];
        struct pipeline *pipeline =
            pipeline_new(&(struct pipeline_shape){row->p, row->p, row->m, 1, 1});
        pipeline_place(pipeline, PIPELINE_LOOP);
        pipeline_set_uniform(
            pipeline, &(struct pipeline_stage){.f = 12, .b = 13, .w = 7, .kept_until_w = 1});
        pipeline->links.latency = 1;
        for (int32_t d = 0; d < row->p; d++)
            pipeline->limit[d] = row->p;
        struct bounds_bench *bench = bench_new(pipeline);
        const struct noise noise = {.seed = 42,
                                    .level = row->level,
                                    .outlier_p = row->outliers,
                                    .outlier_k = 21};
        const char *more = getenv("PPS_ONLINE_REPLICATES");
        double sum = 0, limited = 0;
        const int n = more != NULL ? atoi(more) : 160;
        for (int first = 0; first < n; first += EXECUTOR_LANES) {
            noise_draw(&noise, pipeline, (uint32_t)first, &bench->b->times);
            find_bounds(bench);
            for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
                sum += bench->free[lane] / n;
                limited += bench->least[lane] / n;
            }
        }
        cr_expect_float_eq(sum, row->bound, 0.003 * row->bound, "row %zu: %g", i, sum);
        cr_expect(limited >= sum);
        if (more != NULL)
            cr_log_warn("%d %g %g: clairvoyant %.1f, memory-limited %.1f", row->p, row->level,
                        row->outliers, sum, limited);
        bench_free(bench);
    }
}
