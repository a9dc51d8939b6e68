// SPDX-License-Identifier: Apache-2.0
// Other guarantees of the contention model: exact scaling of all lengths, the stop flag, the
// size of the scratch.
#include "tests/unit/support/kernels/contention_points.h"

#include "kernels/contention/batch.h"
#include "kernels/contention/reference/reference.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct contention_point scaled(struct contention_point p, double factor)
{
    p.fwd_len *= factor;
    p.bwd_len *= factor;
    p.prop_len *= factor;
    p.sync_base_len *= factor;
    return p;
}

// Catches absolute tolerances: with the unit of time a power of two larger, every time must be
// so many times larger, bit for bit, and every ratio the same.
Test(contention_promises, scaling_is_exact)
{
    static const double factors[] = {0x1p30, 0x1p-30};
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    void *scratch = scratch_for(&largest);
    for (uint64_t seed = 0; seed < 2000; seed++)
        for (int k = 0; k < 2; k++) {
            struct contention_point p = random_point(seed), q = scaled(p, factors[k]);
            struct contention_result a, b;
            contention_simulate(&p, true, true, scratch, NULL, &a);
            contention_simulate(&q, true, true, scratch, NULL, &b);
            cr_assert(a.total_time * factors[k] == b.total_time &&
                          a.ideal_time * factors[k] == b.ideal_time &&
                          a.exposed_comm == b.exposed_comm &&
                          a.bubble_ratio == b.bubble_ratio &&
                          a.latency[0] * factors[k] == b.latency[0] &&
                          a.critical.bubble * factors[k] == b.critical.bubble &&
                          a.critical.waits[2] * factors[k] == b.critical.waits[2] &&
                          a.n_events == b.n_events,
                      "%s: %.17g scaled by %g: %.17g", show(&p), a.total_time, factors[k],
                      b.total_time);
        }
    free(scratch);
}

// Catches a long point that cannot be interrupted.
Test(contention_promises, stops_when_told)
{
    struct contention_point p = usual();
    struct contention_result result;
    atomic_bool stop = true;
    p.n = 1000000;
    void *scratch = scratch_for(&p);
    cr_assert_eq(contention_simulate(&p, false, true, scratch, &stop, &result),
                 CONTENTION_STOPPED);
    p.n = 8;
    cr_assert_eq(contention_simulate(&p, false, true, scratch, &stop, &result), CONTENTION_DONE,
                 "a short point is finished all the same");
    free(scratch);
}

// Says stop at the first piece.
static void raise_stop(void *self, const struct contention_piece *piece)
{
    atomic_bool *stop = self;
    (void)piece;
    *stop = true;
}

// Catches a reference that an audit waits for, for minutes where the point is long.
Test(contention_promises, reference_stops_when_told)
{
    const struct contention_point p = usual();
    struct contention_result result;
    atomic_bool stop = false;
    const struct contention_sink sink = {&stop, raise_stop};
    cr_assert_eq(contention_reference(&p, true, NULL, &stop, &result), CONTENTION_DONE);
    cr_assert_eq(contention_reference(&p, true, &sink, &stop, &result), CONTENTION_STOPPED,
                 "on the way");
    cr_assert_eq(contention_reference(&p, true, NULL, &stop, &result), CONTENTION_STOPPED);
}

// Catches scratch that grows with n where it need not, and sizes that wrap around.
Test(contention_promises, scratch_is_as_large_as_needed)
{
    struct contention_point p = usual();
    size_t small = contention_scratch_bytes(&p);
    p.n = 1000000;
    cr_assert_eq(contention_scratch_bytes(&p), small);
    p.pipeline = CONTENTION_GPIPE;
    cr_assert_lt(contention_scratch_bytes(&p), (size_t)1 << 30);
    p.gpus = 4096;
    cr_assert_lt(contention_scratch_bytes(&p), (size_t)1 << 30);
}

// Catches a batch that continues after the flag is up because each of its points is too short
// to check the flag: hundreds of points with a long setup took seconds.
Test(contention_promises, a_long_batch_stops_between_points)
{
    enum { POINTS = 64 };
    const atomic_bool stop = true;
    struct contention_point points[POINTS];
    struct contention_outcome outcomes[POINTS];
    struct contention_batch *batch = calloc(1, sizeof *batch);
    for (int k = 0; k < POINTS; k++) {
        points[k] = usual();
        points[k].pipeline = CONTENTION_GPIPE; // not for lanes
        points[k].gpus = 4;
        points[k].n = 100;
        points[k].fwd_len = 1 + k;
    }
    void *scratch =
        aligned_alloc(64, (contention_batch_scratch_bytes(&points[0]) + 63) / 64 * 64);
    contention_simulate_batch(batch, points, POINTS, (struct contention_wish){0}, false,
                              scratch, &stop, outcomes);
    cr_assert_eq(outcomes[0].status, CONTENTION_DONE, "a short batch is finished");
    cr_assert_eq(outcomes[POINTS - 1].status, CONTENTION_STOPPED);
    free(scratch);
    free(batch);
}
