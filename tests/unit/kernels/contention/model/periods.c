// SPDX-License-Identifier: Apache-2.0
// Periods of the contention model: periods that are found, the cost of long points, and states
// that only seem to repeat.
#include "tests/unit/support/kernels/contention_compare.h"
#include "tests/unit/support/kernels/contention_points.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/contention/batch.h"

static struct contention_point of(int32_t gpus, int32_t sync_freq, const double length[4],
                                  const double impact[2], const double priority[3],
                                  bool congestion)
{
    return (struct contention_point){.gpus = gpus,
                                     .sync_freq = sync_freq,
                                     .fwd_len = length[0],
                                     .bwd_len = length[1],
                                     .prop_len = length[2],
                                     .sync_base_len = length[3],
                                     .fwd_impact = impact[0],
                                     .bwd_impact = impact[1],
                                     .congestion = congestion,
                                     .priority = {priority[0], priority[1], priority[2]}};
}

#define OF(gpus, freq, f, b, p, s, fi, bi, x, y, z, congestion)                                \
    of(gpus, freq, (double[]){f, b, p, s}, (double[]){fi, bi}, (double[]){x, y, z}, congestion)

// Scratch for contention_simulate and batches.
static void *batch_scratch(int32_t n, int32_t gpus)
{
    const struct contention_point largest = {.n = n, .gpus = gpus};
    return aligned_alloc(64, (contention_batch_scratch_bytes(&largest) + 63) / 64 * 64);
}

static struct contention_result simulate(const struct contention_point *p, bool exact,
                                         void *scratch)
{
    struct contention_result result;
    contention_simulate(p, false, exact, scratch, NULL, &result);
    return result;
}

static struct contention_result in_batch_as(struct contention_point p, int32_t n, bool exact,
                                            void *scratch)
{
    static struct contention_batch batch;
    struct contention_outcome outcome;
    p.n = n;
    memset(&batch.memo, 0, sizeof batch.memo);
    contention_simulate_batch(&batch, &p, 1, (struct contention_wish){0}, exact, scratch, NULL,
                              &outcome);
    return outcome.result;
}

static struct contention_result in_batch(struct contention_point p, int32_t n, void *scratch)
{
    return in_batch_as(p, n, false, scratch);
}

static void check_cost(struct contention_point p, void *scratch)
{
    const struct contention_result few = in_batch(p, 1000, scratch);
    const struct contention_result many = in_batch(p, 1000000, scratch);
    p.n = 1000;
    const struct contention_result alone_few = simulate(&p, false, scratch);
    p.n = 1000000;
    const struct contention_result alone_many = simulate(&p, false, scratch);
    cr_expect((double)many.n_events <= 1.5 * (double)few.n_events,
              "%s: %lld events, %lld of 1000", show(&p), (long long)many.n_events,
              (long long)few.n_events);
    cr_expect((double)alone_many.n_events <= 1.5 * (double)alone_few.n_events,
              "%s alone: %lld events, %lld of 1000", show(&p), (long long)alone_many.n_events,
              (long long)alone_few.n_events);
    cr_expect(error_of(many.total_time, alone_many.total_time, 0) <= TOLERANCE);
    p.n = 12000;
    const struct contention_result fast = simulate(&p, false, scratch);
    const struct contention_result exact = simulate(&p, true, scratch);
    cr_expect(error_of(fast.total_time, exact.total_time, 0) <= TOLERANCE,
              "%s: %.17g, exactly %.17g", show(&p), fast.total_time, exact.total_time);
}

