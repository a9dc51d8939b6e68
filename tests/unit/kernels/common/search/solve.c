// SPDX-License-Identifier: Apache-2.0
// Properties of the solver of the pipeline program for any input: monotony, named limits,
// answers after a stop, and programs that are too large for brute force.
#include "tests/unit/support/kernels/pipeline_brute.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *show(const struct nd_program *p)
{
    static char text[256];
    snprintf(text, sizeof text, "P %d V %d M %d S %d L %d %d budgets %g %g %g orig %d",
             p->stages, p->chunks, p->micro_batches, p->splits, p->layers[0], p->layers[1],
             p->budget_first, p->budget_middle, p->budget_last, p->compat == ND_ORIG);
    return text;
}

static double solved(const struct nd_program *p)
{
    struct nd_solution solution;
    char why[256] = "";
    cr_assert(nd_solve(p, NULL, &solution) == ND_DONE);
    if (solution.found) {
        cr_assert(solution.status == ND_OPTIMAL, "%s", show(p));
        cr_assert(nd_choice_check(p, &solution.choice, why, sizeof why), "%s: %s", show(p),
                  why);
    }
    const double value = solution.found ? solution.objective : HUGE_VAL;
    nd_solution_free(&solution);
    return value;
}

static struct nd_program medium(uint64_t seed, uint64_t k)
{
    struct draws d = {seed, k, 0};
    struct nd_program p = brute_program(&d, 6, 30);
    if (draws_below(&d, 3) == 0) {
        p.stages = p.stages > 3 ? 3 : p.stages;
        p.chunks = 2;
        p.layers[1] += 4;
    }
    return p;
}

static void shift_budgets(struct nd_program *p, double mb)
{
    p->budget_first += mb;
    p->budget_middle += mb;
    p->budget_last += mb;
}

Test(solver, more_memory_is_never_worse)
{
    int better = 0;
    for (uint64_t k = 0; k < 300; k++) {
        struct nd_program p = medium(31, k);
        const double before = solved(&p);
        shift_budgets(&p, 400 + 10.0 * (double)(k % 100));
        const double after = solved(&p);
        cr_assert(after <= before * (1 + 1e-12) || before == HUGE_VAL, "%s: %g %g", show(&p),
                  before, after);
        better += after < before;
    }
    cr_assert(better > 20);
}

Test(solver, recompute_is_of_no_use_where_memory_is_ample)
{
    for (uint64_t k = 0; k < 200; k++) {
        struct nd_program p = medium(32, k);
        p.budget_first = p.budget_middle = p.budget_last = 1e12;
        p.allow_full = p.allow_select = true;
        const double allowed = solved(&p);
        p.allow_full = p.allow_select = false;
        cr_assert(allowed == solved(&p), "%s", show(&p));
    }
}

Test(solver, more_ways_to_recompute_are_never_worse)
{
    for (uint64_t k = 0; k < 200; k++) {
        struct nd_program p = medium(33, k);
        p.allow_full = true;
        p.allow_select = false;
        const double one = solved(&p);
        p.allow_select = true;
        cr_assert(solved(&p) <= one * (1 + 1e-12), "%s", show(&p));
    }
}

// The least step is found below a value that is a little greater, and none below itself, of any kind of layers made
// again. Catches a rule that forgets the value, and a choice that is dropped with it.
Test(solver, only_smaller_values_are_found)
{
    int found = 0;
    for (uint64_t k = 0; k < 300; k++) {
        struct nd_program p = medium(35, k);
        struct nd_solution above, below;
        p.compat = ND_CORRECTED;
        p.allow_full = k % 3 > 0;
        p.allow_select = k % 3 < 2;
        const double least = solved(&p);
        if (least == HUGE_VAL)
            continue;
        cr_assert(nd_solve(&p, &(struct nd_effort){.below = least * (1 + 1e-6)}, &above) ==
                  ND_DONE);
        cr_assert(nd_solve(&p, &(struct nd_effort){.below = least}, &below) == ND_DONE);
        cr_assert(above.found && fabs(above.objective - least) <= 1e-9 * least, "%s", show(&p));
        cr_assert(below.status == ND_INFEASIBLE || below.objective <= least, "%s", show(&p));
        found++;
        nd_solution_free(&above);
        nd_solution_free(&below);
    }
    cr_assert(found > 100);
}

Test(solver, makespans_scale_with_the_durations)
{
    for (uint64_t k = 0; k < 500; k++) {
        struct draws d = {34, k, 0};
        struct nd_program p = medium(34, k);
        double f[64], b[64];
        const int32_t n = p.stages * p.chunks;
        for (int32_t i = 0; i < n; i++) {
            f[i] = 0.1 * draws_below(&d, 40);
            b[i] = 0.1 * draws_below(&d, 90);
        }
        struct nd_evaluator *e = nd_evaluator_new(&p, NULL);
        const double once = nd_evaluator_makespan(e, f, b);
        for (int32_t i = 0; i < n; i++) {
            f[i] *= 8; // exactly
            b[i] *= 8;
        }
        cr_assert(nd_evaluator_makespan(e, f, b) == 8 * once);
        nd_evaluator_free(e);
    }
}

