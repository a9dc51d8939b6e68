// SPDX-License-Identifier: Apache-2.0
// Tests of the local search on orders. They would catch a result that exceeds a limit, is worse than the
// order at the start, depends on anything but the seed, or has a value that the order does not have.
#include "kernels/schedule/search/order_search.h"

#include "kernels/common/executor/executor.h"
#include "kernels/schedule/automatic/greedy.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct bench {
    struct pipeline *pipeline;
    struct order *order;
    struct greedy *greedy;
    struct executor *executor;
    struct order_search *search;
    char *memory;
};

static void take(struct bench *b, struct room *room)
{
    const struct pipeline_shape *shape = &b->pipeline->shape;
    const int32_t operations = order_room(b->pipeline, false);
    b->greedy = greedy_take(shape, room);
    b->executor = executor_take(shape, operations, room);
    b->search = order_search_take(shape, operations, room);
}

static struct bench bench_new(const struct pipeline_shape *shape)
{
    struct bench b = {.pipeline = pipeline_new(shape)};
    struct room room = {NULL, 0};
    cr_assert_not_null(b.pipeline);
    pipeline_place(b.pipeline, PIPELINE_LOOP);
    b.order = order_new(shape->devices, order_room(b.pipeline, false));
    take(&b, &room);
    b.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    cr_assert(b.memory != NULL && b.order != NULL);
    room = (struct room){b.memory, 0};
    take(&b, &room);
    return b;
}

static void bench_free(struct bench *b)
{
    free(b->memory);
    order_free(b->order);
    pipeline_free(b->pipeline);
}

// Asserts that the order runs and stays within the limits; returns its makespan.
static double checked(struct bench *b)
{
    const struct pipeline *p = b->pipeline;
    cr_assert_eq(executor_run(b->executor, p, b->order, NULL, NULL), EXECUTOR_DONE);
    for (int32_t d = 0; d < b->order->devices; d++) {
        double held = p->fixed[d];
        for (int32_t i = 0; i < b->order->n[d]; i++) {
            const struct operation *op = &b->order->operations[order_at(b->order, d, i)];
            const struct pipeline_stage *s = &p->stage[op->stage];
            held += op->type == OPERATION_F   ? s->kept_until_b + s->kept_until_w
                    : op->type == OPERATION_B ? -s->kept_until_b
                    : op->type == OPERATION_W ? -s->kept_until_w
                                              : -(s->kept_until_b + s->kept_until_w);
            cr_assert(held <= p->limit[d] * (1 + 1e-8), "device %d, position %d", d, i);
        }
    }
    return executor_makespan(b->executor);
}

static void uniform(struct pipeline *p, double f, double b, double w, double c, double limit)
{
    const struct pipeline_stage stage = {.f = f, .b = b, .w = w, .kept_until_w = 1};
    pipeline_set_uniform(p, &stage);
    p->links.latency = c;
    for (int32_t d = 0; d < p->shape.devices; d++)
        p->limit[d] = limit;
}

static double improved(struct bench *b, int64_t budget, uint64_t seed)
{
    const struct order_search_options options = {.seed = seed, .budget = budget};
    double value = 0;
    int64_t evaluations = 0;
    cr_assert(order_search_improve(b->search, b->pipeline, &options, NULL, b->order, &value,
                                   &evaluations));
    cr_expect(evaluations <= budget);
    cr_expect_eq(value, checked(b));
    return value;
}

Test(order_search, random_pipelines)
{
    for (uint32_t k = 0; k < 6 + (uint32_t)n_cases(54); k++) {
        struct draws draws = {.seed = k};
        const int32_t devices = 1 + draws_below(&draws, 5), chunks = 1 + draws_below(&draws, 3),
                      items = 1 + draws_below(&draws, 12);
        struct bench b =
            bench_new(&(struct pipeline_shape){devices, devices * chunks, items, 1, 1});
        struct pipeline *p = b.pipeline;
        for (int32_t s = 0; s < p->shape.stages; s++)
            p->stage[s] = (struct pipeline_stage){.f = draws_below(&draws, 30),
                                                  .b = draws_below(&draws, 30),
                                                  .w = draws_below(&draws, 20),
                                                  .kept_until_b = draws_below(&draws, 3),
                                                  .kept_until_w = 1 + draws_below(&draws, 3)};
        p->links.latency = draws_below(&draws, 12);
        for (int32_t d = 0; d < devices; d++)
            p->limit[d] = 5 * chunks + draws_below(&draws, 20);
        const struct greedy_rule rule = {.whole_backward = k % 3 == 0,
                                         .forward_first = k % 2 == 0,
                                         .threshold = k % 5 / 4.0,
                                         .cap = 1 + k % 7};
        cr_assert_eq(greedy_build(b.greedy, p, &rule, NULL, b.order), GREEDY_DONE);
        const double before = checked(&b);
        struct order *start = order_new(devices, b.order->room),
                     *first = order_new(devices, b.order->room);
        order_copy(start, b.order);
        const double after = improved(&b, 2000, k);
        cr_expect(after <= before);
        order_copy(first, b.order);
        order_copy(b.order, start);
        cr_expect_eq(improved(&b, 2000, k), after);
        cr_expect(order_equal(first, b.order), "instance %u: another order", k);
        order_free(start);
        order_free(first);
        bench_free(&b);
    }
}

Test(order_search, improves_dispatch_below_p_devices)
{
    // The dispatch of section 5.5a takes 1980 at limit 4.
    struct bench b = bench_new(&(struct pipeline_shape){6, 6, 18, 1, 1});
    uniform(b.pipeline, 24, 28, 18, 1, 4);
    cr_assert_eq(
        greedy_build(b.greedy, b.pipeline, &(struct greedy_rule){.cap = 6}, NULL, b.order),
        GREEDY_DONE);
    cr_expect_leq(improved(&b, 30000, 42), 1960);
    bench_free(&b);
}

Test(order_search, refuses_an_order_above_the_limit)
{
    struct bench b = bench_new(&(struct pipeline_shape){2, 2, 4, 1, 1});
    const struct order_search_options options = {.budget = 10};
    double value = 0;
    int64_t evaluations = 0;
    uniform(b.pipeline, 1, 1, 1, 0, 4);
    for (int32_t d = 0; d < 2; d++)
        for (int32_t type = OPERATION_F; type <= OPERATION_W; type++)
            for (int32_t m = 0; m < 4; m++)
                order_add(b.order, d, (enum operation_type)type, m, d);
    cr_expect(order_search_improve(b.search, b.pipeline, &options, NULL, b.order, &value,
                                   &evaluations));
    uniform(b.pipeline, 1, 1, 1, 0, 3);
    order_clear(b.order);
    for (int32_t d = 0; d < 2; d++)
        for (int32_t type = OPERATION_F; type <= OPERATION_W; type++)
            for (int32_t m = 0; m < 4; m++)
                order_add(b.order, d, (enum operation_type)type, m, d);
    cr_expect_not(order_search_improve(b.search, b.pipeline, &options, NULL, b.order, &value,
                                       &evaluations));
    bench_free(&b);
}
