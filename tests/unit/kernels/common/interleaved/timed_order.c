// SPDX-License-Identifier: Apache-2.0
// Times of interleaved orders against the plain event simulation, with new times again and again;
// longest paths against a relaxation over the definition; polls of all loops.
#include "kernels/common/interleaved/timed_order.h"
#include "kernels/common/executor/reference.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- cases --------------------------------------------------------------------------------------

enum { PARTS = 18 }; // 6 stages of 3 chunks

static double length(struct draws *d)
{
    const int32_t how = draws_below(d, 4);
    return how == 0   ? draws_below(d, 4)
           : how == 1 ? 0.1 * draws_below(d, 50)
                      : 0.01 + draws_below(d, 1000) * 0.007;
}

static struct orders_shape random_shape(struct draws *d)
{
    struct orders_shape shape = {.stages = 1 + draws_below(d, 6),
                                 .chunks = 1 + draws_below(d, 3)};
    shape.micro_batches = shape.stages + draws_below(d, 9);
    shape.splits = draws_below(d, 3) ? 1 : 1 + draws_below(d, 3);
    shape.warmup = (enum orders_warmup)draws_below(d, 2);
    return shape;
}

static void new_times(struct draws *d, struct timed_order *timed)
{
    double forward[PARTS], backward[PARTS];
    for (int32_t k = 0; k < timed->pipeline.shape.stages; k++) {
        forward[k] = length(d);
        backward[k] = length(d);
    }
    (void)timed_order_set(timed, forward, backward);
    cr_assert(!timed_order_set(timed, forward, backward));
}

static struct timed_order random_order(struct draws *d, bool with_paths)
{
    const struct orders_shape shape = random_shape(d);
    struct timed_order timed;
    cr_assert(timed_order_build(&timed, &shape, with_paths, NULL));
    timed.pipeline.links.latency = draws_below(d, 2) ? 0 : length(d);
    new_times(d, &timed);
    return timed;
}

static size_t room_of(const struct timed_order *timed)
{
    return (size_t)timed->order.devices * (size_t)timed->order.room;
}

// ---- times --------------------------------------------------------------------------------------

static void expect_reference(const struct timed_order *timed, double makespan, int k)
{
    const struct order *order = &timed->order;
    double *starts = malloc(2 * room_of(timed) * sizeof *starts),
           *ends = starts + room_of(timed);
    enum executor_status status;
    double latest = 0;
    cr_assert(reference_run(&timed->pipeline, order, NULL, NULL, starts, ends, &status));
    cr_assert(status == EXECUTOR_DONE);
    for (int32_t i = 0; i < order->devices; i++)
        for (int32_t j = 0; j < order->n[i]; j++) {
            const int64_t at = order_at(order, i, j);
            cr_assert(executor_starts(timed->executor)[at] == starts[at], "case %d", k);
            cr_assert(executor_ends(timed->executor)[at] == ends[at], "case %d", k);
            latest = fmax(latest, ends[at]);
        }
    cr_assert(makespan == latest, "case %d: %.17g, not %.17g", k, makespan, latest);
    free(starts);
}

// Catches a repeated execution that keeps a time of the execution before it.
Test(timed_order, equals_the_plain_simulation)
{
    for (int k = 0; k < 200; k++) {
        struct draws d = {5, (uint64_t)k, 0};
        struct timed_order timed = random_order(&d, false);
        for (int round = 0; round < 2; round++) {
            const double makespan = timed_order_run(&timed, NULL);
            expect_reference(&timed, makespan, k);
            new_times(&d, &timed);
        }
        timed_order_free(&timed);
    }
}

// ---- paths --------------------------------------------------------------------------------------

static double hop(const struct timed_order *timed, int32_t from, int32_t to)
{
    const int32_t *device = timed->pipeline.device_of;
    const struct operation *operations = timed->order.operations;
    return device[operations[from].stage] != device[operations[to].stage]
               ? timed->pipeline.links.latency
               : 0;
}

