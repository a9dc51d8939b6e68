// SPDX-License-Identifier: Apache-2.0
// Lanes: each lane of executor_lanes_run has the bits of the scalar executor with the times of the lane.
#include "kernels/common/executor/lanes_private.h"

#include "kernels/schedule/noise/noise.h"
#include "tests/unit/support/kernels/drawn_order.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 4 * 8 * 4 * 3 * 2, OPERATIONS = 8 * DRAWN_ROOM };

struct bench {
    struct drawn_order *drawn;
    struct executor_lanes *lanes;
    struct executor_times times;
    struct executor_lanes_result result;
    char *memory;
};

static void take(struct bench *b, struct room *room)
{
    const size_t line = EXECUTOR_LANES * sizeof(double);
    b->lanes = executor_lanes_take(&b->drawn->pipeline->shape, room);
    for (int k = 0; k < 4; k++)
        b->times.time[k] = room_take(room, LINES, line);
    for (int k = 0; k < 2; k++)
        b->times.delay[k] = room_take(room, LINES, line);
    b->result.starts = room_take(room, OPERATIONS, line);
    b->result.ends = room_take(room, OPERATIONS, line);
}

static struct bench bench_of(struct drawn_order *drawn)
{
    struct bench b = {.drawn = drawn};
    struct room room = {NULL, 0};
    take(&b, &room);
    b.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(b.memory, 0xA5, room.used);
    room = (struct room){b.memory, 0};
    take(&b, &room);
    noise_draw(&(struct noise){.level = 0}, b.drawn->pipeline, 0, &b.times);
    return b;
}

// Draws an order that runs.
static struct bench bench_drawn(struct random *r)
{
    struct drawn_order *drawn = drawn_order_new(r);
    while (executor_run(drawn->executor, drawn->pipeline, drawn->order, drawn->release, NULL) !=
           EXECUTOR_DONE) {
        drawn_order_free(drawn);
        drawn = drawn_order_new(r);
    }
    return bench_of(drawn);
}

static void bench_free(struct bench *b)
{
    drawn_order_free(b->drawn);
    free(b->memory);
}

static int32_t n_lines(const struct pipeline *p)
{
    return p->shape.directions * p->shape.stages * pipeline_items(p);
}

// Compares a lane with the last run of the executor.
static void check_lane(const struct bench *b, int lane, int round)
{
    const struct executor *e = b->drawn->executor;
    cr_assert_eq(b->result.makespan[lane], executor_makespan(e), "round %d", round);
    cr_assert_eq(b->result.span[lane], executor_span(e), "round %d", round);
    for (int32_t d = 0; d < b->drawn->order->devices && b->result.starts != NULL; d++)
        for (int32_t i = 0; i < b->drawn->order->n[d]; i++) {
            const int64_t at = order_at(b->drawn->order, d, i);
            cr_assert_eq(b->result.starts[at * EXECUTOR_LANES + lane], executor_starts(e)[at],
                         "round %d", round);
            cr_assert_eq(b->result.ends[at * EXECUTOR_LANES + lane], executor_ends(e)[at],
                         "round %d", round);
        }
}

static double same(const struct executor_times *times, const struct executor_piece *piece)
{
    return executor_piece_duration(times, times->pipeline, piece);
}

// ---- other times --------------------------------------------------------------------------------

static void draw_times(struct random *r, struct bench *b)
{
    const int32_t n = n_lines(b->drawn->pipeline);
    for (int32_t i = 0; i < n * EXECUTOR_LANES; i++) {
        for (int k = 0; k < 4; k++)
            b->times.time[k][i] *= drawn_within(r, 0, 9) == 0 ? 0 : 0.5 + random_unit(r);
        for (int k = 0; k < 2; k++)
            b->times.delay[k][i] *= drawn_within(r, 0, 9) == 0 ? 0 : 0.5 + random_unit(r);
    }
}

// The duration of an operation in a lane, written from the definition.
static double duration_of(const struct bench *b, int64_t at, int32_t device, int lane)
{
    const struct pipeline *p = b->drawn->pipeline;
    const struct operation *op = &b->drawn->order->operations[at];
    const int64_t i = executor_times_index(p, op) * EXECUTOR_LANES + lane;
    double *const *time = b->times.time;
    switch (op->type) {
    case OPERATION_F:
        break;
    case OPERATION_BW:
        return time[1][i] + time[2][i];
    default:
        return time[op->type == OPERATION_R ? 3 : op->type][i];
    }
    if (!b->drawn->order->paired[at])
        return time[0][i];
    const int64_t j = executor_times_index(p, op + 1) * EXECUTOR_LANES + lane;
    const double sum = time[0][i] + (time[1][j] + time[2][j]), pair = p->pair[device],
                 nominal = p->stage[op->stage].f +
                           (p->stage[op[1].stage].b + p->stage[op[1].stage].w);
    return isnan(pair) ? sum : nominal > 0 ? pair * (sum / nominal) : pair;
}

