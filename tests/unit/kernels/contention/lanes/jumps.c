// SPDX-License-Identifier: Apache-2.0
// Jumps in lanes: jumps do not change results and depend only on the point.
#include "tests/unit/support/kernels/contention_points.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/contention/batch.h"
#include "kernels/contention/model/state.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

static struct random state = {5};

static int below(int end)
{
    return (int)(random_unit(&state) * end);
}

// Numbers of stages that points are drawn with: few, or many.
static struct {
    int least, most;
} few = {2, LANE_GPUS_FEW}, many = {LANE_GPUS_FEW + 1, 20}, stages;

static double length(void)
{
    static const double usual[] = {0.25, 0.5, 1, 1.5, 2, 3};
    return below(2) ? usual[below(6)] : 0.05 + 3 * random_unit(&state);
}

static double priority(void)
{
    switch (below(4)) {
    case 0:
        return 0;
    case 1:
        return -1 - below(3);
    default:
        return below(2) ? below(11) / 10.0 : random_unit(&state);
    }
}

// A point of at least 30 micro-batches; of one in four the synchronisations are long.
static struct contention_point draw(int most_n)
{
    struct contention_point p = {.n = 30 + below(most_n - 29),
                                 .gpus = stages.least + below(stages.most + 1 - stages.least)};
    do
        p.sync_freq = 1 + (below(2) ? 0 : below(12));
    while (p.n % p.sync_freq != 0 && (p.gpus > LANE_GPUS_FEW || below(3)));
    p.fwd_len = length();
    p.bwd_len = length();
    p.prop_len = length();
    p.sync_base_len = length() * (below(4) ? 1 : 4);
    p.fwd_impact = below(3) ? random_unit(&state) * 0.9 : 0;
    p.bwd_impact = below(3) ? random_unit(&state) * 0.9 : 0;
    p.congestion = below(4) != 0;
    p.channels = (enum contention_channels)(below(2) ? CONTENTION_SHARED : below(3));
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        p.priority[k] = priority();
    return p;
}

static bool fit(const struct contention_point *p, struct contention_lane_job *job)
{
    struct sim s = {.p = p};
    contention_constants(&s, p);
    return contention_lanes_fit(&s, false, &job->point);
}

static struct contention_point draw_fit(int most_n, struct contention_lane_job *job)
{
    struct contention_point p;
    do
        p = draw(most_n);
    while (!fit(&p, job));
    return p;
}

// Runs jobs of any numbers of stages, in the order they have.
static void run_in(enum contention_lanes_set set, struct contention_lane_job *job, int n)
{
    static void *room;
    struct contention_lane_job *of[LANE_JOBS_MAX];
    if (room == NULL)
        room = aligned_alloc(64, (contention_lanes_room_bytes(LANE_GPUS_MAX) + 63) / 64 * 64);
    for (int gpus = 2; gpus <= LANE_GPUS_MAX; gpus++) {
        size_t n_of = 0;
        for (int k = 0; k < n; k++)
            if (job[k].point.gpus == gpus)
                of[n_of++] = &job[k];
        cr_assert(contention_lanes_of(set, gpus)(of, n_of, room, NULL));
    }
}

static void run_all(struct contention_lane_job *job, int n)
{
    run_in(LANES_WIDEST, job, n);
}

static bool same_end(const struct contention_lane_job *a, const struct contention_lane_job *b)
{
    return a->status == b->status &&
           (a->status == LANE_LEFT ||
            (a->total_time == b->total_time && a->n_events == b->n_events));
}

// A result that another order of rounding changes: lengths changed by a rounding show it.
static bool is_chaotic(const struct contention_point *p, double total_time)
{
    for (int k = 1; k <= 20; k++) {
        struct contention_lane_job near;
        struct contention_point q = *p;
        q.fwd_len *= 1 + k * 0x1p-50;
        q.sync_base_len *= 1 - k * 0x1p-50;
        cr_assert(fit(&q, &near));
        near.point.jumps = false;
        run_all(&near, 1);
        if (fabs(near.total_time - total_time) > 1e-9 * total_time)
            return true;
    }
    return false;
}

static struct contention_point point[LANE_JOBS_MAX];
static struct contention_lane_job job[LANE_JOBS_MAX], other[LANE_JOBS_MAX];

