// SPDX-License-Identifier: Apache-2.0
// Compares the fast path of the contention model with the reference at the ends of the ranges.
#include "tests/unit/support/kernels/contention_compare.h"
#include "tests/unit/support/rounds.h"

#include "kernels/contention/batch.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void check_at(const struct contention_point *p)
{
    char text[1024];
    void *scratch = scratch_for(p);
    cr_assert(compare_at(p, scratch, text) <= TOLERANCE, "%s", text);
    free(scratch);
}

// Catches places that assume a neighbour, a second micro-batch, or work above 0.
Test(contention_extremes, smallest_sizes_and_zero_lengths)
{
    for (int bits = 0; bits < 128; bits++) {
        struct contention_point p = usual();
        p.n = bits & 1 ? 1 : 7;
        p.gpus = bits & 2 ? 1 : bits & 4 ? 2 : 5;
        p.prop_len = bits & 8 ? 0 : 1;
        p.sync_base_len = bits & 16 ? 0 : 2;
        p.sync_freq = bits & 32 && p.n > 1 ? 3 : 1;
        p.pipeline = bits & 64 ? CONTENTION_GPIPE : CONTENTION_1F1B;
        check_at(&p);
        p.channels = CONTENTION_IDEAL;
        check_at(&p);
    }
}

// Catches clocks and tolerances that do not follow the size of the lengths. No length is
// eps_work itself, where rounding would decide.
Test(contention_extremes, lengths_far_apart)
{
    static const double lengths[] = {2.5e-9, 1e-3, 1, 1e5, 1e9};
    for (int k = 0; k < 625; k++) {
        struct contention_point p = usual();
        p.fwd_len = lengths[k % 5];
        p.bwd_len = lengths[k / 5 % 5];
        p.prop_len = lengths[k / 25 % 5];
        p.sync_base_len = lengths[k / 125];
        p.fwd_impact = p.bwd_impact = k % 2 ? 0.999 : 0;
        check_at(&p);
    }
}

// Catches tasks that are too slow to set the time of an event and that do not end together with
// others either, although no more than eps_work is left; and, in lanes, a compute task that a
// slow synchronisation leaves almost no bandwidth, which let the time advance.
Test(contention_extremes, rates_that_set_no_event)
{
    struct contention_point p = usual(), twin[2];
    struct contention_outcome outcomes[2];
    struct contention_batch *batch = calloc(1, sizeof *batch);
    p.n = 2;
    p.gpus = 3;
    p.pipeline = CONTENTION_GPIPE;
    p.fwd_len = 4;
    p.bwd_len = 0.5;
    p.prop_len = 5e-9;
    p.fwd_impact = p.bwd_impact = 0;
    p.priority[0] = p.priority[2] = 1;
    p.priority[1] = 1.3e-9;
    check_at(&p);
    p = (struct contention_point){.n = 2,
                                  .gpus = 2,
                                  .sync_freq = 1,
                                  .fwd_len = 2,
                                  .bwd_len = 1e-10,
                                  .prop_len = 0.5,
                                  .sync_base_len = 3,
                                  .bwd_impact = 0.9999999999};
    check_at(&p);
    twin[0] = twin[1] = p;
    void *scratch = aligned_alloc(64, (contention_batch_scratch_bytes(&p) + 63) / 64 * 64);
    contention_simulate_batch(batch, twin, 2, (struct contention_wish){0}, false, scratch, NULL,
                              outcomes);
    cr_assert_float_eq(outcomes[0].result.total_time, 12.0000000002, 1e-11);
    free(scratch);
    free(batch);
}

// Catches growth with n that the random points, which are small, do not show: clocks that lose
// digits, rings that are too small, counters that wrap.
Test(contention_extremes, many_micro_batches)
{
    struct contention_point p = usual();
    p.n = 100 + n_cases(600);
    for (int k = 0; k < 4; k++) {
        p.pipeline = k & 1 ? CONTENTION_GPIPE : CONTENTION_1F1B;
        p.bwd_len = k & 2 ? 1.7 : 2;
        check_at(&p);
    }
}

// Catches a queue of pieces that overflows, or loses what it cuts: here thousands of pieces
// wait for synchronisations that take longer than all the rest.
Test(contention_extremes, traces_with_a_full_queue)
{
    struct contention_point p = usual();
    struct tally tally;
    p.n = 64;
    p.gpus = 16;
    p.sync_base_len = 1000;
    p.channels = CONTENTION_IDEAL;
    void *scratch = scratch_for(&p);
    check_trace(&p, scratch, &tally);
    int n_tasks = 64 * (5 * 16 - 2);
    cr_assert_gt(tally.count, n_tasks, "nothing was cut: the test misses its point");
    cr_assert_lt(tally.count, n_tasks + n_tasks / 4);
    free(scratch);
}
