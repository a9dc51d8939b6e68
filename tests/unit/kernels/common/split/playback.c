// SPDX-License-Identifier: Apache-2.0
// Choices played through: times, memory and bubble equal the figures of the program.
#include "tests/unit/support/kernels/pipeline_brute.h"

#include "kernels/common/split/playback.h"

#include <criterion/criterion.h>
#include <math.h>

static struct nd_program random_program(struct draws *d)
{
    struct nd_program p = brute_program(d, 4, 10);
    p.compat = ND_CORRECTED;
    p.chunks = 1 + draws_below(d, 2);
    p.layers[1] += p.stages * (p.chunks - 1);
    p.splits = 1 + draws_below(d, 2);
    p.hop = 0.25 * draws_below(d, 3);
    p.budget_first = p.budget_middle = p.budget_last = 1e5;
    return p;
}

// Peaks of the memory held, at the task that nd_peaks names.
static void expect_peaks(const struct nd_program *p, const struct nd_solution *solution,
                         const struct passes *passes)
{
    const int32_t length = orders_length(&passes->shape);
    for (int32_t i = 0; i < p->stages; i++) {
        double most = 0, before = 0;
        for (int32_t k = 0; k < length; k++) {
            const struct pass *one = &passes->list[i * length + k];
            most = fmax(most, one->held);
            cr_assert(one->stage == i && one->start >= before && one->end >= one->start);
            before = one->end;
        }
        cr_assert_float_eq(most, solution->peaks[i].memory_mb, 1e-9 * most);
        cr_assert_float_eq(passes->list[i * length + solution->peaks[i].at].held, most,
                           1e-9 * most);
        cr_assert_float_eq(passes->list[i * length + length - 1].held,
                           passes->timed.pipeline.fixed[i], 1e-9 * most);
        cr_assert(passes->timed.pipeline.limit[i] == solution->peaks[i].limit_mb);
    }
}

Test(playback, says_what_the_figures_say)
{
    int n = 0;
    for (uint64_t k = 0; k < 200; k++) {
        struct draws d = {41, k, 0};
        const struct nd_program p = random_program(&d);
        const struct nd_effort effort = {.max_nodes = 200};
        struct nd_solution solution;
        struct passes passes;
        struct bubble bubble;
        cr_assert(nd_solve(&p, &effort, &solution) == ND_DONE);
        if (solution.found) {
            const struct orders_shape shape = nd_program_shape(&p);
            cr_assert(nd_play(&p, &solution.choice, &shape, &passes) == ND_DONE);
            cr_assert_float_eq(passes.makespan, solution.makespan, 1e-9 * solution.makespan);
            expect_peaks(&p, &solution, &passes);
            passes_free(&passes);
            cr_assert(nd_bubble(&p, &solution.choice, NULL, &bubble) == ND_DONE);
            cr_assert(bubble.total >= bubble.recompute - 1e-9 && bubble.recompute >= 0 &&
                      bubble.transfer >= -1e-9);
            n++;
        }
        nd_solution_free(&solution);
    }
    cr_assert(n > 100, "%d", n);
}

// 4 equal stages without a head, 8 micro-batches, nothing recomputed: the ideal bubble alone.
Test(playback, of_a_balanced_pipeline_is_the_ideal_bubble)
{
    struct nd_program p;
    const int32_t x[] = {2, 2, 2, 2}, none[] = {0, 0, 0, 0}, some[] = {1, 1, 1, 1};
    struct nd_choice choice = {{none, x}, {none, none}, {none, none}};
    struct bubble bubble;
    nd_program_default(&p);
    p.stages = 4;
    p.micro_batches = 8;
    p.layers[1] = 8;
    p.head_ratio = 0;
    cr_assert(nd_bubble(&p, &choice, NULL, &bubble) == ND_DONE);
    cr_assert_float_eq(bubble.total, 3.0 / 8, 1e-12);
    cr_assert_float_eq(bubble.imbalance, 0, 1e-12);
    // All stages recompute half of their layers: 7 in place of 6, ideal besides.
    choice.full[1] = some;
    cr_assert(nd_bubble(&p, &choice, NULL, &bubble) == ND_DONE);
    cr_assert_float_eq(bubble.recompute, 1.0 / 6, 1e-12);
    cr_assert_float_eq(bubble.total, 11 * 7 * 4 / (8 * 6 * 4.0) - 1, 1e-12);
    p.hop = 0.5;
    cr_assert(nd_bubble(&p, &choice, NULL, &bubble) == ND_DONE);
    cr_assert(bubble.transfer > 0);
}