Test(timed_order, longest_path_is_as_long_as_the_makespan)
{
    for (uint64_t k = 0; k < 300; k++) {
        struct draws d = {6, k, 0};
        struct timed_order timed = random_order(&d, true);
        const int32_t n = (int32_t)room_of(&timed);
        int32_t *path = malloc((size_t)n * sizeof *path), two[2];
        for (int round = 0; round < 2; round++) {
            const double makespan = timed_order_run(&timed, NULL),
                         *starts = executor_starts(timed.executor),
                         *ends = executor_ends(timed.executor);
            cr_assert(timed_order_paths(&timed, NULL));
            const int32_t found =
                longest_path_critical(&timed.paths, starts, ends, path, n, NULL);
            cr_assert(found >= 1 && found <= n);
            cr_assert(starts[path[0]] == 0 && ends[path[found - 1]] == makespan);
            for (int32_t j = 1; j < found; j++)
                cr_assert(starts[path[j]] ==
                          ends[path[j - 1]] + hop(&timed, path[j - 1], path[j]));
            // The last ones, where there is no room for all.
            cr_assert(longest_path_critical(&timed.paths, starts, ends, two, 2, NULL) == found);
            cr_assert(two[found > 1] == path[found - 1]);
            new_times(&d, &timed);
        }
        timed_order_free(&timed);
        free(path);
    }
}

// Returns whether operation b needs the message of operation a, by the definition.
static bool needs(const struct timed_order *timed, int32_t b, int32_t a)
{
    const struct operation *to = &timed->order.operations[b],
                           *from = &timed->order.operations[a];
    const int32_t last = timed->pipeline.shape.stages - 1;
    if (to->item != from->item)
        return false;
    if (to->type == OPERATION_F)
        return from->type == OPERATION_F && from->stage == to->stage - 1;
    return to->stage == last ? from->type == OPERATION_F && from->stage == last
                             : from->type == OPERATION_BW && from->stage == to->stage + 1;
}

static double duration(const struct timed_order *timed, int32_t at)
{
    const struct operation *op = &timed->order.operations[at];
    const struct pipeline_stage *stage = &timed->pipeline.stage[op->stage];
    return op->type == OPERATION_F ? stage->f : stage->b;
}

// Longest paths by going along all inputs until nothing changes.
static void relax(const struct timed_order *timed, int32_t source, double *starts)
{
    const struct order *order = &timed->order;
    bool moved = true;
    for (size_t i = 0; i < room_of(timed); i++)
        starts[i] = -HUGE_VAL;
    starts[source] = 0;
    while (moved) {
        moved = false;
        for (int32_t i = 0; i < order->devices; i++)
            for (int32_t j = 0; j < order->n[i]; j++)
                for (int32_t k = 0; k < order->devices; k++)
                    for (int32_t l = 0; l < order->n[k]; l++) {
                        const int32_t b = (int32_t)order_at(order, i, j),
                                      a = (int32_t)order_at(order, k, l);
                        if (!needs(timed, b, a) && !(i == k && l == j - 1))
                            continue;
                        const double there = starts[a] + duration(timed, a) + hop(timed, a, b);
                        moved = moved || there > starts[b];
                        starts[b] = fmax(starts[b], there);
                    }
    }
}

// Catches a path that does not begin with its source, and an input that is missing.
Test(timed_order, longest_paths_from_an_operation)
{
    for (uint64_t k = 0; k < 20; k++) {
        struct draws d = {9, k, 0};
        struct timed_order timed = random_order(&d, true);
        if (room_of(&timed) > 150) {
            timed_order_free(&timed);
            continue;
        }
        double *starts = malloc(2 * room_of(&timed) * sizeof *starts),
               *plain = starts + room_of(&timed);
        (void)timed_order_run(&timed, NULL);
        cr_assert(timed_order_paths(&timed, NULL));
        const int32_t i = draws_below(&d, timed.order.devices),
                      source =
                          (int32_t)order_at(&timed.order, i, draws_below(&d, timed.order.n[i]));
        cr_assert(longest_path_from(&timed.paths, source, starts, NULL));
        relax(&timed, source, plain);
        for (int32_t e = 0; e < timed.order.devices; e++)
            for (int32_t j = 0; j < timed.order.n[e]; j++) {
                const int64_t at = order_at(&timed.order, e, j);
                cr_assert(starts[at] == plain[at] || fabs(starts[at] - plain[at]) < 1e-9,
                          "case %d: %g, not %g", (int)k, starts[at], plain[at]);
            }
        free(starts);
        timed_order_free(&timed);
    }
}