// Points of a round; fewer under sanitizers.
static int n_jobs(void)
{
    return 40 + n_cases(LANE_JOBS_MAX - 40);
}

static void check_change_no_result(void)
{
    double all = 0, simulated = 0;
    int n_chaotic = 0, n_done = 0;
    const int rounds = n_rounds(stages.least == few.least ? 24 : 6);
    for (int round = 0; round < rounds; round++) {
        for (int k = 0; k < n_jobs(); k++) {
            point[k] = draw_fit(below(2) ? 200 : 2000, &job[k]);
            other[k].point = job[k].point;
            other[k].point.jumps = false;
        }
        run_all(job, n_jobs());
        run_all(other, n_jobs());
        for (int k = 0; k < n_jobs(); k++) {
            const double full = other[k].total_time;
            if (job[k].status == LANE_LEFT || other[k].status == LANE_LEFT)
                continue;
            n_done++;
            all += (double)other[k].n_events;
            simulated += (double)job[k].n_events;
            if (fabs(job[k].total_time - full) <= 1e-9 * full)
                continue;
            cr_expect(is_chaotic(&point[k], full), "%s: %.17g with jumps, %.17g without",
                      show(&point[k]), job[k].total_time, full);
            n_chaotic++;
        }
    }
    cr_assert_gt(n_done, rounds * n_jobs() / 2);
    cr_assert_leq(n_chaotic, 1 + rounds * n_jobs() / 500, "%d are chaotic", n_chaotic);
    cr_assert_lt(simulated, (stages.least == few.least ? 0.6 : 0.9) * all,
                 "%.0f of %.0f events are simulated", simulated, all);
}

// Catches jumps out of a state that only seems to repeat, over too much, or with a wrong clock.
Test(contention_lane_jumps, change_no_result)
{
    stages = few;
    check_change_no_result();
}

Test(contention_lane_jumps, change_no_result_with_many_stages)
{
    stages = many;
    check_change_no_result();
}

static void check_have_the_same_bits_in_every_width(void)
{
    for (int round = 0; round < n_rounds(stages.least == few.least ? 8 : 3); round++) {
        for (int k = 0; k < n_jobs(); k++) {
            point[k] = draw_fit(400, &job[k]);
            other[k].point = job[k].point;
        }
        run_in(LANES_PAIR, job, n_jobs());
        for (int set = LANES_PAIR + 1; set < LANES_N_SETS; set++) {
            if (contention_lanes_of((enum contention_lanes_set)set, stages.most) == NULL)
                continue;
            run_in((enum contention_lanes_set)set, other, n_jobs());
            for (int k = 0; k < n_jobs(); k++)
                cr_assert(same_end(&job[k], &other[k]), "set %d: %s: %.17g, not %.17g", set,
                          show(&point[k]), other[k].total_time, job[k].total_time);
        }
    }
}

// Catches looks that depend on the lane, or on the processor.
Test(contention_lane_jumps, have_the_same_bits_in_every_width)
{
    stages = few;
    check_have_the_same_bits_in_every_width();
}

Test(contention_lane_jumps, have_the_same_bits_in_every_width_with_many_stages)
{
    stages = many;
    check_have_the_same_bits_in_every_width();
}

static void check_do_not_depend_on_shared_beginnings(void)
{
    for (int round = 0; round < n_rounds(stages.least == few.least ? 30 : 8); round++) {
        struct contention_point p = draw_fit(300, &job[0]);
        for (int k = 1; k < n_jobs(); k++)
            do {
                if (below(40) == 0)
                    p = draw_fit(300, &job[k]);
                point[k] = p;
                for (int kind = 0; kind < CONTENTION_N_SHARING; kind++)
                    point[k].priority[kind] = below(3) ? below(5) / 4.0 : priority();
            } while (!fit(&point[k], &job[k]));
        point[0] = point[1];
        job[0].point = job[1].point;
        run_all(job, n_jobs());
        for (int k = 0; k < n_jobs(); k++) {
            other[0].point = job[k].point;
            run_all(other, 1);
            cr_assert(same_end(&job[k], &other[0]), "%s: %.17g among others, %.17g alone",
                      show(&point[k]), job[k].total_time, other[0].total_time);
        }
    }
}

// Catches histories that depend on the points that a point began with.
Test(contention_lane_jumps, do_not_depend_on_shared_beginnings)
{
    stages = few;
    check_do_not_depend_on_shared_beginnings();
}

