// SPDX-License-Identifier: Apache-2.0
// Online decisions on random problems: every policy finishes every step within the limits of memory, the
// order that was run gives the same times in the executor, and the rules that move W give the same
// steps in the environment and in their own loops.
#include "kernels/common/executor/metrics.h"
#include "tests/unit/support/kernels/online_bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// More problems than in CI: PPS_ONLINE_POINTS=100000.
static int points(int otherwise)
{
    const char *text = getenv("PPS_ONLINE_POINTS");
    return text != NULL ? atoi(text) : otherwise;
}

// A policy that prefers some types of actions at random.
struct policy {
    double weight[ONLINE_WAIT + 1]; // 0: only if there is nothing else
};

static struct policy policy_drawn(struct random *r, bool eager)
{
    struct policy policy = {.weight = {0}};
    for (int type = 0; type <= ONLINE_WAIT; type++)
        policy.weight[type] = random_below(r, 3) == 0 ? 0 : random_unit(r);
    if (eager)
        policy.weight[ONLINE_WAIT] = 0;
    return policy;
}

static int32_t choose(struct random *r, const struct policy *policy,
                      const struct online_decision *decision)
{
    double best = -1;
    int32_t chosen = 0;
    for (int32_t i = 0; i < decision->n; i++) {
        const int32_t type = decision->candidate[i].type;
        const double value =
            policy->weight[type] * (0.01 + random_unit(r)) - (type == ONLINE_WAIT ? 0.001 : 0);
        if (value > best) {
            best = value;
            chosen = i;
        }
    }
    return chosen;
}

// Runs a step. eager: waits only where nothing else can be done.
static void run_drawn(struct random *r, struct online_bench *b, bool eager)
{
    const struct policy policy = policy_drawn(r, eager);
    struct online_decision decision;
    int64_t steps = 0;
    while (online_next(b->online, &decision)) {
        cr_assert(decision.n >= 1 && decision.device < b->pipeline->shape.devices);
        cr_assert(++steps < 100000, "the step does not end");
        online_act(b->online, choose(r, &policy, &decision));
    }
}

static void check_step(struct online_bench *b, int lane, bool eager, int k)
{
    const struct order *order = online_order(b->online);
    struct metrics_excess excess;
    cr_assert(executor_run(b->executor, b->pipeline, order, NULL, NULL) == EXECUTOR_DONE,
              "problem %d: the order does not run", k);
    cr_assert_not(metrics_over_limit(b->pipeline, order, &excess), "problem %d: %g > %g", k,
                  excess.value, excess.limit);
    struct executor_lanes_result result = {.starts = b->results[0], .ends = b->results[1]};
    executor_lanes_run(b->executor, b->lanes, &b->times, &result);
    for (int32_t d = 0; d < order->devices; d++) {
        for (int32_t i = 0; i < order->n[d]; i++) {
            const int64_t at = order_at(order, d, i);
            const double earliest = result.starts[at * EXECUTOR_LANES + lane],
                         start = online_starts(b->online)[at];
            cr_assert(eager ? start == earliest : start >= earliest,
                      "problem %d, device %d, position %d: %.17g, executor %.17g", k, d, i,
                      start, earliest);
        }
    }
    if (eager)
        cr_assert(online_makespan(b->online) == result.makespan[lane]);
}

Test(online, every_policy_finishes_within_the_limits)
{
    struct random r = {19};
    for (int k = 0; k < points(2500); k++) {
        struct online_bench *b = online_bench_new(online_bench_draw(&r, 5, 7));
        const bool eager = random_coin(&r);
        online_bench_sequential(b);
        cr_assert_null(online_misfit(b->pipeline, b->reference));
        online_open(b->online, b->pipeline, b->reference);
        online_bench_times(&r, b, random_coin(&r) ? 0 : 0.5);
        for (int step = 0; step < 3; step++) {
            const int lane = (int)random_below(&r, EXECUTOR_LANES);
            online_let_wait(b->online, random_coin(&r));
            online_start(b->online, &b->times, lane);
            run_drawn(&r, b, eager);
            check_step(b, lane, eager, k);
            if (step == 0) { // another order to refer to
                order_copy(b->reference, online_order(b->online));
                cr_assert_null(online_misfit(b->pipeline, b->reference));
                online_open(b->online, b->pipeline, b->reference);
            }
        }
        online_bench_free(b);
    }
}

static struct online *take_online(const struct online_bench *b, struct room *room)
{
    return online_take(&b->pipeline->shape, order_room(b->pipeline, false), room);
}

