// SPDX-License-Identifier: Apache-2.0
// The lower bound of the contention model: no point is faster, and the bound is close to the
// time.
#include "tests/unit/support/kernels/contention_points.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/contention/lower_bound.h"

enum { MOST_N = 400, MOST_GPUS = 40 };

// Half of the lengths are round; some are nothing beside the others.
static double length(struct random *d, bool may_be_zero)
{
    static const double round[] = {0.25, 0.5, 1, 1.5, 2, 3, 1e-10, 1e-8, 1e-3, 50};
    if (may_be_zero && random_below(d, 10) == 0)
        return 0;
    return random_below(d, 2) ? round[random_below(d, 10)] : 0.01 + 4 * random_unit(d);
}

static double priority(struct random *d)
{
    const int32_t which = random_below(d, 6);
    return which == 0 ? 0 : which == 1 ? -1 - random_below(d, 3) : random_below(d, 11) / 10.0;
}

// The constant 3 was chosen for speed: few of the long points have no period.
static struct contention_point any_point(uint64_t k)
{
    struct random d = {k * 0x2545f4914f6cdd1du + 3};
    const bool large = random_below(&d, 20) == 0;
    struct contention_point p = {.n = 1 + random_below(&d, large ? MOST_N : 40),
                                 .gpus = 1 + random_below(&d, large ? MOST_GPUS : 9)};
    p.sync_freq = random_below(&d, 2) ? 1 : 1 + random_below(&d, p.n);
    p.fwd_len = length(&d, false);
    p.bwd_len = length(&d, false);
    p.prop_len = length(&d, true);
    p.sync_base_len = length(&d, true);
    p.fwd_impact = random_below(&d, 3) == 0 ? 0 : 0.9 * random_unit(&d);
    p.bwd_impact = random_below(&d, 3) == 0 ? 0 : 0.9 * random_unit(&d);
    p.pipeline = random_below(&d, 3) == 0 ? CONTENTION_GPIPE : CONTENTION_1F1B;
    p.congestion = random_below(&d, 2) == 0;
    p.channels = (enum contention_channels)(random_below(&d, 5) % 3);
    for (int k2 = 0; k2 < CONTENTION_N_SHARING; k2++)
        p.priority[k2] = priority(&d);
    return p;
}

static double time_of(const struct contention_point *p, bool exact, void *scratch)
{
    struct contention_result result;
    cr_assert_eq(contention_simulate(p, false, exact, scratch, NULL, &result), CONTENTION_DONE);
    return result.total_time;
}

// Would catch any of the bounds that a schedule can beat, in any pipeline and with any
// channels, and a formula that has become useless: the mean of bound over time.
Test(contention_bound, no_point_is_faster)
{
    const uint64_t points = n_points(), first = first_point();
    double sum[2][3] = {{0}};
    long count[2][3] = {{0}}, tight = 0;
    const struct contention_point largest = {.n = MOST_N,
                                             .gpus = MOST_GPUS,
                                             .pipeline = CONTENTION_GPIPE};
#pragma omp parallel num_threads(2)
    {
        void *scratch = scratch_for(&largest);
#pragma omp for schedule(dynamic, 64)
        for (uint64_t k = 0; k < points; k++) {
            const struct contention_point p = any_point(first + k);
            const double time = time_of(&p, false, scratch);
            const double bound = contention_lower_bound(&p);
            cr_assert(bound >= 0 && bound <= time, "%.17g beats %.17g: %s", time, bound,
                      show(&p));
#pragma omp critical
            {
                sum[p.pipeline][p.channels] += bound / time;
                count[p.pipeline][p.channels]++;
                tight += bound > time * (1 - 1e-8);
            }
        }
        free(scratch);
    }
    for (int l = 0; l < 2; l++)
        for (int c = 0; c < 3; c++) {
            const double mean = sum[l][c] / (double)count[l][c];
            if (getenv("PPS_SHOW") != NULL)
                fprintf(stderr, "pipeline %d channels %d: %.4f of %ld\n", l, c, mean,
                        count[l][c]);
            cr_assert_gt(mean, 0.75, "pipeline %d, channels %d: %g", l, c, mean);
        }
    cr_assert_gt(tight, (long)(points / 20), "%ld bounds are the time itself", tight);
}

// Would catch a bound that counts micro-batches wrong where the simulator jumps over them.
Test(contention_bound, long_points)
{
    const struct contention_point largest = {.n = 200000, .gpus = 9};
    void *scratch = scratch_for(&largest);
    for (uint64_t k = 0; k < (uint64_t)n_cases(200); k++) {
        struct contention_point p = any_point(1000000 + k);
        p.n = 100000 + (int32_t)(k * 487);
        p.gpus = 1 + p.gpus % 9;
        p.pipeline = CONTENTION_1F1B;
        const double time = time_of(&p, false, scratch), bound = contention_lower_bound(&p);
        cr_assert(bound >= 0 && bound <= time, "%.17g beats %.17g: %s", time, bound, show(&p));
    }
    free(scratch);
}

// Without contention the bound equals the time: synchronisation and transfers without work, in
// pipelines of every length (in 1f1b if stage 0 admits all micro-batches at once).
Test(contention_bound, compute_alone_is_met)
{
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    void *scratch = scratch_for(&largest);
    for (int32_t n = 1; n <= 64; n += 7)
        for (int32_t gpus = 1; gpus <= 16; gpus++)
            for (int l = n > gpus; l < 2; l++) {
                const struct contention_point p = {.n = n,
                                                   .gpus = gpus,
                                                   .sync_freq = 1,
                                                   .fwd_len = 1,
                                                   .bwd_len = 2,
                                                   .pipeline = (enum contention_pipeline)l};
                const double time = time_of(&p, true, scratch);
                cr_assert_float_eq(contention_lower_bound(&p) / time, 1, 1e-8, "%s", show(&p));
            }
    free(scratch);
}
