// SPDX-License-Identifier: Apache-2.0
// Solutions that are known from programs with more memory.
#include "planner/nd/rank/known_splits.h"

#include "tests/unit/support/kernels/pipeline_brute.h"

#include <criterion/criterion.h>
#include <math.h>

static struct nd_program random_program(uint64_t k)
{
    struct draws d = {71, k, 0};
    struct nd_program p = brute_program(&d, 4, 16);
    p.compat = ND_CORRECTED;
    p.chunks = 1 + (int32_t)(k % 2);
    return p;
}

static double value_of(struct nd_solution *solution)
{
    const double value = solution->found ? solution->objective : HUGE_VAL;
    nd_solution_free(solution);
    return value;
}

// With less and less memory, what is known gives the same steps as the solver, and is used. Catches an answer for a
// program in which it does not fit, or whose times are others.
Test(nd_known_splits, less_memory)
{
    int known = 0;
    for (uint64_t k = 0; k < 60; k++) {
        struct nd_known_splits splits = {0};
        struct nd_program p = random_program(k);
        for (int step = 0; step < 5; step++) {
            struct nd_solution one, other;
            const int64_t before = splits.n;
            cr_assert(nd_known_solve(&splits, &p, NULL, &one) == ND_DONE);
            cr_assert(nd_solve(&p, NULL, &other) == ND_DONE);
            known += splits.n == before;
            const double a = value_of(&one), b = value_of(&other);
            cr_assert(a == b || fabs(a - b) <= 1e-9 * b, "%d, step %d: %g %g", (int)k, step, a,
                      b);
            p.budget_first -= 40;
            p.budget_middle -= 40;
            p.memory.layer_mem += 1;
            p.hop += step == 3 ? 0.1 : 0;
        }
        nd_known_free(&splits);
    }
    cr_assert(known > 30, "%d", known);
}
