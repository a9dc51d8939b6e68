// SPDX-License-Identifier: Apache-2.0
// Tests of the search for linear plans. They would catch plans that do not fit, plans that are much longer than those of
// a plain search, and proofs of plans that are not optimal.
#include "kernels/dynapipe/search/linear_search.h"

#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/kernels/plan_case.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct searching {
    struct linear_search *search;
    void *memory;
};

static struct searching take(const struct plan_case *c)
{
    struct searching s;
    struct room room = {NULL, 0};
    linear_search_take(c->of[0].count, c->pipeline.stages, &room);
    s.memory = aligned_alloc(ROOM_ALIGNMENT, room.used);
    memset(s.memory, 0x5a, room.used);
    room = (struct room){s.memory, 0};
    s.search = linear_search_take(c->of[0].count, c->pipeline.stages, &room);
    return s;
}

static void check_fits(struct searching *s, const struct plan_case *c,
                       const struct linear_answer *a)
{
    struct linear *linear = linear_search_linear(s->search);
    cr_assert_eq(linear_evaluate(linear, a->plan, HUGE_VAL), a->makespan);
    for (int32_t stage = 0; stage < c->pipeline.stages; stage++) {
        const double peak = linear_peak_of(linear, a->plan, stage, -1).memory;
        cr_assert_leq(peak, c->limit[stage] + PLAN_TOLERANCE_MB);
    }
}

// Of the makespan of a golden's plain search.
static double part_of_reference(const char *name, uint64_t seed)
{
    struct plan_case c;
    const cJSON *expected, *of;
    struct linear_answer answer;
    cJSON *document = plan_case_load(&c, name, &expected);
    struct searching s = take(&c);
    c.task.seed = seed;
    cr_assert(linear_search_run(s.search, &c.task, LINEAR_ANY_WARM_UP, NULL, &answer));
    check_fits(&s, &c, &answer);
    of = cJSON_GetObjectItem(golden_item(expected, "reference_search"),
                             "joint_warmup_permutation_recompute_search");
    if (of == NULL)
        of = golden_item(golden_item(expected, "reference_search"),
                         "free_warmup_permutation_search");
    const double part = answer.makespan / 1000 / golden_real(of, "makespan_ms");
    free(s.memory);
    plan_case_close(&c);
    cJSON_Delete(document);
    return part;
}

Test(dynapipe_linear_search, within_two_percent_of_a_plain_search)
{
    static const char *const names[] = {"plan_01_s4_n4.json",      "plan_02_s4_n8_mem.json",
                                        "plan_03_s4_n16_mem.json", "plan_04_s8_n16_mem.json",
                                        "plan_05_s8_n32.json",     "plan_06_s16_n64.json"};
    // Under sanitizers, the smaller half with one seed.
    const bool few = n_points() < 5000;
    for (size_t k = 0; k < (few ? 3 : sizeof names / sizeof *names); k++)
        for (uint64_t seed = 1; seed <= (few ? 1 : 3); seed++) {
            const double part = part_of_reference(names[k], seed);
            cr_assert_leq(part, 1.02, "%s: %g", names[k], part);
        }
}

// Enumerates everything: orders, warm-ups and the recomputation of every cell.
static double brute(struct linear *linear, const struct plan_case *c, struct linear_plan *p,
                    int32_t at)
{
    const int32_t cells = c->of[0].count * c->pipeline.stages;
    double best = (double)INFINITY;
    if (at < cells) {
        for (int type = 0; type < DYNAPIPE_RECOMPUTE_TYPES; type++) {
            p->recompute[at] = (uint8_t)type;
            best = fmin(best, brute(linear, c, p, at + 1));
        }
        return best;
    }
    static const int32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int o = 0; o < 6; o++)
        for (int32_t w0 = 1; w0 <= 3; w0++)
            for (int32_t w1 = 1; w1 <= w0; w1++) {
                memcpy(p->order, orders[o], sizeof orders[o]);
                p->warm_up[0] = w0;
                p->warm_up[1] = w1;
                const double makespan = linear_evaluate(linear, p, HUGE_VAL);
                bool fits = true;
                for (int32_t s = 0; s < 2; s++)
                    fits =
                        fits && plan_fits(linear_peak_of(linear, p, s, -1).memory, c->limit[s]);
                best = fits ? fmin(best, makespan) : best;
            }
    return best;
}

Test(dynapipe_linear_search, small_tasks_are_proven)
{
    struct random r = {31};
    int infeasible = 0, recomputed = 0;
    for (int round = 0; round < 60; round++) {
        struct plan_case c;
        struct linear_answer answer;
        int32_t order[3], warm_up[2];
        uint8_t recompute[6];
        struct linear_plan p = {order, warm_up, recompute};
        plan_case_open(&c, 2, 2, 3);
        plan_case_draw(&c, &r);
        for (int32_t s = 0; s < 2 && round % 4 > 0; s++)
            c.limit[s] = c.state[s] + 250 * random_unit(&r);
        struct searching s = take(&c);
        cr_assert(linear_search_run(s.search, &c.task, LINEAR_ANY_WARM_UP, NULL, &answer));
        const double expected = brute(linear_search_linear(s.search), &c, &p, 0);
        cr_assert_eq(answer.plan == NULL, isinf(expected), "round %d", round);
        int32_t device;
        double needs;
        cr_assert_eq(plan_is_feasible(&c.task, &device, &needs), answer.plan != NULL);
        infeasible += answer.plan == NULL;
        if (answer.plan != NULL) {
            cr_assert(answer.is_proven, "round %d", round);
            cr_assert_float_eq(answer.makespan, expected, 1e-9 * expected, "round %d", round);
            check_fits(&s, &c, &answer);
            for (int k = 0; k < 6; k++)
                recomputed += answer.plan->recompute[k] != DYNAPIPE_KEEP;
        }
        free(s.memory);
        plan_case_close(&c);
    }
    cr_assert(infeasible > 0 && infeasible < 40, "%d", infeasible);
    cr_assert_gt(recomputed, 10);
}

// More memory never makes a proven plan longer; a fixed order is kept.
Test(dynapipe_linear_search, memory_and_order)
{
    struct random r = {32};
    for (int round = 0; round < 40; round++) {
        struct plan_case c;
        double before = (double)INFINITY;
        plan_case_open(&c, 3, 3, 4);
        plan_case_draw(&c, &r);
        c.task.keeps_order = round % 2 == 0;
        struct searching s = take(&c);
        for (double room = 150; room < 800; room *= 1.3) {
            struct linear_answer answer;
            for (int32_t stage = 0; stage < 3; stage++)
                c.limit[stage] = c.state[stage] + room;
            cr_assert(linear_search_run(s.search, &c.task, LINEAR_ANY_WARM_UP, NULL, &answer));
            if (answer.plan == NULL)
                continue;
            for (int32_t m = 0; m < 4 && c.task.keeps_order; m++)
                cr_assert_eq(answer.plan->order[m], m);
            if (answer.is_proven)
                cr_assert_leq(answer.makespan, before * (1 + 1e-12));
            before = answer.is_proven ? answer.makespan : before;
        }
        cr_assert(isfinite(before));
        free(s.memory);
        plan_case_close(&c);
    }
}
