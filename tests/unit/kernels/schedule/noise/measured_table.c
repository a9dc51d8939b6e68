// SPDX-License-Identifier: Apache-2.0
// Fixed orders with fluctuating times: the means that an independent simulator measured.
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/noise/noise.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { REPLICATES = 1500 };

struct bench {
    struct pipeline *pipeline;
    struct order *order;
    struct executor *executor;
    struct executor_lanes *lanes;
    struct executor_times times;
    char *memory;
};

static void take(struct bench *b, struct room *room)
{
    b->executor = executor_take(&b->pipeline->shape, b->order->room, room);
    b->lanes = executor_lanes_take(&b->pipeline->shape, room);
    noise_times_take(&b->times, &b->pipeline->shape, false, room);
}

static struct bench bench_new(const char *name, int32_t p, int32_t m)
{
    const struct family *family = family_named(name);
    const struct pipeline_shape shape = {p, p, m, 1, 1};
    struct bench b = {.pipeline = pipeline_new(&shape)};
    struct room room = {NULL, 0};
    pipeline_place(b.pipeline, family->placement);
    pipeline_set_uniform(b.pipeline,
                         &(struct pipeline_stage){.f = 12, .b = 13, .w = 7, .kept_until_w = 1});
    b.pipeline->links.latency = 1;
    b.order = order_new(p, order_room(b.pipeline, false));
    take(&b, &room);
    b.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){b.memory, 0};
    take(&b, &room);
    cr_assert_eq(family_build(family,
                              &(struct family_task){
                                  b.pipeline, &(struct family_options){.group = 0}, NULL, NULL,
                                  b.order, &(struct family_result){.value = 0}}),
                 FAMILY_DONE);
    cr_assert_eq(executor_run(b.executor, b.pipeline, b.order, NULL, NULL), EXECUTOR_DONE);
    return b;
}

static void bench_free(struct bench *b)
{
    pipeline_free(b->pipeline);
    order_free(b->order);
    free(b->memory);
}

// Returns the least makespan of one lane if devices never waited after their first forward.
static double bound_of(const struct bench *b, int lane)
{
    const struct pipeline_shape *shape = &b->pipeline->shape;
    double bound = 0, head = 0;
    for (int32_t d = 0; d < shape->devices; d++) {
        double load = 0;
        for (int32_t i = d * shape->micro_batches; i < (d + 1) * shape->micro_batches; i++)
            for (int type = 0; type < 3; type++)
                load += b->times.time[type][i * EXECUTOR_LANES + lane];
        bound = fmax(bound, head + load);
        const int32_t first = d * shape->micro_batches * EXECUTOR_LANES + lane;
        head += b->times.time[0][first] + b->times.delay[0][first];
    }
    return bound;
}

// Normal noise, f, b, w, latency = 12, 13, 7, 1; messages are outliers of 21 times with p = 0.02 or not at
// all. Means of 1500 replicates with other random numbers; their intervals are as wide as these. Catches a level,
// a floor or an outlier of another meaning, and lanes that are not independent.
Test(measured, means_of_fixed_orders)
{
    static const struct {
        const char *family;
        int32_t p, m;
        double level, outlier_p, mean, bound;
    } table[] = {
        {"zb_h1", 8, 32, 0, 0, 1178, 1115},     {"zb_h1", 8, 32, .1, 0, 1212.5, 1117},
        {"zb_h1", 8, 32, .2, 0, 1261.1, 1124},  {"zb_h1", 8, 32, .3, 0, 1319.5, 1135},
        {"zb_h2", 8, 32, .1, 0, 1124.6, 1117},  {"zb_h2", 8, 32, .2, 0, 1149.2, 1124},
        {"zb_h2", 8, 32, .3, 0, 1183.5, 1135},  {"zb_h1", 16, 64, 0, .02, 2621, 2249},
        {"zb_h1", 16, 64, .3, .02, 2840, 2284},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        struct bench b = bench_new(table[k].family, table[k].p, table[k].m);
        const struct noise noise = {.seed = 42,
                                    .level = table[k].level,
                                    .outlier_p = table[k].outlier_p,
                                    .outlier_k = 21};
        struct executor_lanes_result result = {.starts = NULL};
        double sum = 0, squares = 0, bounds = 0;
        for (uint32_t i = 0; i < REPLICATES; i += EXECUTOR_LANES) {
            noise_draw(&noise, b.pipeline, i, &b.times);
            executor_lanes_run(b.executor, b.lanes, &b.times, &result);
            for (int lane = 0; lane < EXECUTOR_LANES && i + (uint32_t)lane < REPLICATES;
                 lane++) {
                const double bound = bound_of(&b, lane);
                cr_assert(bound <= result.makespan[lane] * (1 + 1e-12), "%zu", k);
                sum += result.makespan[lane];
                squares += result.makespan[lane] * result.makespan[lane];
                bounds += bound;
            }
        }
        // half of the 95 % interval of the difference of two such means, and the rounding of the table
        const double mean = sum / REPLICATES,
                     half = 1.96 * sqrt(2 * fmax(0, squares / REPLICATES - mean * mean) /
                                        REPLICATES) +
                            (table[k].outlier_p > 0 ? 0.5 : 0.05);
        cr_assert(fabs(mean - table[k].mean) <= half, "%zu: %.2f, expected %g +- %.2f", k, mean,
                  table[k].mean, half);
        cr_assert(fabs(bounds / REPLICATES - table[k].bound) <= 1.5, "%zu: bound %.2f", k,
                  bounds / REPLICATES);
        bench_free(&b);
    }
}
