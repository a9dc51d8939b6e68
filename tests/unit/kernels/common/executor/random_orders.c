// SPDX-License-Identifier: Apache-2.0
// Random orders: the executor and the plain simulation agree in times, and in what cannot run.
#include "kernels/common/executor/reference.h"

#include "tests/unit/support/kernels/drawn_order.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

// More rounds than in CI: PPS_RANDOM_POINTS=100000.
enum { ROUNDS = 20000 };

static void check_times(const struct drawn_order *b, const double *starts, const double *ends,
                        int round)
{
    for (int32_t d = 0; d < b->order->devices; d++)
        for (int32_t i = 0; i < b->order->n[d]; i++) {
            const int64_t at = order_at(b->order, d, i);
            cr_assert_eq(executor_starts(b->executor)[at], starts[at], "round %d: start",
                         round);
            cr_assert_eq(executor_ends(b->executor)[at], ends[at], "round %d: end", round);
        }
}

static void check_fault(const struct drawn_order *b, enum executor_status status, int round)
{
    struct executor_blocked blocked[8];
    struct executor_fault fault = {.room = 8, .blocked = blocked};
    executor_diagnose(b->executor, &fault);
    if (status == EXECUTOR_WRONG_OPERATIONS) {
        cr_assert_eq(fault.n_blocked, 0, "round %d", round);
        return;
    }
    cr_assert_geq(fault.n_blocked, 1, "round %d", round);
    cr_assert_geq(fault.n_cycle, 1, "round %d", round);
    for (int32_t i = 0; i < fault.n_blocked; i++) // an input that has run blocks nothing
        cr_assert(isnan(b->ends[order_at(b->order, blocked[i].waits_for.device,
                                         blocked[i].waits_for.position)]),
                  "round %d", round);
}

// Executes again with the same times, and with other times against a pipeline that has them.
static void check_again(struct random *r, struct drawn_order *b, int round)
{
    double durations[8 * DRAWN_ROOM];
    for (int32_t d = 0; d < b->order->devices; d++)
        for (int32_t i = 0; i < b->order->n[d]; i++) {
            const int64_t at = order_at(b->order, d, i);
            durations[at] = b->ends[at] - b->starts[at];
        }
    (void)r;
    executor_run_again(b->executor, durations, NULL);
    for (int32_t d = 0; d < b->order->devices; d++)
        for (int32_t i = 0; i < b->order->n[d]; i++) {
            const int64_t at = order_at(b->order, d, i);
            cr_assert_float_eq(executor_ends(b->executor)[at], b->ends[at], 1e-9, "round %d",
                               round);
        }
}

Test(executor_random, agrees_with_the_plain_simulation)
{
    struct random r = {3};
    int counts[4] = {0};
    const int rounds = n_rounds(ROUNDS);
    for (int round = 0; round < rounds; round++) {
        struct drawn_order *b = drawn_order_new(&r);
        enum executor_status wanted;
        drawn_order_spoil(&r, b);
        const enum executor_status status =
            executor_run(b->executor, b->pipeline, b->order, b->release, NULL);
        cr_assert(reference_run(b->pipeline, b->order, b->release, NULL, b->starts, b->ends,
                                &wanted));
        cr_assert_eq(status, wanted, "round %d: %d, not %d", round, status, wanted);
        counts[status]++;
        if (status == EXECUTOR_DONE) {
            check_times(b, b->starts, b->ends, round);
            check_again(&r, b, round);
        } else {
            check_fault(b, status, round);
        }
        drawn_order_free(b);
    }
    for (int k = 0; k < 3; k++) // every outcome is drawn often
        cr_assert_geq(counts[k], rounds / 50, "status %d: %d times", k, counts[k]);
}

static bool over_at_once(void *calls)
{
    ++*(int *)calls;
    return true;
}

// The plain simulation once ran a large order to its end, for minutes, after Ctrl-C.
Test(executor_random, the_plain_simulation_stops)
{
    const struct pipeline_shape shape = {.devices = 8,
                                         .stages = 8,
                                         .micro_batches = 64,
                                         .slices = 1,
                                         .directions = 1};
    struct pipeline *p = pipeline_new(&shape);
    struct order *order = order_new(8, 128);
    int calls = 0;
    struct poll poll = {.over = over_at_once, .self = &calls};
    const size_t n = 8 * (size_t)order->room;
    double *times = calloc(2 * n, sizeof *times);
    enum executor_status status;
    pipeline_place(p, PIPELINE_LOOP);
    for (int32_t d = 0; d < 8; d++)
        for (int32_t i = 0; i < 128; i++)
            order_add(order, d, i < 64 ? OPERATION_F : OPERATION_BW, i % 64, d);
    cr_assert(reference_run(p, order, NULL, &poll, times, times + n, &status));
    cr_assert_eq(status, EXECUTOR_STOPPED);
    cr_assert_leq(calls, 3);
    cr_assert(reference_run(p, order, NULL, NULL, times, times + n, &status));
    cr_assert_eq(status, EXECUTOR_DONE);
    free(times);
    order_free(order);
    pipeline_free(p);
}