// ---- infeasible ---------------------------------------------------------------------------------

// Checks that the reported missing memory is just enough.
static void expect_just_enough(struct nd_program *p, double missing)
{
    shift_budgets(p, missing + 1e-3);
    cr_assert(solved(p) < HUGE_VAL, "%s: %g MiB more are not enough", show(p), missing);
    shift_budgets(p, -2e-3);
    cr_assert(solved(p) == HUGE_VAL, "%s: %g MiB more are too many", show(p), missing);
}

Test(solver, missing_memory_is_told_exactly)
{
    int n = 0;
    for (uint64_t k = 0; k < 1500 && n < 200; k++) {
        struct nd_program p = medium(35, k);
        struct nd_solution solution;
        p.compat = ND_CORRECTED;
        cr_assert(nd_solve(&p, NULL, &solution) == ND_DONE);
        if (!solution.found) {
            cr_assert(solution.status == ND_INFEASIBLE);
            cr_assert(solution.why.limit == ND_LIMIT_MEMORY ||
                      solution.why.limit == ND_LIMIT_FEW_LAYERS);
        }
        if (!solution.found && solution.why.limit == ND_LIMIT_MEMORY) {
            const int32_t stage = solution.why.stage;
            cr_assert(stage >= 0 && stage < p.stages && solution.why.missing_mb > 0);
            cr_assert_float_eq(solution.why.needed_mb - solution.why.missing_mb,
                               nd_program_budget(&p, stage), 1e-6);
            expect_just_enough(&p, solution.why.missing_mb);
            n++;
        }
        nd_solution_free(&solution);
    }
    cr_assert(n > 100, "%d", n);
}

static struct nd_program plain(int32_t stages, int32_t micro_batches, int32_t l1, int32_t l2)
{
    struct nd_program p;
    nd_program_default(&p);
    p.stages = stages;
    p.micro_batches = micro_batches;
    p.layers[0] = l1;
    p.layers[1] = l2;
    p.budget_first = p.budget_middle = p.budget_last = 1e9;
    return p;
}

static void expect_why(const struct nd_program *p, enum nd_limit limit, const char *text)
{
    struct nd_solution solution;
    cr_assert(nd_solve(p, NULL, &solution) == ND_DONE);
    cr_assert(solution.status == ND_INFEASIBLE && !solution.found && solution.room == NULL);
    cr_assert(solution.why.limit == limit, "%d", (int)solution.why.limit);
    cr_assert(strstr(solution.why.text, text) != NULL, "%s", solution.why.text);
    nd_solution_free(&solution);
}

Test(solver, limits_are_named)
{
    struct nd_program p = plain(8, 4, 0, 32);
    expect_why(&p, ND_LIMIT_MICRO_BATCHES, "stage = 8 is greater than micro batch = 4");
    p = plain(8, 8, 1, 6);
    expect_why(&p, ND_LIMIT_FEW_LAYERS,
               "7 layers are 1 too few for 8 chunks: every chunk needs at least one layer");
    p.chunks = 2;
    expect_why(&p, ND_LIMIT_FEW_LAYERS, "7 layers are 9 too few for 16 chunks");
    p = plain(2, 8, 0, 62);
    p.compat = ND_ORIG;
    expect_why(&p, ND_LIMIT_LAYERS, "62 layers of one type are 22 too many for 2 chunks");
    p.chunks = 3;
    p.layers[1] = 121;
    expect_why(&p, ND_LIMIT_LAYERS, "121 layers of one type are 1 too many for 6 chunks");
    // f <= 20 counts the head, too.
    p = plain(2, 8, 0, 40);
    p.compat = ND_ORIG;
    expect_why(&p, ND_LIMIT_LAYERS, "published bounds");
    p.compat = ND_CORRECTED;
    cr_assert(solved(&p) < HUGE_VAL);
    p = plain(2, 8, 0, 30);
    p.compat = ND_ORIG;
    p.splits = 2;
    expect_why(&p, ND_LIMIT_SPLITS, "expected 1 split, not 2");
    p.compat = ND_CORRECTED;
    cr_assert(solved(&p) < HUGE_VAL);
    p = plain(300, 1799, 0, 300 * 17);
    p.compat = ND_ORIG;
    expect_why(&p, ND_LIMIT_TIME, "start after the published bound of 99999");
}

Test(solver, one_stage_has_the_smaller_budget)
{
    struct nd_program p = plain(1, 4, 0, 10);
    p.memory.static_mem0 = 100;
    p.memory.lm_head_mem = 300;
    p.budget_first = 1e9;
    p.budget_last = 10;
    expect_why(&p, ND_LIMIT_MEMORY, "stage 0 needs");
    p.compat = ND_ORIG;
    cr_assert(solved(&p) < HUGE_VAL);
}

