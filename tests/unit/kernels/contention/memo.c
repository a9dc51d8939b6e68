// SPDX-License-Identifier: Apache-2.0
// The memo: points with equal keys have equal results, bit for bit.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/contention/batch.h"
#include "kernels/contention/model/state.h"
#include "kernels/contention/priority_scenarios.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

static struct random state = {7};

static int below(int end)
{
    return (int)random_below(&state, end);
}

static double one_of(const double *values, int n)
{
    return values[below(n)];
}

// From few values, so that points often have equal keys; at any scale.
static struct contention_point draw(void)
{
    static const double lengths[] = {0.5, 1, 1.7}, free_lengths[] = {0, 0, 0.5, 1};
    static const double impacts[] = {0, 0.2, 0.5}, priorities[] = {0, 0.2, 0.4, -1, -2};
    const double scale = (double)(1 << below(12)) / 64;
    struct contention_point p = {.n = 1 + below(6), .gpus = 1 + below(4)};
    p.sync_freq = 1 + below(p.n);
    p.fwd_len = one_of(lengths, 3) * scale;
    p.bwd_len = one_of(lengths, 3) * scale;
    p.prop_len = one_of(free_lengths, 4) * scale;
    p.sync_base_len = one_of(free_lengths, 4) * scale;
    p.fwd_impact = one_of(impacts, 3);
    p.bwd_impact = one_of(impacts, 3);
    p.pipeline = below(2) ? CONTENTION_1F1B : CONTENTION_GPIPE;
    p.channels = (enum contention_channels)below(3);
    p.congestion = below(2);
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        p.priority[k] = one_of(priorities, 5);
    return p;
}

static bool same_row(const struct contention_result *a, const struct contention_result *b)
{
    return a->total_time == b->total_time && a->bubble_ratio == b->bubble_ratio &&
           a->compute_slowdown == b->compute_slowdown &&
           a->port_utilization == b->port_utilization && a->exposed_comm == b->exposed_comm &&
           memcmp(a->latency, b->latency, sizeof a->latency) == 0 &&
           a->throttled_tasks == b->throttled_tasks && a->peak_in_flight == b->peak_in_flight &&
           a->ideal_time == b->ideal_time && a->sensitivity == b->sensitivity &&
           memcmp(a->slope, b->slope, sizeof a->slope) == 0 &&
           memcmp(&a->critical, &b->critical, sizeof a->critical) == 0;
}

static void check_row(const struct contention_point *p, const struct contention_result *fresh,
                      const struct contention_result *recalled)
{
    cr_assert(same_row(recalled, fresh),
              "n %d gpus %d sync_freq %d lengths %g %g %g %g impacts %g %g pipeline %d "
              "channels %d congestion %d priorities %g %g %g: %.17g, recalled %.17g",
              p->n, p->gpus, p->sync_freq, p->fwd_len, p->bwd_len, p->prop_len,
              p->sync_base_len, p->fwd_impact, p->bwd_impact, p->pipeline, p->channels,
              p->congestion, p->priority[0], p->priority[1], p->priority[2], fresh->total_time,
              recalled->total_time);
}

// Compares batches of any size with a memo with the same points without a memo.
static void recall_many(struct contention_wish wish, int n_points, int *n_recalled)
{
    static struct contention_point point[BATCH_POINTS];
    static struct contention_outcome recalled[BATCH_POINTS], fresh[BATCH_POINTS];
    const struct contention_point largest = {.n = 6, .gpus = 4, .pipeline = CONTENTION_GPIPE};
    struct contention_batch *batch = calloc(1, sizeof *batch),
                            *other = calloc(1, sizeof *other);
    void *scratch =
        aligned_alloc(64, (contention_batch_scratch_bytes(&largest) + 63) / 64 * 64);
    *n_recalled = 0;
    memset(recalled, 0, sizeof recalled); // metrics that are not wanted are not written
    memset(fresh, 0, sizeof fresh);
    while (n_points > 0) {
        const int n = 1 + below(BATCH_POINTS);
        for (int k = 0; k < n; k++)
            point[k] = draw();
        contention_simulate_batch(batch, point, (size_t)n, wish, false, scratch, NULL,
                                  recalled);
        contention_simulate_batch(other, point, (size_t)n, wish, true, scratch, NULL, fresh);
        for (int k = 0; k < n; k++) {
            check_row(&point[k], &fresh[k].result, &recalled[k].result);
            *n_recalled += recalled[k].recalled;
            cr_assert_not(fresh[k].recalled);
        }
        n_points -= n;
    }
    free(scratch);
    free(batch);
    free(other);
}

