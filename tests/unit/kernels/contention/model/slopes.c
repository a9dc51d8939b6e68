// SPDX-License-Identifier: Apache-2.0
// The derivatives of total_time, against differences and against what homogeneity says.
#include "tests/unit/support/kernels/contention_points.h"

#include "kernels/contention/model/state.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { POINTS = 400, FORWARD_IMPACT = CONTENTION_N_LENGTHS };

static double *parameter(struct contention_point *p, int k)
{
    return k < CONTENTION_N_LENGTHS ? &p->length[k]
           : k == FORWARD_IMPACT    ? &p->fwd_impact
                                    : &p->bwd_impact;
}

static double time_beside(const struct contention_point *point, int k, double step,
                          void *scratch)
{
    struct contention_point beside = *point;
    struct contention_result result;
    *parameter(&beside, k) += step;
    cr_assert_eq(contention_simulate(&beside, false, true, scratch, NULL, &result),
                 CONTENTION_DONE);
    return result.total_time;
}

// Lengths and impacts that no two tasks share, so that hardly any tasks end together.
static struct contention_point uneven_point(uint64_t seed)
{
    struct contention_point p = random_point(seed);
    for (int k = 0; k < CONTENTION_N_LENGTHS; k++)
        p.length[k] = (p.length[k] + 0.3) * (1 + 0.01 * sqrt((double)(k + 2)));
    p.fwd_impact = 0.1 + 0.013 * sqrt(3);
    p.bwd_impact = 0.2 + 0.017 * sqrt(5);
    return p;
}

// Scaling all lengths scales total_time: the lengths times their derivatives add up to it, exactly,
// also at kinks. Would catch a number whose derivative is not carried along.
Test(contention_slopes, add_up_to_the_time)
{
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    void *scratch = scratch_for(&largest);
    for (uint64_t seed = 0; seed < POINTS; seed++) {
        const struct contention_point p = random_point(seed);
        double slope[CONTENTION_N_SLOPES], sum = 0;
        cr_assert_eq(contention_slopes(&p, scratch, NULL, slope), CONTENTION_DONE);
        for (int k = 0; k < CONTENTION_N_LENGTHS; k++)
            sum += p.length[k] * slope[k];
        const double time = time_beside(&p, 0, 0, scratch);
        cr_expect_leq(fabs(sum - time), 1e-7 * time, "%.12g, %.12g: %s", sum, time, show(&p));
    }
    free(scratch);
}

// Where the differences to both sides agree, there is no kink, and the derivative is theirs. Would catch a
// derivative of the wrong parameter or task.
Test(contention_slopes, are_the_limits_of_differences)
{
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    void *scratch = scratch_for(&largest);
    int smooth = 0;
    for (uint64_t seed = 0; seed < POINTS; seed++) {
        const struct contention_point p = uneven_point(seed);
        const double step = 1e-7, time = time_beside(&p, 0, 0, scratch);
        double slope[CONTENTION_N_SLOPES];
        cr_assert_eq(contention_slopes(&p, scratch, NULL, slope), CONTENTION_DONE);
        for (int k = 0; k < CONTENTION_N_SLOPES; k++) {
            slope[k] *= k < CONTENTION_N_LENGTHS ? 1 : contention_unit(&p);
            const double above = (time_beside(&p, k, step, scratch) - time) / step;
            const double below = (time - time_beside(&p, k, -step, scratch)) / step;
            if (fabs(above - below) > 1e-4 * (1 + fabs(above)))
                continue;
            smooth++;
            cr_expect_leq(fabs(slope[k] - above), 1e-3 * (1 + fabs(above)),
                          "%d: %.9g, differences %.9g: %s", k, slope[k], above, show(&p));
        }
    }
    cr_expect_geq(smooth, 5 * POINTS, "%d derivatives only", smooth);
    free(scratch);
}