// Catches periods that are found late, or proven longer than need be: because of rare
// synchronisations, of a streak that grows with n, or of lanes that leave long points alone.
Test(contention_periods, a_million_micro_batches_cost_what_a_thousand_do)
{
    void *scratch = batch_scratch(1000000, 64);
    check_cost(OF(2, 1, 0.7, 1.3, 0.5, 0.5, 0, 0.4, 0, 0.2, 0.8, true), scratch);
    check_cost(OF(2, 7, 0.7, 2, 0.25, 0.7, 0, 0, 0.3, 0.3, 0.4, true), scratch);
    check_cost(OF(3, 2, 1, 4, 1, 2, 0, 0, 0.9, -3, -1, true), scratch);
    check_cost(OF(3, 3, 2.5, 2, 0.5, 0.7, 0.2, 0.2, -2, -2, -2, true), scratch);
    check_cost(OF(3, 7, 1, 1, 1, 4, 0.2, 0.2, -1, -3, -3, true), scratch);
    check_cost(OF(4, 1, 1, 2, 1, 2, 0.2, 0.2, 0.3, 0.3, 0.4, true), scratch);
    check_cost(OF(4, 3, 1, 2, 1, 2, 0, 0, -2, -3, -1, true), scratch);
    check_cost(OF(4, 4, 1, 2, 1, 2, 0.2, 0.4, -3, 1, -1, true), scratch);
    check_cost(OF(4, 100, 1, 2, 1, 2, 0.1, 0.1, -2, 0, -3, true), scratch);
    check_cost(OF(5, 5, 1, 1, 1, 1, 0.1, 0.1, -3, -3, 0.2, true), scratch);
    check_cost(OF(6, 2, 2, 2, 0.3, 2, 0, 0, -2, -3, 0.3, true), scratch);
    check_cost(OF(6, 6, 0.5, 0.5, 0.5, 0.5, 0.2, 0.2, -2, -3, -3, false), scratch);
    check_cost(OF(8, 1, 1, 1, 1, 1, 0.2, 0.2, -1, -3, -3, true), scratch);
    check_cost(OF(8, 3, 1, 3, 2, 1, 0, 0, 0, -1, -1, false), scratch);
    check_cost(OF(12, 2, 1, 2, 1, 2, 0, 0, -1, -3, -2, true), scratch);
    check_cost(OF(12, 12, 1, 3, 2, 2, 0.2, 0.2, -3, -2, -1, true), scratch);
    check_cost(OF(16, 1, 4, 3, 1, 3, 0.2, 0.2, -1, -2, -3, false), scratch);
    check_cost(OF(16, 7, 1, 2, 1, 2, 0.5, 0.1, -3, -2, -1, false), scratch);
    check_cost(OF(32, 3, 1, 2, 1, 2, 0, 0.3, -3, -3, -2, true), scratch);
    check_cost(OF(32, 100, 3, 3, 1, 1, 0.2, 0, -3, -2, -1, false), scratch);
    check_cost(OF(64, 2, 4, 1, 1, 1, 0.2, 0.2, -1, -2, -3, false), scratch);
    free(scratch);
}

// Catches a search that knows no long periods, or gives up: a period of 871 micro-batches from
// the 233rd on, and one of 348 from the 5616th on.
Test(contention_periods, long_and_late_ones_are_found)
{
    void *scratch = batch_scratch(1000000, 12);
    struct contention_point p = OF(8, 1, 1, 2, 1, 2, 0.2, 0.2, -1, -3, -2, false);
    p.n = 100000;
    const struct contention_result fast = simulate(&p, false, scratch);
    const struct contention_result exact = simulate(&p, true, scratch);
    cr_assert_lt(fast.n_events, 130000, "%lld events", (long long)fast.n_events);
    cr_assert(error_of(fast.total_time, exact.total_time, 0) <= TOLERANCE,
              "%.17g, exactly %.17g", fast.total_time, exact.total_time);
    p = OF(12, 1, 1, 2, 1, 2, 0, 0, 0.4, 0.3, 0.5, false);
    const struct contention_result late = in_batch(p, 1000000, scratch);
    cr_assert_lt(late.n_events, 600000, "%lld events", (long long)late.n_events);
    free(scratch);
}

