// SPDX-License-Identifier: Apache-2.0
// Rules that move W on the orders of all families: the static rule gives the times of the executor, and
// every rule stays within the memory and keeps F and B.
#include "kernels/common/executor/metrics.h"
#include "kernels/schedule/catalogue/catalogue.h"
#include "kernels/schedule/noise/noise.h"
#include "tests/unit/support/kernels/online_bench.h"
#include "tests/unit/support/kernels/schedule_run.h"

#include <criterion/criterion.h>
#include <math.h>

static bool is_searched(const struct family *family)
{
    return family->kind == FAMILY_SEARCH;
}

// Compares the rule with the environment, where the order fits it.
static void check_environment(struct online_bench *b, const struct pull_rule *rule,
                              const char *name)
{
    double makespan[EXECUTOR_LANES];
    pull_run(b->pull, rule, &b->times, makespan);
    if (online_misfit(b->pipeline, b->reference) != NULL)
        return;
    online_open(b->online, b->pipeline, b->reference);
    online_let_wait(b->online, true);
    for (int lane = 0; lane < EXECUTOR_LANES; lane++) {
        struct online_decision decision;
        uint8_t waits[8] = {0};
        online_start(b->online, &b->times, lane);
        while (online_next(b->online, &decision))
            online_act(b->online, pull_choose(rule, b->online, &decision, waits));
        cr_assert(online_makespan(b->online) == makespan[lane], "%s", name);
        struct metrics_excess excess;
        cr_assert_not(metrics_over_limit(b->pipeline, online_order(b->online), &excess), "%s",
                      name);
    }
}

static void check_family(struct online_bench *b, const struct noise *noise, const char *name)
{
    const struct pull_rule fixed = {INFINITY, 0, 0}, pull = {0.5, 0, PULL_UNLIMITED},
                           late = {0.5, PULL_UNLIMITED, PULL_UNLIMITED}, floats = {0, 1, 2};
    struct executor_lanes_result result = {.starts = NULL};
    double makespan[EXECUTOR_LANES];
    noise_draw(noise, b->pipeline, 0, &b->times);
    cr_assert(executor_run(b->executor, b->pipeline, b->reference, NULL, NULL) ==
              EXECUTOR_DONE);
    executor_lanes_run(b->executor, b->lanes, &b->times, &result);
    pull_open(b->pull, b->pipeline, b->reference);
    pull_run(b->pull, &fixed, &b->times, makespan);
    for (int lane = 0; lane < EXECUTOR_LANES; lane++)
        cr_expect(makespan[lane] == result.makespan[lane], "%s: %.17g, %.17g", name,
                  makespan[lane], result.makespan[lane]);
    check_environment(b, &pull, name);
    check_environment(b, &late, name);
    check_environment(b, &floats, name);
}

Test(online_families, static_rule_is_the_executor)
{
    // The second one has durations that depend on the start.
    const struct noise noises[] = {
        {.seed = 42, .level = 0.3, .outlier_p = 0.05, .outlier_k = 20},
        {.seed = 42,
         .level = 0.3,
         .group = NOISE_WINDOW,
         .rho = 0.5,
         .window = 40,
         .straggler_p = 0.5,
         .straggler_k = 2,
         .from = 50,
         .until = 200},
    };
    const int n_noises = sizeof noises / sizeof *noises;
    int checked = 0, in_environment = 0;
    for (int i = 0; families[i] != NULL; i++) {
        const struct family *family = families[i];
        if (is_searched(family))
            continue;
        const int32_t slices = family == family_named("seq_1f1b") ? 2 : 1;
        struct online_bench *b = online_bench_new(schedule_pipeline(family, 4, 8, 1, slices));
        schedule_set_times(b->pipeline, 12, 13, 7, 1);
        struct schedule_run run =
            schedule_run_of(family, b->pipeline, &(struct family_options){.group = 0});
        order_copy(b->reference, run.order);
        for (int k = 0; k < n_noises && pull_misfit(b->pipeline, b->reference) == NULL; k++) {
            check_family(b, &noises[k], family->name);
            checked++;
            in_environment += online_misfit(b->pipeline, b->reference) == NULL;
        }
        schedule_run_free(&run);
        online_bench_free(b);
    }
    cr_expect(checked >= 30 && in_environment >= 16, "%d, %d", checked, in_environment);
}