// Catches a key without a value that the result depends on.
Test(contention_memo, recalled_results_are_those_of_the_point)
{
    const int all = n_cases(200000);
    int n;
    recall_many((struct contention_wish){0}, all, &n);
    cr_assert_gt(n, all / 15, "only %d points were recalled", n);
    recall_many((struct contention_wish){.metrics = CONTENTION_ALL,
                                         .sensitivity = true,
                                         .slopes = true},
                all / 4, &n);
    cr_assert_gt(n, all / 100, "only %d points were recalled", n);
}

// Catches keys that replace each other although there are free places: the points of a sweep
// that repeats, for example on an axis that does not affect the result.
Test(contention_memo, a_sweep_that_comes_again_is_known)
{
    static struct contention_point point[BATCH_POINTS];
    static struct contention_outcome outcome[BATCH_POINTS];
    const struct contention_scenarios weights = {.steps = 10};
    const int n = (int)contention_scenarios_count(&weights);
    struct contention_batch *batch = calloc(1, sizeof *batch);
    void *scratch = NULL;
    for (int gpus = 2; gpus <= 8; gpus++) {
        int n_recalled = 0;
        memset(&batch->memo, 0, sizeof batch->memo); // so that there is room
        for (int k = 0; k < n; k++) {
            point[k] = (struct contention_point){.n = 8,
                                                 .gpus = gpus,
                                                 .sync_freq = 1,
                                                 .fwd_len = 1,
                                                 .bwd_len = 2,
                                                 .prop_len = 1,
                                                 .sync_base_len = 2,
                                                 .fwd_impact = 0.2,
                                                 .bwd_impact = 0.2};
            contention_scenarios_value(&weights, (uint64_t)k, point[k].priority);
        }
        scratch = aligned_alloc(64, (contention_batch_scratch_bytes(point) + 63) / 64 * 64);
        for (int round = 0; round < 2; round++)
            contention_simulate_batch(batch, point, (size_t)n, (struct contention_wish){0},
                                      false, scratch, NULL, outcome);
        for (int k = 0; k < n; k++)
            n_recalled += outcome[k].recalled;
        // one sweep in ten has three keys that by chance have the same two places
        cr_expect_geq(n_recalled, n - 6, "gpus %d: only %d of %d", gpus, n_recalled, n);
        free(scratch);
    }
    free(batch);
}

static bool same_key(const struct contention_point *a, const struct contention_point *b)
{
    struct contention_key first, second;
    struct sim s = {.p = a};
    contention_constants(&s, a);
    contention_key(&s, 0, &first);
    s = (struct sim){.p = b};
    contention_constants(&s, b);
    contention_key(&s, 0, &second);
    return memcmp(&first, &second, sizeof first) == 0;
}

// Catches equal points that have different keys.
Test(contention_memo, what_cannot_matter_is_not_in_the_key)
{
    const struct contention_point usual = {8,
                                           4,
                                           1,
                                           {{1, 2, 1, 2}},
                                           0.2,
                                           0.2,
                                           CONTENTION_1F1B,
                                           CONTENTION_SHARED,
                                           true,
                                           {0.3, 0.3, 0.4},
                                           0};
    struct contention_point p = usual, q = usual;
    q.fwd_len = 4, q.bwd_len = 8, q.prop_len = 4, q.sync_base_len = 8;
    cr_assert(same_key(&p, &q), "scale");
    q.fwd_len = 4.5;
    cr_assert_not(same_key(&p, &q), "a length");

    p.sync_base_len = 0;
    q = p;
    q.fwd_impact = 0.5, q.bwd_impact = 0, q.priority[2] = -1;
    cr_assert(same_key(&p, &q), "nothing to synchronise");
    q.priority[0] = 0.4;
    cr_assert_not(same_key(&p, &q), "weights that compete");

    p = usual;
    p.gpus = 1;
    q = p;
    q.prop_len = 0.5, q.priority[0] = 1, q.priority[1] = -2, q.congestion = false;
    cr_assert(same_key(&p, &q), "one stage sends nothing");
    q.fwd_impact = 0.3;
    cr_assert_not(same_key(&p, &q), "an impact");

    p = usual;
    p.channels = CONTENTION_IDEAL;
    q = p;
    q.fwd_impact = 0.5, q.priority[0] = -1, q.priority[2] = 0, q.congestion = false;
    cr_assert(same_key(&p, &q), "ideal channels");
}
