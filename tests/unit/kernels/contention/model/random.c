// SPDX-License-Identifier: Apache-2.0
// Compares the fast path of the contention model with the reference on random points of the
// whole parameter space.
#include "tests/unit/support/kernels/contention_compare.h"
#include "tests/unit/support/kernels/contention_points.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

// Catches any case in which a shortcut of the fast path differs from the model.
Test(contention_random, fast_path_equals_reference)
{
    static char fault[1024];
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    const uint64_t n = n_points(), first = first_point();
    double worst = 0;
    int faults = 0, sensitive = 0;
#pragma omp parallel reduction(max : worst) reduction(+ : faults, sensitive)
    {
        void *scratch = scratch_for(&largest);
#pragma omp for schedule(dynamic, 64)
        for (uint64_t seed = 0; seed < n; seed++) {
            char text[1024];
            struct contention_point p = random_point(first + seed);
            double error = compare_at(&p, scratch, text);
            if (error > TOLERANCE && is_sensitive(&p, error)) {
                sensitive++;
            } else if (error <= TOLERANCE) {
                worst = fmax(worst, error);
            } else {
                faults++;
#pragma omp critical
                memcpy(fault, text, sizeof fault);
            }
        }
        free(scratch);
    }
    cr_assert_eq(faults, 0, "%d points differ; one of them: %s", faults, fault);
    // About one of 2 000 points is sensitive. A short run may draw some more than this share.
    cr_assert_leq(sensitive, (int)(n / 1000) + 5, "%d points are left uncompared", sensitive);
    cr_log_info("%d points: largest relative error %.3g, %d too sensitive to compare", (int)n,
                worst, sensitive);
}

// Catches pieces lost or cut wrongly in congested points, which few golden traces have.
Test(contention_random, traces_hold_all_work_in_order)
{
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    void *scratch = scratch_for(&largest);
    for (uint64_t seed = 0; seed < n_points() / 50; seed++) {
        struct contention_point p = random_point(first_point() + n_points() + seed);
        struct tally tally;
        check_trace(&p, scratch, &tally);
    }
    free(scratch);
}
