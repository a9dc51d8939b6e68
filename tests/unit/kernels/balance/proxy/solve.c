// SPDX-License-Identifier: Apache-2.0
// Tests of the exact solver of the published problem. They would catch a pruned optimum, a strategy that breaks
// memory or is not canonical, and answers that depend on what was solved before.
#include "tests/unit/support/kernels/balance_cases.h"

#include "tests/unit/support/kernels/proxy_published.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Test(balance_proxy, proves_the_golden_optima)
{
    static const char *const names[] = {
        "solve_01_pp4_vp1_full.json",
        "solve_02_pp16_vp1_full.json",
        "solve_03_pp4_vp2_m8.json",
        "solve_04_pp8_vp1_seq2.json",
        "solve_05_pp16_vp3_m16_big.json",
        "solve_06_pp16_vp3_m16_less_175b.json",
        "solve_07_pp16_vp3_m32_less_175b.json",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct proxy_case it;
        struct proxy_answer answer;
        case_golden(&it, names[i]);
        cr_assert_eq(case_solve(&it.program, NULL, &answer), PROXY_DONE, "%s", names[i]);
        case_check(&it.program, &answer);
        near(answer.value.value, it.optimum, 1e-6, "%s", names[i]);
        cr_expect_eq(answer.bound, answer.value.value);
        free(answer.strategy.count);
        free(it.all);
        if (it.program.shape.pieces == 1) { // exact memory: the same optima in these cases
            case_open(&it, true);
            cr_assert_eq(case_solve(&it.program, NULL, &answer), PROXY_DONE, "%s", names[i]);
            case_check(&it.program, &answer);
            near(answer.value.value, it.optimum, 1e-6, "%s, exact memory", names[i]);
            free(answer.strategy.count);
            free(it.all);
        }
    }
}

Test(balance_proxy, agrees_with_all_strategies_tried)
{
    struct random random = {20};
    int feasible = 0;
    for (int round = 0; round < 600; round++) {
        struct proxy_case it;
        struct proxy_answer answer;
        case_random(&it, &random);
        case_open(&it, round % 2 == 0);
        const double expected = case_try_all(&it.program);
        const enum proxy_outcome outcome = case_solve(&it.program, NULL, &answer);
        cr_assert_eq(outcome, expected < (double)INFINITY ? PROXY_DONE : PROXY_INFEASIBLE,
                     "round %d", round);
        if (outcome == PROXY_DONE) {
            feasible++;
            case_check(&it.program, &answer);
            near(answer.value.value, expected, 1e-8, "round %d", round);
        }
        free(answer.strategy.count);
        free(it.all);
    }
    cr_expect(feasible > 200 && feasible < 580, "%d feasible", feasible);
}

// Level 2 with a bound: the optimum is between bound and value.
Test(balance_proxy, bounds_level_2)
{
    struct random random = {21};
    int proven = 0;
    for (int round = 0; round < 400; round++) {
        struct proxy_case it;
        struct proxy_answer answer;
        case_random(&it, &random);
        it.program.level = 2;
        case_open(&it, round % 2 == 0);
        const double expected = case_try_all(&it.program);
        const enum proxy_outcome outcome = case_solve(&it.program, NULL, &answer);
        cr_assert_eq(outcome, expected < (double)INFINITY ? PROXY_DONE : PROXY_INFEASIBLE);
        if (outcome == PROXY_DONE) {
            case_check(&it.program, &answer);
            cr_expect_leq(answer.bound, expected * (1 + 1e-9), "round %d", round);
            cr_expect_geq(answer.value.value, expected * (1 - 1e-9), "round %d", round);
            proven += answer.value.value <= answer.bound * (1 + 1e-8);
        }
        free(answer.strategy.count);
        free(it.all);
    }
    cr_expect_geq(proven, 0);
}

static double least_limit_of_all(struct proxy_program *program)
{
    double low = -1000, high = 1e6;
    while (high - low > 1e-5) {
        program->limit_mb = low + (high - low) / 2;
        if (case_try_all(program) < (double)INFINITY)
            high = program->limit_mb;
        else
            low = program->limit_mb;
    }
    return high;
}

