// SPDX-License-Identifier: Apache-2.0
// The parts of the completion time on the critical GPU.
#include "tests/unit/support/kernels/contention_compare.h"
#include "tests/unit/support/kernels/contention_points.h"
#include "tests/unit/support/rounds.h"

#include "kernels/contention/batch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Catches a stretch of time that is counted twice or not at all, and a critical GPU that is not the
// last: the reference counts each part by itself.
Test(contention_parts, add_up_to_total_time)
{
    const struct contention_point largest = {.n = 64, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    void *scratch = scratch_for(&largest);
    for (uint64_t seed = 0; seed < n_points() / 2; seed++) {
        const struct contention_point p = random_point(first_point() + seed);
        struct contention_result fast, slow;
        contention_simulate(&p, true, true, scratch, NULL, &fast);
        contention_reference(&p, false, NULL, NULL, &slow);
        cr_assert_leq(parts_error(&fast), 1e-11, "%s: %g", show(&p), parts_error(&fast));
        cr_assert_leq(parts_error(&slow), 1e-11, "%s: %g by the reference", show(&p),
                      parts_error(&slow));
    }
    free(scratch);
}

// Catches parts of another simulation than the one that total_time comes from: in lanes, or with
// micro-batches jumped over.
Test(contention_parts, add_up_to_the_total_time_of_a_batch)
{
    static struct contention_point point[BATCH_POINTS];
    static struct contention_outcome outcome[BATCH_POINTS];
    struct contention_point largest = {.n = 2000, .gpus = 16, .pipeline = CONTENTION_GPIPE};
    struct contention_batch *batch = calloc(1, sizeof *batch);
    void *scratch =
        aligned_alloc(64, (contention_batch_scratch_bytes(&largest) + 63) / 64 * 64);
    for (int i = 0; i < BATCH_POINTS; i++) {
        point[i] = random_point((uint64_t)i);
        if (i % 16 == 0)
            point[i].n = 2000;
    }
    contention_simulate_batch(batch, point, BATCH_POINTS,
                              (struct contention_wish){.metrics = CONTENTION_ALL}, false,
                              scratch, NULL, outcome);
    for (int i = 0; i < BATCH_POINTS; i++)
        cr_expect_leq(parts_error(&outcome[i].result), 1e-14, "%s: %g", show(&point[i]),
                      parts_error(&outcome[i].result));
    free(scratch);
    free(batch);
}

// A point worked out by hand: 1 micro-batch, 2 GPUs, with transfers of 1 (forward 1, backward 2,
// synchronisation 3). GPU 0: forward 0-1, waits for the work of GPU 1 until 5: the way
// there and the forward and backward of GPU 1 are a bubble (1-5); the gradients share the port of GPU 1
// with its synchronisation, half each, 5-7: 1 because of the synchronisation; backward 7-9;
// its synchronisation 9-12.
Test(contention_parts, are_what_a_point_by_hand_has)
{
    const double by_hand[N_PARTS] = {3, 0, 0, 1, 1, 4, 3};
    struct contention_point p = usual();
    struct contention_result r;
    double parts[N_PARTS];
    p.n = 1;
    p.gpus = 2;
    p.sync_base_len = 3;
    p.priority[CONTENTION_GRAD_PROP] = p.priority[CONTENTION_GRAD_SYNC] = 0.5;
    void *scratch = scratch_for(&p);
    contention_simulate(&p, true, true, scratch, NULL, &r);
    list_parts(&r.critical, parts);
    cr_expect_eq(r.critical.gpu, 0);
    cr_expect_float_eq(r.total_time, 12, 1e-12);
    for (int k = 0; k < N_PARTS; k++)
        cr_expect_float_eq(parts[k], by_hand[k], 1e-12, "part %d: %g", k, parts[k]);
    free(scratch);
}

// Two micro-batches on two GPUs that synchronise long after their last backward: GPU 0 until
// 14 + 2 bwd_len, GPU 1 until 15 + bwd_len.
static struct contention_point race(double bwd_len)
{
    struct contention_point p = usual();
    p.n = p.gpus = 2;
    p.bwd_len = bwd_len;
    p.sync_base_len = 5;
    p.fwd_impact = p.bwd_impact = 0;
    p.priority[CONTENTION_FWD_PROP] = p.priority[CONTENTION_GRAD_PROP] = -1;
    return p;
}

// Catches a choice among GPUs that end together that rounding decides.
Test(contention_parts, ties_go_to_the_lowest_gpu)
{
    static const struct {
        double bwd_len;
        int32_t gpu;
    } cases[] = {{1, 0}, {1 - 1e-12, 0}, {1 + 1e-12, 0}, {1.5, 0}, {0.5, 1}, {1 - 1e-6, 1}};
    const struct contention_point largest = race(1);
    void *scratch = scratch_for(&largest);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct contention_point p = race(cases[k].bwd_len);
        struct contention_result fast, slow;
        contention_simulate(&p, true, true, scratch, NULL, &fast);
        contention_reference(&p, true, NULL, NULL, &slow);
        cr_expect_float_eq(fast.total_time, fmax(14 + 2 * p.bwd_len, 15 + p.bwd_len), 1e-9);
        cr_expect_eq(fast.critical.gpu, cases[k].gpu, "bwd_len %.15g", p.bwd_len);
        cr_expect_eq(slow.critical.gpu, cases[k].gpu, "bwd_len %.15g", p.bwd_len);
        cr_expect_leq(parts_error(&fast), 1e-9);
    }
    free(scratch);
}
