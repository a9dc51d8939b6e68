// SPDX-License-Identifier: Apache-2.0
// Tests of the times of an order that changes. They would catch a start that differs from that of the executor
// after any sequence of changes, and changes that are refused although they make the step shorter.
#include "kernels/schedule/search/order_times.h"

#include "kernels/schedule/automatic/greedy.h"
#include "kernels/schedule/search/draft.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct bench {
    struct pipeline *pipeline;
    struct order *order;
    struct greedy *greedy;
    struct executor *own, *other; // own: of the times
    struct order_times *times;
    struct draft *draft;
    char *memory;
};

static void take(struct bench *b, struct room *room)
{
    const struct pipeline_shape *shape = &b->pipeline->shape;
    const int32_t operations = order_room(b->pipeline, false);
    b->greedy = greedy_take(shape, room);
    b->own = executor_take(shape, operations, room);
    b->other = executor_take(shape, operations, room);
    b->times = order_times_take(shape, operations, b->own, room);
    b->draft = draft_take(shape, operations, room);
}

// A random pipeline with the order of a dispatch.
static struct bench bench_new(struct draws *draws, bool zeros)
{
    const int32_t devices = 1 + draws_below(draws, 5), chunks = 1 + draws_below(draws, 2);
    const struct pipeline_shape shape = {devices, devices * chunks, 1 + draws_below(draws, 9),
                                         1, 1};
    struct bench b = {.pipeline = pipeline_new(&shape)};
    struct pipeline *p = b.pipeline;
    struct room room = {NULL, 0};
    pipeline_place(p, chunks == 2 ? PIPELINE_VEE : PIPELINE_LOOP);
    for (int32_t s = 0; s < shape.stages; s++)
        p->stage[s] = (struct pipeline_stage){.f = !zeros + draws_below(draws, 9),
                                              .b = !zeros + draws_below(draws, 9),
                                              .w = draws_below(draws, 9),
                                              .kept_until_w = 1};
    p->links.latency = draws_below(draws, 4);
    b.order = order_new(devices, order_room(p, false));
    take(&b, &room);
    b.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    cr_assert(b.memory != NULL && b.order != NULL);
    room = (struct room){b.memory, 0};
    take(&b, &room);
    cr_assert_eq(greedy_build(b.greedy, p,
                              &(struct greedy_rule){.cap = 1 + draws_below(draws, 6)}, NULL,
                              b.order),
                 GREEDY_DONE);
    draft_open(b.draft, p);
    cr_assert(draft_set(b.draft, b.order));
    return b;
}

static void bench_free(struct bench *b)
{
    free(b->memory);
    order_free(b->order);
    pipeline_free(b->pipeline);
}

static double objective(const struct executor *executor, enum family_objective of)
{
    return of == FAMILY_SPAN ? executor_span(executor) : executor_makespan(executor);
}

// Expects the times that the executor has for the order of the draft.
static void expect_times(const struct bench *b, enum family_objective of)
{
    const struct order *order = &b->draft->order;
    cr_assert_eq(executor_run(b->other, b->pipeline, order, NULL, NULL), EXECUTOR_DONE);
    cr_expect_eq(order_times_objective(b->times), objective(b->other, of));
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 0; i < order->n[d]; i++)
            cr_assert_eq(order_times_start(b->times, &order->operations[order_at(order, d, i)]),
                         executor_starts(b->other)[order_at(order, d, i)]);
}

static bool move(struct bench *b, struct draws *draws)
{
    struct draft *draft = b->draft;
    const int32_t d = draws_below(draws, draft->order.devices), n = draft->order.n[d],
                  at = draws_below(draws, n), by = 1 + draws_below(draws, 5),
                  kind = draws_below(draws, 4);
    if (kind < 2)
        return draft_shift(draft, d, at, kind == 0 ? at - by : at + by);
    const int32_t end = at + 2 * by < n ? at + 2 * by : n;
    return kind == 2 ? draft_shift_w(draft, d, at, end, by % 2 == 0 ? -1 : 1)
                     : draft_shift_f(draft, d, at, end, by % 2 == 0 ? -1 : 1);
}

// Makes a move and takes every other one back. Returns 1 if it was refused although the step is short enough.
static int step(struct bench *b, struct draws *draws, enum family_objective of)
{
    const double most = order_times_objective(b->times) * (1 + draws_below(draws, 3) * 0.05);
    if (!move(b, draws))
        return 0;
    const int32_t from = b->draft->from, end = b->draft->end;
    order_times_changed(b->times, b->draft->device, from, end);
    const bool known = order_times_update(b->times, most);
    if (known) {
        expect_times(b, of);
        if (draws_below(draws, 2) == 0) {
            order_times_stay(b->times);
            return 0;
        }
    }
    const bool runs =
        executor_run(b->other, b->pipeline, &b->draft->order, NULL, NULL) == EXECUTOR_DONE;
    const int refused = !known && runs && objective(b->other, of) <= most;
    draft_undo(b->draft);
    order_times_changed(b->times, b->draft->device, from, end);
    order_times_back(b->times);
    expect_times(b, of);
    return refused;
}

Test(order_times, follow_changes)
{
    int refused = 0, steps = 0;
    for (uint32_t k = 0; k < (uint32_t)n_cases(60); k++) {
        struct draws draws = {.seed = k};
        struct bench b = bench_new(&draws, k % 6 == 5);
        const enum family_objective of = k % 3 == 0 ? FAMILY_SPAN : FAMILY_MAKESPAN;
        cr_assert(order_times_set(b.times, b.pipeline, &b.draft->order, of, NULL));
        expect_times(&b, of);
        for (int i = 0; i < 200; i++, steps++)
            refused += step(&b, &draws, of);
        bench_free(&b);
    }
    cr_expect_leq(refused, steps / 100, "%d of %d", refused, steps);
}