// The stage that lacks memory, and the limit that would do.
Test(balance_proxy, explains_what_does_not_fit)
{
    struct random random = {22};
    int explained = 0;
    for (int round = 0; round < 100; round++) {
        struct proxy_case it;
        struct proxy_answer answer;
        case_random(&it, &random);
        case_open(&it, round % 2 == 0);
        it.program.limit_mb *= random_unit(&random);
        const double limit_mb = it.program.limit_mb;
        if (case_solve(&it.program, NULL, &answer) == PROXY_INFEASIBLE) {
            const struct proxy_lack lack = answer.lack;
            explained++;
            cr_expect_geq(lack.lacks_mb, 0);
            near(lack.needs_mb - lack.lacks_mb, limit_mb, 1e-9, "round %d", round);
            cr_expect_leq(lack.needs_mb, lack.least_limit_mb + 1e-6);
            near(lack.least_limit_mb, least_limit_of_all(&it.program), 1e-6, "round %d", round);
            free(answer.strategy.count);
            it.program.limit_mb = lack.least_limit_mb;
            cr_expect_eq(case_solve(&it.program, NULL, &answer), PROXY_DONE, "round %d", round);
            free(answer.strategy.count);
            it.program.limit_mb -= 1e-3;
            cr_expect_eq(case_solve(&it.program, NULL, &answer), PROXY_INFEASIBLE);
        }
        free(answer.strategy.count);
        free(it.all);
    }
    cr_expect_gt(explained, 30);
}

Test(balance_proxy, names_the_stage_whose_fixed_memory_is_too_large)
{
    struct proxy_case it;
    struct proxy_answer answer;
    case_golden(&it, "solve_06_pp16_vp3_m16_less_175b.json");
    it.layers.tail_mb = 60000;
    cr_assert_eq(case_solve(&it.program, NULL, &answer), PROXY_INFEASIBLE);
    cr_expect_eq(answer.lack.stage, 15);
    cr_expect_eq(answer.lack.layers, 3);
    // 3 layers of `both`, in flight 16, 16 and 1 times
    const double needs_mb = 1206 + 60000 + 3 * 2217 + (16 + 16 + 1) * 423.0;
    near(answer.lack.needs_mb, needs_mb, 1e-12, "needs");
    near(answer.lack.lacks_mb, needs_mb - 56000, 1e-12, "lacks");
    near(answer.lack.least_limit_mb, needs_mb, 1e-9, "least limit");
    free(answer.strategy.count);
    free(it.all);
}

static double optimum_of(const struct proxy_program *program)
{
    struct proxy_answer answer;
    const enum proxy_outcome outcome = case_solve(program, NULL, &answer);
    free(answer.strategy.count);
    return outcome == PROXY_DONE ? answer.value.value : (double)INFINITY;
}

// Larger than all strategies can be tried for.
static void random_large(struct proxy_case *it, struct random *random)
{
    case_random(it, random);
    struct balance_shape *shape = &it->program.shape;
    shape->stages = 2 + (int32_t)random_below(random, 6);
    shape->chunks = 1 + (int32_t)random_below(random, 3);
    shape->micro_batches = shape->stages * (1 + (int32_t)random_below(random, 2));
    it->layers.layers = shape->stages * shape->chunks * (1 + (int32_t)random_below(random, 3)) +
                        (int32_t)random_below(random, 5);
    for (int k = 1; k < BALANCE_KINDS; k++)
        it->layers.has[k] = random_coin(random);
    it->program.limit_mb = 60 + it->layers.layers / shape->stages *
                                    (it->layers.parameter_mb + 6.0 * shape->stages);
}

