// SPDX-License-Identifier: Apache-2.0
// Compares the contention model with jumps over periods and without jumps.
#include "tests/unit/support/kernels/contention_compare.h"
#include "tests/unit/support/kernels/contention_points.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

// Long points of all settings, in most of which something repeats.
static struct contention_point long_point(uint64_t seed)
{
    struct contention_point p = random_point(seed);
    struct random r = {seed};
    p.n = 150 + (int32_t)random_below(&r, (int32_t)random_below(&r, 4) ? 600 : 3000);
    p.gpus = 1 + (int32_t)random_below(&r, (int32_t)random_below(&r, 4) ? 6 : 16);
    p.sync_freq = (int32_t)random_below(&r, 2)
                      ? 1
                      : 1 + (int32_t)random_below(&r, (int32_t)random_below(&r, 2) ? 8 : p.n);
    p.pipeline = CONTENTION_1F1B;
    return p;
}

// Whether the exact result itself moves about as much as `error` when lengths change in their
// last digits.
static bool moves_as_much(const struct contention_point *p, void *scratch, double error)
{
    struct contention_result before, after;
    double moved = 0;
    contention_simulate(p, false, true, scratch, NULL, &before);
    for (int k = 1; k <= 6; k++) {
        struct contention_point q = *p;
        q.fwd_len *= 1 + k * 0x1p-50;
        q.bwd_len *= 1 - k * 0x1p-51;
        q.prop_len *= 1 - k * 0x1p-50;
        contention_simulate(&q, false, true, scratch, NULL, &after);
        moved = fmax(moved, error_of(before.total_time, after.total_time, 0));
    }
    return moved >= error / 16;
}

// Catches a jump over micro-batches that only seem to repeat, one that goes too far, or one
// that forgets something: leftovers, synchronisations that pile up, transfers that wait.
Test(contention_jumps, jumps_change_rounding_only)
{
    const uint64_t n = n_points() / 50;
    static char fault[1024];
    int faults = 0, sensitive = 0, jumps = 0;
#pragma omp parallel reduction(+ : faults, sensitive, jumps)
    {
        const struct contention_point largest = {.n = 4000, .gpus = 16};
        void *scratch = scratch_for(&largest);
#pragma omp for schedule(dynamic, 4)
        for (uint64_t seed = 0; seed < n; seed++) {
            struct contention_point p = long_point(seed);
            struct contention_result fast, exact;
            contention_simulate(&p, false, false, scratch, NULL, &fast);
            contention_simulate(&p, false, true, scratch, NULL, &exact);
            double error = error_of(fast.total_time, exact.total_time, 0);
            jumps += fast.n_events < exact.n_events;
            if (error <= TOLERANCE)
                continue;
            if (moves_as_much(&p, scratch, error)) {
                sensitive++;
                continue;
            }
            faults++;
#pragma omp critical
            snprintf(fault, sizeof fault, "%s: %.17g, exactly %.17g", show(&p), fast.total_time,
                     exact.total_time);
        }
        free(scratch);
    }
    cr_assert_eq(faults, 0, "%d points differ; one of them: %s", faults, fault);
    cr_assert_leq(sensitive, 1 + (int)(n / 200), "%d points are left uncompared", sensitive);
    cr_assert_geq(jumps, (int)(n / 3), "only %d of %d points jump", jumps, (int)n);
}

// Catches a search that never ends, and time that is lost or gained over a million periods.
Test(contention_jumps, a_million_micro_batches_cost_no_more_than_thousands)
{
    struct contention_point p = usual();
    struct contention_result fast, exact;
    p.n = 100000 + n_cases(900000);
    void *scratch = scratch_for(&p);
    for (int k = 0; k < 4; k++) {
        p.priority[0] = k & 1 ? 0.1 : 0.4;
        p.priority[1] = k & 1 ? 0.9 : 0.3;
        p.priority[2] = k & 1 ? 0 : 0.3;
        p.sync_freq = k & 2 ? 3 : 1;
        contention_simulate(&p, false, false, scratch, NULL, &fast);
        contention_simulate(&p, false, true, scratch, NULL, &exact);
        cr_assert_lt(fast.n_events, 40000, "%s: %lld events", show(&p),
                     (long long)fast.n_events);
        cr_assert(error_of(fast.total_time, exact.total_time, 0) <= TOLERANCE,
                  "%s: %.17g, exactly %.17g", show(&p), fast.total_time, exact.total_time);
    }
    free(scratch);
}