// Catches state that a copy shares with its original, or forgets.
Test(online, copies_go_their_own_way)
{
    struct random r = {23};
    for (int k = 0; k < points(1000); k++) {
        struct online_bench *b = online_bench_new(online_bench_draw(&r, 5, 7));
        struct room room = {NULL, 0};
        take_online(b, &room);
        room = (struct room){aligned_alloc(ROOM_ALIGNMENT, room.used), 0};
        struct online *own = b->online, *copy = take_online(b, &room);
        struct online_decision decision;
        online_bench_sequential(b);
        online_open(own, b->pipeline, b->reference);
        online_open(copy, b->pipeline, b->reference);
        online_bench_times(&r, b, 0.5);
        online_start(own, &b->times, 0);
        bool is_open = true;
        for (uint32_t step = random_below(&r, 20); step > 0 && is_open; step--) {
            is_open = online_next(own, &decision);
            if (is_open && step > 1) // the copy is made between a decision and its action
                online_act(own, (int32_t)random_below(&r, (uint32_t)decision.n));
        }
        online_copy(copy, own);
        struct random others = r;
        b->online = copy;
        run_drawn(&r, b, true);
        check_step(b, 0, false, k);
        b->online = own;
        run_drawn(&others, b, true);
        check_step(b, 0, false, k);
        cr_assert(order_equal(online_order(own), online_order(copy)), "problem %d", k);
        cr_assert(online_makespan(own) == online_makespan(copy));
        free(room.memory);
        online_bench_free(b);
    }
}

// A guard that refuses too much would change the order.
Test(online, the_reference_order_is_always_admissible)
{
    struct random r = {20};
    const struct pull_rule rule = {INFINITY, 0, 0};
    for (int k = 0; k < points(1000); k++) {
        struct online_bench *b = online_bench_new(online_bench_draw(&r, 5, 7));
        struct online_decision decision;
        uint8_t waits[8] = {0};
        online_bench_sequential(b);
        online_open(b->online, b->pipeline, b->reference);
        online_bench_times(&r, b, 0.5);
        online_start(b->online, &b->times, 0);
        run_drawn(&r, b, true);
        order_copy(b->reference, online_order(b->online));
        online_open(b->online, b->pipeline, b->reference);
        online_let_wait(b->online, true);
        online_start(b->online, &b->times, 0);
        while (online_next(b->online, &decision))
            online_act(b->online, pull_choose(&rule, b->online, &decision, waits));
        cr_assert(order_equal(b->reference, online_order(b->online)), "problem %d", k);
        check_step(b, 0, true, k);
        online_bench_free(b);
    }
}

// Catches arrays that are shorter than the rows of a long order, which get a few more places
// (order_stride): the starts of the last device overwrote the ends of the first one.
Test(online, long_orders_have_their_ends)
{
    struct random r = {22};
    struct pipeline *pipeline = pipeline_new(&(struct pipeline_shape){2, 2, 90, 1, 1});
    pipeline_place(pipeline, PIPELINE_LOOP);
    pipeline_set_uniform(pipeline,
                         &(struct pipeline_stage){.f = 1, .b = 1, .w = 1, .kept_until_w = 1});
    struct online_bench *b = online_bench_new(pipeline);
    online_bench_sequential(b);
    online_open(b->online, b->pipeline, b->reference);
    online_bench_times(&r, b, 0.5);
    online_start(b->online, &b->times, 0);
    run_drawn(&r, b, true);
    check_step(b, 0, true, 0);
    const struct order *order = online_order(b->online);
    for (int32_t d = 0; d < 2; d++)
        for (int32_t i = 0; i < order->n[d]; i++) {
            const int64_t at = order_at(order, d, i);
            cr_assert(online_ends(b->online)[at] == b->results[1][at * EXECUTOR_LANES]);
        }
    online_bench_free(b);
}

static struct pull_rule rule_drawn(struct random *r)
{
    static const double thresholds[] = {0, 0.25, 0.5, 1, 3, INFINITY};
    static const int32_t counts[] = {0, 0, 1, 2, PULL_UNLIMITED};
    return (struct pull_rule){thresholds[random_below(r, 6)], counts[random_below(r, 5)],
                              counts[1 + random_below(r, 4)]};
}

Test(online, rules_run_alike_in_the_environment_and_in_their_own_loop)
{
    struct random r = {21};
    for (int k = 0; k < points(2500); k++) {
        struct online_bench *b = online_bench_new(online_bench_draw(&r, 5, 7));
        double makespan[EXECUTOR_LANES];
        online_bench_sequential(b);
        online_open(b->online, b->pipeline, b->reference);
        online_bench_times(&r, b, random_coin(&r) ? 0 : 0.5);
        online_start(b->online, &b->times, 0);
        run_drawn(&r, b, random_coin(&r));
        order_copy(b->reference, online_order(b->online));
        online_open(b->online, b->pipeline, b->reference);
        pull_open(b->pull, b->pipeline, b->reference);
        online_let_wait(b->online, true);
        const struct pull_rule rule = rule_drawn(&r);
        pull_run(b->pull, &rule, &b->times, makespan);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
            struct online_decision decision;
            uint8_t waits[8] = {0};
            online_start(b->online, &b->times, lane);
            while (online_next(b->online, &decision))
                online_act(b->online, pull_choose(&rule, b->online, &decision, waits));
            cr_assert(online_makespan(b->online) == makespan[lane],
                      "problem %d, lane %d, rule (%g, %d, %d): %.17g and %.17g", k, lane,
                      rule.threshold, rule.lag, rule.ahead, online_makespan(b->online),
                      makespan[lane]);
            check_step(b, lane, false, k);
        }
        online_bench_free(b);
    }
}