static void run_scalar(const struct bench *b, int lane)
{
    static double durations[OPERATIONS], delays[OPERATIONS];
    const struct order *o = b->drawn->order;
    for (int32_t d = 0; d < o->devices; d++)
        for (int32_t i = 0; i < o->n[d]; i++) {
            const int64_t at = order_at(o, d, i);
            const struct operation *op = &o->operations[at];
            const int64_t index = executor_times_index(b->drawn->pipeline, op);
            durations[at] = duration_of(b, at, d, lane);
            delays[at] = b->times.delay[op->type != OPERATION_F][index * EXECUTOR_LANES + lane];
        }
    executor_run_again(b->drawn->executor, durations, delays);
}

Test(executor_lanes, a_lane_has_the_bits_of_the_scalar_executor)
{
    struct random r = {11};
    for (int round = 0; round < n_cases(2000); round++) {
        struct bench b = bench_drawn(&r);
        b.drawn->pipeline->links.channels = PIPELINE_FREE;
        (void)executor_run(b.drawn->executor, b.drawn->pipeline, b.drawn->order,
                           b.drawn->release, NULL);
        draw_times(&r, &b);
        if (random_coin(&r))
            b.result.starts = b.result.ends = NULL;
        for (int set = 0; set < EXECUTOR_N_SETS; set++) {
            if (!executor_lanes_choose(b.lanes, (enum executor_lanes_set)set))
                continue;
            executor_lanes_run(b.drawn->executor, b.lanes, &b.times, &b.result);
            for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
                run_scalar(&b, lane);
                check_lane(&b, lane, round);
            }
        }
        bench_free(&b);
    }
}

// An order of so many micro-batches that the executor pads its arrays.
Test(executor_lanes, follow_an_order_of_many_micro_batches)
{
    struct random r = {15};
    const struct pipeline_shape shape = {.devices = 3,
                                         .stages = 3,
                                         .micro_batches = 145,
                                         .slices = 1,
                                         .directions = 1};
    struct drawn_order *drawn = drawn_order_new(&r);
    pipeline_free(drawn->pipeline);
    order_free(drawn->order);
    free(drawn->memory);
    drawn->pipeline = pipeline_new(&shape);
    drawn->order = order_new(3, 3 * 145);
    pipeline_place(drawn->pipeline, PIPELINE_LOOP);
    pipeline_set_uniform(drawn->pipeline, &(struct pipeline_stage){.f = 1, .b = 2, .w = 1.5});
    drawn->pipeline->links.latency = 0.5;
    struct room room = {NULL, 0};
    (void)executor_take(&shape, drawn->order->room, &room);
    drawn->memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    room = (struct room){drawn->memory, 0};
    drawn->executor = executor_take(&shape, drawn->order->room, &room);
    for (int32_t d = 0; d < 3; d++) {
        for (int32_t i = 0; i < 3 + 145; i++) {
            if (i < 145)
                order_add(drawn->order, d, OPERATION_F, i, d);
            if (i >= 3)
                order_add(drawn->order, d, OPERATION_B, i - 3, d);
        }
        for (int32_t i = 0; i < 145; i++)
            order_add(drawn->order, d, OPERATION_W, i, d);
        drawn->release[d] = d;
    }
    cr_assert_eq(
        executor_run(drawn->executor, drawn->pipeline, drawn->order, drawn->release, NULL),
        EXECUTOR_DONE);
    struct bench b = bench_of(drawn);
    draw_times(&r, &b);
    b.times.pipeline = drawn->pipeline;
    for (int k = 0; k < 2; k++) {
        executor_lanes_run(drawn->executor, b.lanes, &b.times, &b.result);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
            run_scalar(&b, lane);
            check_lane(&b, lane, k);
        }
        b.times.duration = same;
    }
    bench_free(&b);
}