Test(balance_proxy, more_freedom_never_raises_the_optimum)
{
    struct random random = {23};
    for (int round = 0; round < 60; round++) {
        struct proxy_case it;
        random_large(&it, &random);
        case_open(&it, round % 2 == 0);
        it.program.allow_empty = false;
        const double optimum = optimum_of(&it.program);
        const double enough = (1 + 1e-8) * optimum;
        it.program.allow_empty = true;
        cr_expect_leq(optimum_of(&it.program), enough, "empty chunks, round %d", round);
        it.program.allow_empty = false;
        const double limit_mb = it.program.limit_mb;
        it.program.limit_mb *= 1.1;
        cr_expect_leq(optimum_of(&it.program), enough, "memory, round %d", round);
        it.program.limit_mb = limit_mb;
        for (int k = 1; k < BALANCE_KINDS; k++) {
            if (it.layers.has[k])
                continue;
            it.layers.has[k] = true;
            cr_expect_leq(optimum_of(&it.program), enough, "kind %d, round %d", k, round);
            it.layers.has[k] = false;
        }
        it.layers.forward *= 7, it.layers.head *= 7, it.layers.tail *= 7;
        balance_usual_ends(&it.layers);
        for (int k = 0; k < BALANCE_KINDS; k++)
            it.layers.backward[k] *= 7;
        if (optimum < (double)INFINITY)
            near(optimum_of(&it.program), 7 * optimum, 1e-8, "times, round %d", round);
        free(it.all);
    }
}

static bool at_once(void *self)
{
    return ++*(int *)self > 0;
}

static bool at_the_second_call(void *self)
{
    return ++*(int *)self > 1;
}

Test(balance_proxy, stops_and_answers_equally)
{
    struct proxy_case it;
    struct proxy_answer first, again;
    int calls = 0;
    case_golden(&it, "solve_06_pp16_vp3_m16_less_175b.json");
    struct poll poll = {.over = at_once, .self = &calls};
    cr_expect_eq(case_solve(&it.program, &poll, &first), PROXY_STOPPED);
    cr_expect_not(first.has_strategy);
    free(first.strategy.count);

    poll = (struct poll){.over = at_the_second_call, .self = &(int){0}};
    cr_expect_eq(case_solve(&it.program, &poll, &first), PROXY_STOPPED);
    cr_expect_leq(first.bound, it.optimum);
    free(first.strategy.count);

    cr_assert_eq(case_solve(&it.program, NULL, &first), PROXY_DONE);
    cr_assert_eq(case_solve(&it.program, NULL, &again), PROXY_DONE);
    cr_expect_eq(memcmp(first.strategy.count, again.strategy.count,
                        sizeof(int32_t) * BALANCE_KINDS * 48),
                 0);
    cr_expect_eq(first.tests, again.tests);
    free(first.strategy.count);
    free(again.strategy.count);
    free(it.all);
}

Test(balance_proxy, has_the_published_factors)
{
    static const struct {
        struct balance_shape shape;
        int32_t factor[3][4];
    } cases[] = {
        {{4, 3, 8, 1, BALANCE_BIG_MEMORY, 0}, {{7, 5, 4, 4}, {4, 4, 4, 4}, {4, 4, 3, 1}}},
        {{4, 3, 8, 1, BALANCE_LESS_MEMORY, 0}, {{4, 4, 4, 4}, {4, 4, 4, 4}, {4, 3, 2, 1}}},
        {{4, 2, 4, 1, BALANCE_BIG_MEMORY, 0}, {{4, 4, 4, 4}, {4, 4, 3, 1}}},
        {{4, 2, 64, 2, BALANCE_BIG_MEMORY, 0}, {{8, 6, 4, 4}, {4, 4, 4, 2}}},
        {{4, 2, 64, 2, BALANCE_LESS_MEMORY, 0}, {{5, 4, 4, 4}, {4, 4, 3, 2}}},
        {{4, 1, 64, 4, BALANCE_BIG_MEMORY, 0}, {{7, 6, 5, 4}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int32_t s = 0; s < 4; s++) {
            int32_t vectors[6];
            proxy_published_vectors(&cases[i].shape, s, vectors);
            for (int32_t v = 0; v < cases[i].shape.chunks; v++)
                cr_expect_eq(vectors[v], cases[i].factor[v][s], "case %zu, stage %d", i, s);
        }
}