Test(solver, wrong_programs_are_refused)
{
    char text[256];
    struct nd_program p = plain(4, 8, 0, 8);
    cr_assert(nd_program_check(&p, text, sizeof text));
    p.micro_batches = 2; // no fault, but infeasible
    cr_assert(nd_program_check(&p, text, sizeof text));
    p.micro_batches = 0;
    cr_assert(!nd_program_check(&p, text, sizeof text));
    cr_assert_str_eq(text, "micro-batches = 0 must be at least 1");
    p = plain(4, 8, 0, 8);
    p.head_ratio = (double)NAN;
    cr_assert(!nd_program_check(&p, text, sizeof text));
    cr_assert_str_eq(text, "head_ratio must be a finite number, not below 0");
    p = plain(4, 8, 0, 8);
    p.memory.act_mem = -1;
    cr_assert(!nd_program_check(&p, text, sizeof text));
    cr_assert_str_eq(text, "act_mem must be a finite number of MiB, not below 0");
    p = plain(4, 8, 0, -8);
    cr_assert(!nd_program_check(&p, text, sizeof text));
    p = plain(4, 8, 0, 8);
    p.compat = ND_ORIG;
    p.hop = 0.1;
    cr_assert(!nd_program_check(&p, text, sizeof text));
    p = plain(4, 8, 0, 8);
    p.budget_last = HUGE_VAL;
    cr_assert(!nd_program_check(&p, text, sizeof text));
}

// ---- stopping -----------------------------------------------------------------------------------

static void expect_between(const struct nd_program *p, const struct nd_effort *effort,
                           enum nd_status status)
{
    struct nd_solution solution;
    const double best = solved(p);
    cr_assert(nd_solve(p, effort, &solution) == ND_DONE);
    cr_assert(solution.status == status || solution.status == ND_OPTIMAL ||
              (solution.status == ND_INFEASIBLE && best == HUGE_VAL));
    if (solution.found) {
        cr_assert(solution.bound <= best * (1 + 1e-9), "%s: %g %g", show(p), solution.bound,
                  best);
        cr_assert(solution.objective >= best * (1 - 1e-9));
        cr_assert_float_eq(solution.gap * solution.objective,
                           solution.objective - solution.bound, 1e-9 * best);
        cr_assert(solution.status != ND_OPTIMAL || solution.objective <= best * (1 + 1e-9));
    }
    nd_solution_free(&solution);
}

Test(solver, what_is_there_when_it_stops_is_right)
{
    const atomic_bool stop = true;
    const struct nd_effort one = {.max_nodes = 1}, few = {.max_nodes = 200};
    const struct nd_effort short_time = {.max_seconds = 1e-9, .seconds = pps_wall_seconds},
                           told = {.stop = &stop};
    for (uint64_t k = 0; k < 200; k++) {
        const struct nd_program p = medium(36, k);
        expect_between(&p, &one, ND_FEASIBLE);
        expect_between(&p, &few, ND_FEASIBLE);
        expect_between(&p, &short_time, ND_TIME_LIMIT);
        expect_between(&p, &told, ND_FEASIBLE);
    }
}

Test(solver, nodes_make_the_same_answer_every_time)
{
    for (uint64_t k = 0; k < 50; k++) {
        const struct nd_program p = medium(37, k);
        const struct nd_effort effort = {.max_nodes = 100};
        struct nd_solution a, b;
        cr_assert(nd_solve(&p, &effort, &a) == ND_DONE && nd_solve(&p, &effort, &b) == ND_DONE);
        cr_assert(a.status == b.status && a.nodes == b.nodes && a.objective == b.objective &&
                  a.bound == b.bound);
        nd_solution_free(&a);
        nd_solution_free(&b);
    }
}

// ---- larger programs ----------------------------------------------------------------------------

// With one chunk, one split and no transfer the general solver must agree with that of 1F1B; a
// transfer that takes next to nothing makes it solve the same program.
Test(solver, both_solvers_agree)
{
    int feasible = 0;
    for (uint64_t k = 0; k < 150; k++) {
        struct draws d = {38, k, 0};
        struct nd_program p = brute_program(&d, 5, 24);
        p.compat = ND_CORRECTED;
        if (k % 3 == 0) { // many patterns
            p.layers[0] += 8 + draws_below(&d, 4);
            shift_budgets(&p, p.budget_first);
        }
        const double chain = solved(&p);
        p.hop = 1e-13;
        const double general = solved(&p);
        cr_assert(chain == general || fabs(chain - general) <= 1e-8 * chain, "%s: %.12g %.12g",
                  show(&p), chain, general);
        feasible += chain < HUGE_VAL;
    }
    cr_assert(feasible > 50);
}

// One more stage of nothing but bounds: no solution is better than what its stages must do.
Test(solver, no_optimum_is_below_the_average_stage)
{
    for (uint64_t k = 0; k < 300; k++) {
        const struct nd_program p = medium(39, k);
        const double value = solved(&p);
        const double work =
            (1 + p.backward_ratio) * (p.layers[1] + p.layer_ratio * p.layers[0] + p.head_ratio);
        if (isnan(p.head_backward) || p.head_backward >= p.backward_ratio)
            cr_assert(value >= p.micro_batches * work / p.stages * (1 - 1e-12));
    }
}
