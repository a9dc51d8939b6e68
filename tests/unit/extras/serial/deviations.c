// SPDX-License-Identifier: Apache-2.0
// Where the executor and the noise differ from the published project, whose faults are in model.md.
#include "extras/serial/serial.h"
#include "kernels/common/executor/executor_lanes.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/noise/noise.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The published sizes with messages apart: f, b, w, latency = 32, 48, 9.6, 16.
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

static struct bench bench_new(const char *name, int32_t p, double scale)
{
    const struct family *family = family_named(name);
    const struct pipeline_shape shape = {p, p, 6, 1, 1};
    struct bench b = {.pipeline = pipeline_new(&shape)};
    struct room room = {NULL, 0};
    pipeline_place(b.pipeline, family->placement);
    pipeline_set_uniform(b.pipeline, &(struct pipeline_stage){.f = 32 * scale,
                                                              .b = 48 * scale,
                                                              .w = 9.6 * scale,
                                                              .kept_until_w = 1});
    b.pipeline->links.latency = 16 * scale;
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

static double makespan_of(const char *name, int32_t p)
{
    struct bench b = bench_new(name, p, 1);
    const double makespan = executor_makespan(b.executor);
    bench_free(&b);
    return makespan;
}

// Published: one clock for all devices, a total of 2918.4 for every order.
Test(deviations, every_device_has_its_own_clock)
{
    cr_assert_float_eq(makespan_of("1f1b", 4), 998.4, 1e-9);
    cr_assert_float_eq(makespan_of("zb_h1", 4), 940.8, 1e-9);
    cr_assert_float_eq(makespan_of("zb_h2", 4), 825.6, 1e-9);
}

// Published: an operation starts at the global clock, whether its device is free or not, and counts as done
// when it starts.
Test(deviations, start_is_the_end_of_the_device_or_the_arrival)
{
    struct bench b = bench_new("zb_h1", 4, 1);
    const double *starts = executor_starts(b.executor), *ends = executor_ends(b.executor);
    double end[4][6][2];
    memset(end, 0, sizeof end);
    for (int32_t d = 0; d < 4; d++)
        for (int32_t i = 0; i < b.order->n[d]; i++) {
            const struct operation *o = &b.order->operations[order_at(b.order, d, i)];
            if (o->type != OPERATION_W)
                end[d][o->item][o->type] = ends[order_at(b.order, d, i)];
        }
    for (int32_t d = 0; d < 4; d++)
        for (int32_t i = 0; i < b.order->n[d]; i++) {
            const int64_t at = order_at(b.order, d, i);
            const struct operation *o = &b.order->operations[at];
            const double before = i > 0 ? ends[at - 1] : 0;
            double arrival = 0;
            if (o->type == OPERATION_F && d > 0)
                arrival = end[d - 1][o->item][0] + 16;
            else if (o->type == OPERATION_B)
                arrival = d < 3 ? end[d + 1][o->item][1] + 16 : end[3][o->item][0];
            cr_assert_float_eq(starts[at], fmax(before, arrival), 1e-9, "%d %d", d, i);
        }
    bench_free(&b);
}

// Published: the time of a message is part of every F and B, also where nothing is sent.
Test(deviations, messages_between_different_devices_only)
{
    cr_assert_float_eq(makespan_of("1f1b", 1), 6 * 89.6, 1e-9);
    struct serial_problem problem = serial_defaults();
    problem.devices = 1;
    cr_assert_float_eq(serial_nominal_total(&problem), 6 * 121.6, 1e-9);
}

// Published: noise is drawn for every comparison and again for the run, and competitors use one generator in
// turn.
Test(deviations, one_draw_per_operation_for_all_orders)
{
    const struct noise noise = {.seed = 42, .level = 0.3, .message_level = 0.3};
    struct bench one = bench_new("1f1b", 4, 1), two = bench_new("zb_h2", 4, 1);
    noise_draw(&noise, one.pipeline, 8, &one.times);
    noise_draw(&noise, two.pipeline, 0, &two.times);
    noise_draw(&noise, two.pipeline, 8, &two.times);
    const size_t n = 4 * 6 * EXECUTOR_LANES * sizeof(double);
    for (int type = 0; type < 3; type++)
        cr_assert_arr_eq(one.times.time[type], two.times.time[type], n);
    for (int way = 0; way < 2; way++)
        cr_assert_arr_eq(one.times.delay[way], two.times.delay[way], n);
    bench_free(&one);
    bench_free(&two);
}

// Published: without a possible operation the loop takes the minimum of an empty set, for ever.
Test(deviations, a_deadlock_is_an_error)
{
    struct bench b = bench_new("1f1b", 4, 1);
    struct operation *first = &b.order->operations[order_at(b.order, 3, 0)];
    const struct operation swap = first[0];
    first[0] = first[1];
    first[1] = swap;
    cr_assert_eq(executor_run(b.executor, b.pipeline, b.order, NULL, NULL), EXECUTOR_DEADLOCK);
    bench_free(&b);
}

// Published: no memory.
Test(deviations, memory_has_a_limit)
{
    struct metrics_excess excess;
    struct bench one = bench_new("zb_h1", 4, 1), two = bench_new("zb_h2", 4, 1);
    for (int32_t d = 0; d < 4; d++)
        one.pipeline->limit[d] = two.pipeline->limit[d] = 4;
    cr_assert_not(metrics_over_limit(one.pipeline, one.order, &excess));
    cr_assert(metrics_over_limit(two.pipeline, two.order, &excess));
    cr_assert_eq(excess.device, 0);
    bench_free(&one);
    bench_free(&two);
}

// Mean of the times of all F, over their nominal time.
static double mean_factor(struct bench *b, const struct noise *noise)
{
    double sum = 0;
    int n = 0;
    for (uint32_t first = 0; first < 2000; first += EXECUTOR_LANES) {
        noise_draw(noise, b->pipeline, first, &b->times);
        for (int i = 0; i < 4 * 6 * EXECUTOR_LANES; i++, n++)
            sum += b->times.time[0][i];
    }
    return sum / n / b->pipeline->stage[0].f;
}

// Published: floors in units of time. With short operations they raise the mean; the floor of normal noise
// does not depend on the unit, and lognormal noise has none.
Test(deviations, floors_do_not_depend_on_the_unit)
{
    struct bench b = bench_new("1f1b", 4, 0.003);
    const struct noise published = {.seed = 1, .level = 0.5, .published_floors = true},
                       normal = {.seed = 1, .level = 0.5},
                       lognormal = {.seed = 1, .level = 0.5, .kind = NOISE_LOGNORMAL};
    const double four_sigma = 4 * 0.5 / sqrt(2000 * 24);
    cr_assert_gt(mean_factor(&b, &published), 1.15);
    cr_assert_float_eq(mean_factor(&b, &normal), 1.007, four_sigma);
    cr_assert_float_eq(mean_factor(&b, &lognormal), 1, four_sigma);
    bench_free(&b);
}
