// SPDX-License-Identifier: Apache-2.0
// The order with the least mean: never worse than the orders that were offered, on the replicates of
// the training; better than the best order without noise, on others; within the limits.
#include "kernels/schedule/online/robust.h"

#include "kernels/common/executor/executor_lanes.h"
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/catalogue/catalogue.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct robust_bench {
    struct pipeline *pipeline;
    struct robust *robust;
    struct executor *executor;
    struct executor_lanes *lanes;
    struct executor_times times;
    char *memory;
};

static struct robust_bench bench_new(enum pipeline_placement placement, int32_t p, int32_t m,
                                     int32_t v, double limit)
{
    const struct pipeline_shape shape = {p, p * v, m, 1, 1};
    struct robust_bench bench = {.pipeline = pipeline_new(&shape)};
    struct room room = {NULL, 0};
    pipeline_place(bench.pipeline, placement);
    pipeline_set_uniform(bench.pipeline,
                         &(struct pipeline_stage){.f = 12, .b = 13, .w = 7, .kept_until_w = 1});
    bench.pipeline->links.latency = 1;
    for (int32_t d = 0; d < p; d++)
        bench.pipeline->limit[d] = limit;
    const int32_t operations = order_room(bench.pipeline, false);
    for (int pass = 0; pass < 2; pass++) {
        bench.robust = robust_take(&shape, operations, 64, &room);
        bench.executor = executor_take(&shape, operations, &room);
        bench.lanes = executor_lanes_take(&shape, &room);
        noise_times_take(&bench.times, &shape, false, &room);
        if (pass == 1)
            break;
        bench.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
        memset(bench.memory, 0xA5, room.used);
        room = (struct room){bench.memory, 0};
    }
    return bench;
}

static void bench_free(struct robust_bench *bench)
{
    pipeline_free(bench->pipeline);
    free(bench->memory);
}

// Returns the mean makespan of an order over replicates.
static double mean_of(struct robust_bench *bench, const struct order *order,
                      const struct noise *noise, uint32_t first, int32_t n)
{
    struct executor_lanes_result result = {.starts = NULL};
    double sum = 0;
    cr_assert(executor_run(bench->executor, bench->pipeline, order, NULL, NULL) ==
              EXECUTOR_DONE);
    for (int32_t i = 0; i < n; i += EXECUTOR_LANES) {
        noise_draw(noise, bench->pipeline, first + (uint32_t)i, &bench->times);
        executor_lanes_run(bench->executor, bench->lanes, &bench->times, &result);
        for (int lane = 0; lane < EXECUTOR_LANES; lane++)
            sum += result.makespan[lane];
    }
    return sum / n;
}

static struct order *order_of(const struct robust_bench *bench, const char *name)
{
    struct order *order =
        order_new(bench->pipeline->shape.devices, order_room(bench->pipeline, false));
    cr_assert(family_build(
                  family_named(name),
                  &(struct family_task){bench->pipeline, &(struct family_options){.group = 0},
                                        NULL, NULL, order,
                                        &(struct family_result){.value = 0}}) == FAMILY_DONE);
    return order;
}

Test(robust, better_than_the_families_on_other_replicates)
{
    struct robust_bench bench = bench_new(PIPELINE_LOOP, 6, 18, 1, 6);
    const struct noise noise = {.seed = 42, .level = 0.3, .message_level = 0.3};
    const struct robust_options options = {.replicates = 64, .seed = 1, .budget = 20000};
    const struct family *from = NULL;
    struct metrics_excess excess;
    double offered, mean = 0;
    robust_open(bench.robust, bench.pipeline, &noise, &options, NULL);
    struct order *h1 = order_of(&bench, "zb_h1"), *h2 = order_of(&bench, "zb_h2");
    offered = robust_offer(bench.robust, h1, family_named("zb_h1"));
    cr_expect_float_eq(offered, mean_of(&bench, h1, &noise, 0, 64), 1e-9 * offered);
    cr_expect(isinf(robust_offer(bench.robust, h2, family_named("zb_h2"))),
              "more memory than the limit");
    robust_offer_families(bench.robust);
    cr_assert_not_null(robust_best(bench.robust, &mean, &from));
    cr_expect(mean <= offered);
    const double of_families = mean;
    robust_improve(bench.robust);
    const struct order *best = robust_best(bench.robust, &mean, &from);
    cr_expect(mean < of_families, "%g, %g", mean, of_families);
    cr_expect_float_eq(mean, mean_of(&bench, best, &noise, 0, 64), 1e-9 * mean);
    cr_expect_not(metrics_over_limit(bench.pipeline, best, &excess));
    const uint32_t test = UINT32_C(1) << 31;
    const double ours = mean_of(&bench, best, &noise, test, 400),
                 theirs = mean_of(&bench, h1, &noise, test, 400);
    cr_expect(ours < theirs - 1, "%g, %g", ours, theirs);
    order_free(h1);
    order_free(h2);
    bench_free(&bench);
}

Test(robust, every_placement_and_no_limit)
{
    const struct noise noise = {.seed = 42, .level = 0.2};
    static const struct {
        enum pipeline_placement placement;
        int32_t v;
        double limit;
    } cases[] = {{PIPELINE_VEE, 2, 8}, {PIPELINE_LOOP, 2, HUGE_VAL}, {PIPELINE_LOOP, 1, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct robust_bench bench =
            bench_new(cases[i].placement, 4, 8, cases[i].v, cases[i].limit);
        const struct robust_options options = {.replicates = 16, .seed = 1, .budget = 60};
        const struct family *from = NULL;
        struct metrics_excess excess;
        double mean = 0, improved = 0;
        robust_open(bench.robust, bench.pipeline, &noise, &options, NULL);
        cr_assert_null(robust_best(bench.robust, &mean, &from));
        robust_offer_families(bench.robust);
        cr_assert_not_null(robust_best(bench.robust, &mean, &from), "case %zu", i);
        robust_improve(bench.robust);
        const struct order *best = robust_best(bench.robust, &improved, &from);
        cr_expect(improved <= mean, "case %zu", i);
        cr_expect_not(metrics_over_limit(bench.pipeline, best, &excess), "case %zu", i);
        bench_free(&bench);
    }
}

// With a rule, the order is chosen for the rule.
Test(robust, chosen_for_a_rule)
{
    struct robust_bench bench = bench_new(PIPELINE_LOOP, 4, 12, 1, 4);
    const struct noise noise = {.seed = 42, .level = 0.3};
    const struct pull_rule rule = {0.5, 0, PULL_UNLIMITED};
    double mean[2];
    for (int k = 0; k < 2; k++) {
        const struct robust_options options = {.replicates = 64,
                                               .seed = 1,
                                               .budget = 3000,
                                               .rule = k == 1 ? &rule : NULL};
        const struct family *from = NULL;
        robust_open(bench.robust, bench.pipeline, &noise, &options, NULL);
        robust_offer_families(bench.robust);
        robust_improve(bench.robust);
        cr_assert_not_null(robust_best(bench.robust, &mean[k], &from));
    }
    cr_expect(mean[1] < 0.99 * mean[0], "%g, %g", mean[0], mean[1]);
    bench_free(&bench);
}