// Every hundredth micro-batch these are in equal states, but the times in between differ: a
// jump would take one of them for all.
Test(contention_periods, equal_states_at_unequal_intervals_are_none)
{
    struct contention_point p[] = {OF(12, 100, 0.3, 1.5, 2.5, 0.25, 0, 0, -2, -3, -2, true),
                                   OF(12, 100, 1, 2, 1, 2, 0, 0, -3, -3, -1, true),
                                   OF(12, 100, 1, 2, 1, 2, 0.2, 0.4, 0.3, 0.7, -3, true)};
    void *scratch = batch_scratch(20000, 12);
    for (int k = 0; k < 3; k++) {
        p[k].n = k == 0 ? 20000 : 6000;
        const struct contention_result fast = simulate(&p[k], false, scratch);
        const struct contention_result exact = simulate(&p[k], true, scratch);
        cr_expect(error_of(fast.total_time, exact.total_time, 0) <= TOLERANCE,
                  "%s: %.17g, exactly %.17g", show(&p[k]), fast.total_time, exact.total_time);
    }
    free(scratch);
}

// Repeats for some 60 micro-batches, but ever less well, and then no more: catches a jump while
// the differences are still small.
Test(contention_periods, differences_that_grow_are_seen)
{
    struct contention_point p = OF(5, 5, 0.3, 1.3, 0.5, 2, 0.1, 0.5, -3, -1, -2, true);
    void *scratch = batch_scratch(3108, 5);
    p.n = 3108;
    const struct contention_result fast = simulate(&p, false, scratch);
    const struct contention_result exact = simulate(&p, true, scratch);
    cr_expect(error_of(fast.total_time, exact.total_time, 0) <= TOLERANCE,
              "%.17g, exactly %.17g", fast.total_time, exact.total_time);
    cr_expect_lt(fast.n_events, exact.n_events / 4, "%lld events", (long long)fast.n_events);
    free(scratch);
}

// These points amplify a difference of a rounding before they find their periods. So points
// that jump and points that do not must be simulated in the same way up to there, in lanes and
// alone.
Test(contention_periods, the_way_to_a_period_does_not_depend_on_the_jump)
{
    const struct contention_point points[] = {
        OF(7, 2, 1.25, 1.5, 1, 2, 0, 0.2, -1, 0.25, 0.75, true),
        OF(8, 5, 0.3, 1, 0.5, 1, 0, 0, 0.75, -1, 0.25, true),
        OF(7, 8, 1, 1, 0.25, 0.2, 0.2, 0.2, 0.75, 0.25, 0, true),
        OF(6, 40, 0.5, 0.7, 1, 0.2, 0, 0.5, 0, 0.5, 0.5, true),
    };
    void *scratch = batch_scratch(12720, 8);
    int n_jumps = 0;
    const int n_compared = 2 + n_cases(2); // the first two jump
    for (int k = 0; k < n_compared; k++)
        for (int32_t n = 9000; n <= 12720; n += 3720) {
            const struct contention_result quick = in_batch(points[k], n, scratch);
            const struct contention_result exact = in_batch_as(points[k], n, true, scratch);
            n_jumps += quick.n_events < exact.n_events;
            cr_expect(error_of(quick.total_time, exact.total_time, 0) <= TOLERANCE,
                      "%s, n %d: %.17g, exactly %.17g", show(&points[k]), n, quick.total_time,
                      exact.total_time);
        }
    cr_expect_geq(n_jumps, 2, "only %d jumps", n_jumps);
    free(scratch);
}

// Catches scratch that is smaller for more stages: it is sized by the largest point of a sweep.
Test(contention_periods, scratch_never_shrinks_as_stages_grow)
{
    size_t most = 0;
    for (int32_t gpus = 1; gpus <= 4096; gpus++) {
        const struct contention_point p = {.n = 1000, .gpus = gpus};
        const size_t bytes = contention_scratch_bytes(&p);
        cr_assert_geq(bytes, most, "%d stages need %zu bytes, fewer %zu", gpus, bytes, most);
        most = bytes;
    }
}