// The lanes take what they need from the executor, also after a change of the order and another order.
Test(executor_lanes, follow_the_last_order)
{
    struct random r = {12};
    for (int round = 0; round < n_cases(500); round++) {
        struct bench b = bench_drawn(&r);
        struct order *o = b.drawn->order;
        const int32_t d = drawn_within(&r, 0, o->devices - 1),
                      i = drawn_within(&r, 0, o->n[d] < 2 ? 0 : o->n[d] - 2);
        const int64_t at = order_at(o, d, i);
        executor_lanes_run(b.drawn->executor, b.lanes, &b.times, &b.result);
        if (o->n[d] >= 2 && !o->paired[at] && !o->paired[at + 1] &&
            (i == 0 || !o->paired[at - 1])) {
            drawn_swap(o, d, i, i + 1);
            if (executor_run(b.drawn->executor, b.drawn->pipeline, o, b.drawn->release, NULL) ==
                EXECUTOR_DONE) {
                executor_lanes_run(b.drawn->executor, b.lanes, &b.times, &b.result);
                check_lane(&b, 0, round);
            }
        }
        bench_free(&b);
    }
}

// ---- channels and rates -------------------------------------------------------------------------

// With channels, lane k has all times of the pipeline multiplied by 2^k, and so all moments.
Test(executor_lanes, channels_stretch_with_the_times)
{
    struct random r = {13};
    for (int round = 0; round < n_cases(2000); round++) {
        struct bench b = bench_drawn(&r);
        const struct drawn_order *drawn = b.drawn;
        const int32_t n = n_lines(drawn->pipeline);
        for (int32_t i = 0; i < n * EXECUTOR_LANES; i++) {
            for (int k = 0; k < 4; k++)
                b.times.time[k][i] = ldexp(b.times.time[k][i], i % EXECUTOR_LANES);
            for (int k = 0; k < 2; k++)
                b.times.delay[k][i] = ldexp(b.times.delay[k][i], i % EXECUTOR_LANES);
        }
        (void)executor_run(drawn->executor, drawn->pipeline, drawn->order, NULL, NULL);
        const double makespan = executor_makespan(drawn->executor),
                     span = executor_span(drawn->executor);
        b.times.duration = random_coin(&r) ? same : NULL;
        b.times.pipeline = drawn->pipeline;
        executor_lanes_run(drawn->executor, b.lanes, &b.times, &b.result);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
            bool is_pair = false; // of a time that no operation has: it does not stretch from 0
            for (int32_t d = 0; d < drawn->order->devices; d++)
                for (int32_t i = 0; i < drawn->order->n[d]; i++) {
                    const int64_t at = order_at(drawn->order, d, i);
                    const struct operation *op = &drawn->order->operations[at];
                    is_pair =
                        is_pair || (drawn->order->paired[at] && drawn->pipeline->pair[d] > 0 &&
                                    drawn->pipeline->stage[op->stage].f +
                                            drawn->pipeline->stage[op[1].stage].b +
                                            drawn->pipeline->stage[op[1].stage].w ==
                                        0);
                }
            if (is_pair)
                continue;
            cr_assert_eq(b.result.makespan[lane], ldexp(makespan, lane), "round %d", round);
            cr_assert_eq(b.result.span[lane], ldexp(span, lane), "round %d", round);
        }
        bench_free(&b);
    }
}

// A device that is half as fast in odd lanes.
static double slow_device(const struct executor_times *times,
                          const struct executor_piece *piece)
{
    const double time = executor_piece_duration(times, times->pipeline, piece);
    cr_assert_geq(piece->start, 0);
    return piece->device == *(const int32_t *)times->noise && piece->lane % 2 == 1 ? 2 * time
                                                                                   : time;
}

Test(executor_lanes, durations_may_depend_on_the_device_and_the_start)
{
    struct random r = {14};
    for (int round = 0; round < n_cases(1000); round++) {
        struct bench b = bench_drawn(&r);
        struct pipeline *p = b.drawn->pipeline;
        const int32_t slow = drawn_within(&r, 0, p->shape.devices - 1);
        b.times.duration = slow_device;
        b.times.noise = &slow;
        b.times.pipeline = p;
        executor_lanes_run(b.drawn->executor, b.lanes, &b.times, &b.result);
        for (int lane = 0; lane < 2; lane++) {
            for (int32_t s = 0; s < p->shape.stages && lane == 1 && p->shape.directions == 1;
                 s++)
                if (p->device_of[s] == slow) {
                    struct pipeline_stage *stage = &p->stage[s];
                    stage->f *= 2, stage->b *= 2, stage->w *= 2, stage->r *= 2;
                }
            if (lane == 1)
                p->pair[slow] *= 2;
            if (lane == 1 && p->shape.directions == 2)
                break; // both devices of a stage have its times
            (void)executor_run(b.drawn->executor, p, b.drawn->order, b.drawn->release, NULL);
            check_lane(&b, lane, round);
        }
        bench_free(&b);
    }
}