Test(contention_lane_jumps, do_not_depend_on_shared_beginnings_with_many_stages)
{
    stages = many;
    check_do_not_depend_on_shared_beginnings();
}

static void check_scale_by_powers_of_two(void)
{
    double scale[LANE_JOBS_MAX];
    for (int k = 0; k < n_jobs(); k++) {
        scale[k] = ldexp(1, below(40) - 20);
        point[k] = draw_fit(500, &job[k]);
        point[k].fwd_len *= scale[k];
        point[k].bwd_len *= scale[k];
        point[k].prop_len *= scale[k];
        point[k].sync_base_len *= scale[k];
        cr_assert(fit(&point[k], &other[k]));
    }
    run_all(job, n_jobs());
    run_all(other, n_jobs());
    for (int k = 0; k < n_jobs(); k++)
        cr_assert(job[k].status == other[k].status &&
                      (job[k].status == LANE_LEFT ||
                       (job[k].total_time * scale[k] == other[k].total_time &&
                        job[k].n_events == other[k].n_events)),
                  "%s: scaled by %g", show(&point[k]), scale[k]);
}

// Catches tolerances that are not in units of the point.
Test(contention_lane_jumps, scale_by_powers_of_two)
{
    stages = few;
    check_scale_by_powers_of_two();
}

Test(contention_lane_jumps, scale_by_powers_of_two_with_many_stages)
{
    stages = many;
    check_scale_by_powers_of_two();
}

static void check_exact_has_none(void)
{
    static struct contention_batch batch;
    const struct contention_point largest = {.n = 500, .gpus = stages.most};
    void *scratch =
        aligned_alloc(64, (contention_batch_scratch_bytes(&largest) + 63) / 64 * 64);
    struct contention_outcome outcome;
    int fewer = 0;
    const int n = 20 + n_cases(80);
    for (int k = 0; k < n; k++) {
        point[k] = draw_fit(500, &job[k]);
        other[k].point = job[k].point;
        other[k].point.jumps = false;
        run_all(&job[k], 1);
        run_all(&other[k], 1);
        fewer += job[k].n_events < other[k].n_events;
        if (other[k].status == LANE_LEFT)
            continue;
        contention_simulate_batch(&batch, &point[k], 1, (struct contention_wish){0}, true,
                                  scratch, NULL, &outcome);
        cr_assert(outcome.result.total_time == other[k].total_time &&
                      outcome.result.n_events == other[k].n_events,
                  "%s", show(&point[k]));
    }
    free(scratch);
    cr_assert_gt(fewer, n / 5);
}

// Catches jumps that `exact` does not disable.
Test(contention_lane_jumps, exact_has_none)
{
    stages = few;
    check_exact_has_none();
}

Test(contention_lane_jumps, exact_has_none_with_many_stages)
{
    stages = many;
    check_exact_has_none();
}

static void check_bound_the_events_of_long_points(void)
{
    for (int pile = 0; pile < 2; pile++) {
        struct contention_point p = {.n = 1000000,
                                     .gpus = 4,
                                     .sync_freq = 1,
                                     .fwd_len = 1,
                                     .bwd_len = 2,
                                     .prop_len = 1,
                                     .sync_base_len = pile ? 6 : 2,
                                     .fwd_impact = 0.2,
                                     .bwd_impact = 0.2,
                                     .congestion = true,
                                     .priority = {0.4, 0.4, 0.2}};
        struct contention_result r;
        void *scratch = aligned_alloc(64, (contention_scratch_bytes(&p) + 63) / 64 * 64);
        cr_assert(fit(&p, &job[0]));
        run_all(job, 1);
        contention_simulate(&p, false, false, scratch, NULL, &r);
        free(scratch);
        cr_assert(job[0].status == LANE_DONE);
        cr_assert_lt(job[0].n_events, 20000, "%lld events", (long long)job[0].n_events);
        cr_assert_float_eq(job[0].total_time, r.total_time, 1e-9 * r.total_time,
                           "%.17g, not %.17g", job[0].total_time, r.total_time);
    }
}

// Catches piles of synchronisations that end one by one, and points whose cost grows with n.
Test(contention_lane_jumps, bound_the_events_of_long_points)
{
    stages = few;
    check_bound_the_events_of_long_points();
}
