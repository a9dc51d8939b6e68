// SPDX-License-Identifier: Apache-2.0
// The limit to the events of a point, and the sensitivity of a point.
#include "tests/unit/support/kernels/contention_points.h"

#include "kernels/contention/batch.h"
#include "kernels/contention/reference/reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static const struct contention_point largest = {.n = 64,
                                                .gpus = 16,
                                                .pipeline = CONTENTION_GPIPE};

static enum contention_status fast(const struct contention_point *p, bool metrics,
                                   void *scratch, int64_t *n_events)
{
    struct contention_result r;
    const enum contention_status status =
        contention_simulate(p, metrics, true, scratch, NULL, &r);
    *n_events = r.n_events;
    return status;
}

static enum contention_status slow(const struct contention_point *p, int64_t *n_events)
{
    struct contention_result r;
    const enum contention_status status = contention_reference(p, false, NULL, NULL, &r);
    *n_events = r.n_events;
    return status;
}

static enum contention_status batched(const struct contention_point *p,
                                      struct contention_batch *batch, void *scratch,
                                      int64_t *n_events)
{
    struct contention_outcome outcome;
    contention_simulate_batch(batch, p, 1, (struct contention_wish){0}, true, scratch, NULL,
                              &outcome);
    *n_events = outcome.result.n_events;
    return outcome.status;
}

// Catches a way to simulate a point that ignores the limit or applies it one event too early or
// too late: each must finish a point whose limit is its number of events, and fail it at one
// less.
Test(contention_limit, is_exact_in_every_simulation)
{
    struct contention_batch *batch = calloc(1, sizeof *batch);
    const size_t bytes = contention_batch_scratch_bytes(&largest);
    void *scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);
    int n_equal = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct contention_point p = random_point(seed);
        int64_t events[4], after;
        p.most_events = INT64_MAX / 2; // with a limit, distinct times of events are counted
        fast(&p, false, scratch, &events[0]);
        fast(&p, true, scratch, &events[1]);
        batched(&p, batch, scratch, &events[2]);
        slow(&p, &events[3]);
        n_equal += events[0] == events[2] && events[0] == events[3];
        for (int over = 0; over < 2; over++) {
            const enum contention_status want = over ? CONTENTION_LIMITED : CONTENTION_DONE;
            p.most_events = events[0] - over;
            cr_assert(p.most_events == 0 || fast(&p, false, scratch, &after) == want, "%s",
                      show(&p));
            p.most_events = over ? events[1] - 1 : 4 * events[1]; // ideal_time may take more
            cr_assert(p.most_events == 0 || fast(&p, true, scratch, &after) == want, "%s",
                      show(&p));
            p.most_events = events[2] - over;
            cr_assert(p.most_events == 0 || batched(&p, batch, scratch, &after) == want, "%s",
                      show(&p));
            p.most_events = events[3] - over;
            cr_assert(p.most_events == 0 || slow(&p, &after) == want, "%s", show(&p));
        }
    }
    cr_assert_geq(n_equal, 495, "only %d of 500 points have as many events everywhere",
                  n_equal);
    free(scratch);
    free(batch);
}

// Catches a sensitivity that differs from the reference's, or is always 0: the chaotic point
// amplifies a change of the last bit, the calm point does not.
Test(contention_limit, sensitivity_tells_chaotic_points)
{
    struct contention_point chaotic = {.n = 64,
                                       .gpus = 16,
                                       .sync_freq = 1,
                                       .fwd_len = 2,
                                       .bwd_len = 2,
                                       .prop_len = 2.5,
                                       .sync_base_len = 2.4924336571665555,
                                       .fwd_impact = 0.11532604836612229,
                                       .bwd_impact = 0.1,
                                       .congestion = true,
                                       .priority = {1, 0.3, 0.050283476504502156}};
    const struct contention_point calm = usual();
    double of_fast, of_slow;
    void *scratch = scratch_for(&largest);
    cr_assert_eq(contention_sensitivity(&calm, true, scratch, NULL, &of_fast), CONTENTION_DONE);
    cr_assert_eq(contention_reference_sensitivity(&calm, NULL, &of_slow), CONTENTION_DONE);
    cr_expect(of_fast < 1e-13 && of_slow < 1e-13, "%g, %g", of_fast, of_slow);
    cr_assert_eq(contention_sensitivity(&chaotic, true, scratch, NULL, &of_fast),
                 CONTENTION_DONE);
    cr_assert_eq(contention_reference_sensitivity(&chaotic, NULL, &of_slow), CONTENTION_DONE);
    cr_expect(of_fast > 1e-5 && of_slow > 1e-5, "%g, %g", of_fast, of_slow);
    chaotic.most_events = 100;
    cr_assert_eq(contention_sensitivity(&chaotic, true, scratch, NULL, &of_fast),
                 CONTENTION_LIMITED);
    free(scratch);
}