// ---- polls --------------------------------------------------------------------------------------

// Ends a loop at the poll number `last`, and counts the polls.
struct counter {
    uint64_t polls, last;
};

static bool is_last(void *self)
{
    struct counter *counter = self;
    return ++counter->polls >= counter->last;
}

static const struct orders_shape long_shape = {4, 2, 4000, 1, ORDERS_STANDARD, 0};
enum { OPERATIONS = 4 * 2 * 2 * 4000 };

static struct timed_order long_order(double time)
{
    struct timed_order timed;
    double times[8];
    for (int k = 0; k < 8; k++)
        times[k] = time;
    cr_assert(timed_order_build(&timed, &long_shape, true, NULL));
    (void)timed_order_set(&timed, times, times);
    return timed;
}

// The order makes at least a step for two operations.
Test(timed_order, building_ends_at_any_poll)
{
    struct counter all = {.last = UINT64_MAX};
    struct poll poll = {.over = is_last, .self = &all};
    struct timed_order timed;
    cr_assert(timed_order_build(&timed, &long_shape, true, &poll));
    timed_order_free(&timed);
    cr_assert(all.polls >= 0.5 * OPERATIONS / POLL_STEPS - 1, "%d polls", (int)all.polls);
    for (uint64_t last = 1; last <= all.polls; last++) {
        struct counter counter = {.last = last};
        poll = (struct poll){.over = is_last, .self = &counter};
        cr_assert(!timed_order_build(&timed, &long_shape, true, &poll));
        timed_order_free(&timed);
        cr_assert(counter.polls == last, "%d polls, not %d", (int)counter.polls, (int)last);
    }
}

// Catches an execution that runs to its end although its caller has asked it to stop, and an order that
// cannot be executed after a stop.
Test(timed_order, execution_ends_at_any_poll)
{
    struct timed_order timed = long_order(1);
    const double makespan = 2 * 2 * 4000;
    for (int round = 0; round < 2; round++) { // a new order, and a known one
        struct counter counter = {.last = 5};
        struct poll poll = {.over = is_last, .self = &counter};
        cr_assert(isnan(timed_order_run(&timed, &poll)));
        cr_assert(counter.polls == 5);
        counter = (struct counter){.last = UINT64_MAX};
        cr_assert(timed_order_run(&timed, &poll) >= makespan);
        cr_assert(counter.polls >= OPERATIONS / POLL_STEPS - 1);
    }
    timed_order_free(&timed);
}

// Catches a search of paths that runs to its end although its caller has asked it to stop.
Test(timed_order, paths_end_at_any_poll)
{
    enum { ROOM = 16 };
    struct timed_order timed = long_order(1);
    struct counter counter = {.last = 3};
    struct poll poll = {.over = is_last, .self = &counter};
    double *starts = malloc(room_of(&timed) * sizeof *starts);
    int32_t path[ROOM];
    (void)timed_order_run(&timed, NULL);
    cr_assert(!timed_order_paths(&timed, &poll) && counter.polls == 3);
    cr_assert(timed_order_paths(&timed, NULL));
    counter = (struct counter){.last = 3};
    cr_assert(!longest_path_from(&timed.paths, 0, starts, &poll) && counter.polls == 3);
    counter = (struct counter){.last = 3};
    cr_assert(longest_path_critical(&timed.paths, executor_starts(timed.executor),
                                    executor_ends(timed.executor), path, ROOM, &poll) == -1);
    counter = (struct counter){.last = UINT64_MAX};
    cr_assert(longest_path_critical(&timed.paths, executor_starts(timed.executor),
                                    executor_ends(timed.executor), path, ROOM,
                                    &poll) >= 2 * 2 * 4000);
    timed_order_free(&timed);
    free(starts);
}
