// SPDX-License-Identifier: Apache-2.0
// Compares all kinds of lanes with each other, bit for bit, and with the simulation of one
// point.
#include "tests/unit/support/kernels/contention_points.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system/machine.h"
#include "kernels/contention/batch.h"
#include "kernels/contention/model/state.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

enum {
    JOBS = 4000,
    JOBS_LEAST = 600, // under sanitizers
    LOOK_LEAST = 24,  // micro-batches from which on lanes look for a period, and jump
};

// Numbers of stages that points are drawn with: few, or many.
static struct {
    int least, most;
} few = {2, LANE_GPUS_FEW}, many = {LANE_GPUS_FEW + 1, LANE_GPUS_MAX}, stages;

static struct random state = {11};

static int below(int end)
{
    return (int)(random_unit(&state) * end);
}

// Half of the lengths make events coincide.
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

// Most have fewer than 16.
static int draw_stages(void)
{
    const int end = stages.most > 16 && below(8) ? 16 : stages.most + 1;
    return stages.least + below(end - stages.least);
}

static struct contention_point draw(int most_n)
{
    struct contention_point p = {.n = 1 + below(most_n), .gpus = draw_stages()};
    do
        p.sync_freq = 1 + (below(2) ? 0 : below(p.n));
    while (p.n % p.sync_freq != 0 && (p.gpus > LANE_GPUS_FEW || below(3)));
    p.fwd_len = length();
    p.bwd_len = length();
    p.prop_len = length();
    p.sync_base_len = length();
    p.fwd_impact = below(3) ? random_unit(&state) * 0.9 : 0;
    p.bwd_impact = below(3) ? random_unit(&state) * 0.9 : 0;
    p.congestion = below(4) != 0;
    p.channels = (enum contention_channels)(below(2) ? CONTENTION_SHARED : below(3));
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        p.priority[k] = priority();
    return p;
}

static struct contention_point point[JOBS];
static struct contention_lane_job job[JOBS];

static int n_jobs(void)
{
    const int n = n_cases(JOBS);
    return n > JOBS_LEAST ? n : JOBS_LEAST;
}

// Points that lanes take.
static void fill(int most_n)
{
    for (int k = 0; k < n_jobs();) {
        point[k] = draw(most_n);
        struct sim s = {.p = &point[k]};
        contention_constants(&s, &point[k]);
        k += contention_lanes_fit(&s, false, &job[k].point);
    }
}

static void *take_room(void)
{
    return aligned_alloc(64, (contention_lanes_room_bytes(stages.most) + 63) / 64 * 64);
}

static void run_set(enum contention_lanes_set set)
{
    struct contention_lane_job *of[LANE_JOBS_MAX];
    void *room = take_room();
    for (int gpus = stages.least; gpus <= stages.most; gpus++) {
        size_t n = 0;
        for (int k = 0; k < n_jobs(); k++) {
            if (job[k].point.gpus == gpus)
                of[n++] = &job[k];
            if (n < LANE_JOBS_MAX && k < n_jobs() - 1)
                continue;
            cr_assert(contention_lanes_of(set, gpus)(of, n, room, NULL));
            n = 0;
        }
    }
    free(room);
}

static void check_widths(void)
{
    static struct contention_lane_job first[JOBS];
    fill(40);
    run_set(LANES_PAIR);
    for (int k = 0; k < n_jobs(); k++)
        first[k] = job[k];
    for (int set = LANES_PAIR + 1; set < LANES_N_SETS; set++) {
        if (contention_lanes_of((enum contention_lanes_set)set, stages.most) == NULL)
            continue;
        run_set((enum contention_lanes_set)set);
        for (int k = 0; k < n_jobs(); k++)
            cr_assert(
                job[k].status == first[k].status &&
                    (job[k].status == LANE_LEFT || (job[k].total_time == first[k].total_time &&
                                                    job[k].n_events == first[k].n_events)),
                "set %d: %s: %.17g, not %.17g", set, show(&point[k]), job[k].total_time,
                first[k].total_time);
    }
}

// Catches arithmetic that depends on the processor, and lanes that disturb each other: the
// points come to other lanes, beside other points, in each set.
Test(contention_lanes, every_width_gives_the_same_bits)
{
    stages = few;
    check_widths();
}

Test(contention_lanes, every_width_gives_the_same_bits_of_many_stages)
{
    stages = many;
    check_widths();
}

static void check_beginnings(int rounds)
{
    static struct contention_lane_job all[LANE_JOBS_MAX], one;
    struct contention_lane_job *of[LANE_JOBS_MAX], *only = &one;
    void *room = take_room();
    for (int round = 0; round < rounds; round++) {
        struct contention_point p = draw(40);
        const int32_t gpus = p.gpus;
        size_t n = 0;
        while (n < LANE_JOBS_MAX) {
            struct contention_point q = below(20) ? p : draw(40);
            for (int k = 0; k < CONTENTION_N_SHARING; k++)
                q.priority[k] = below(3) ? below(5) / 4.0 : priority();
            q.gpus = gpus;
            struct sim s = {.p = &q};
            contention_constants(&s, &q);
            if (contention_lanes_fit(&s, false, &all[n].point))
                n++;
            else if (below(100) == 0)
                p = draw(40);
        }
        for (size_t k = 0; k < n; k++)
            of[k] = &all[k];
        cr_assert(contention_lanes_of(LANES_WIDEST, gpus)(of, n, room, NULL));
        for (size_t k = 0; k < n; k++) {
            one.point = all[k].point;
            cr_assert(contention_lanes_of(LANES_WIDEST, gpus)(&only, 1, room, NULL));
            cr_assert(one.status == all[k].status && one.total_time == all[k].total_time &&
                          one.n_events == all[k].n_events,
                      "round %d job %zu: %.17g among others, %.17g alone", round, k,
                      all[k].total_time, one.total_time);
        }
    }
    free(room);
}

// Catches points that separate too late or from a wrong state: a point must have the same bits
// alone and among other points with an equal beginning.
Test(contention_lanes, shared_beginnings_change_nothing)
{
    stages = few;
    check_beginnings(n_rounds(60));
}

Test(contention_lanes, shared_beginnings_change_nothing_of_many_stages)
{
    stages = many;
    check_beginnings(n_rounds(60));
}

// A result that another order of rounding changes: lengths changed by a rounding show it.
static bool is_chaotic(const struct contention_point *p, void *scratch, double total_time)
{
    for (int k = 1; k <= 20; k++) {
        struct contention_point near = *p;
        struct contention_result r;
        near.fwd_len *= 1 + k * 0x1p-50;
        near.sync_base_len *= 1 - k * 0x1p-50;
        contention_simulate(&near, false, true, scratch, NULL, &r);
        if (fabs(r.total_time - total_time) > 1e-9 * total_time)
            return true;
    }
    return false;
}

static void check_agreement(int rounds, int *n_left, int *n_chaotic)
{
    const struct contention_point largest = {.n = 40, .gpus = stages.most};
    void *scratch = aligned_alloc(64, (contention_scratch_bytes(&largest) + 63) / 64 * 64);
    *n_left = *n_chaotic = 0;
    for (int round = 0; round < rounds; round++) {
        fill(40);
        run_set(LANES_PAIR);
        for (int k = 0; k < n_jobs(); k++) {
            struct contention_result r;
            *n_left += job[k].status == LANE_LEFT;
            if (job[k].status == LANE_LEFT)
                continue;
            contention_simulate(&point[k], false, true, scratch, NULL, &r);
            if (point[k].n < LOOK_LEAST)
                cr_assert_eq(job[k].n_events, r.n_events, "%s: %lld events, not %lld",
                             show(&point[k]), (long long)job[k].n_events,
                             (long long)r.n_events);
            if (fabs(job[k].total_time - r.total_time) <= 1e-9 * r.total_time)
                continue;
            cr_assert(is_chaotic(&point[k], scratch, r.total_time), "%s: %.17g, not %.17g",
                      show(&point[k]), job[k].total_time, r.total_time);
            ++*n_chaotic;
        }
    }
    free(scratch);
}

// Catches a rule of the model that the lanes do otherwise.
Test(contention_lanes, agree_with_the_simulation_of_one_point)
{
    int n_left, n_chaotic;
    stages = few;
    check_agreement(5, &n_left, &n_chaotic);
    cr_assert_lt(n_left, n_jobs() / 2, "%d points were left", n_left);
    cr_assert_leq(n_chaotic, 5 * n_jobs() / 1000, "%d points are chaotic", n_chaotic);
}

// Points of many stages are never left, but chaotic more often: so much that the reference
// differs from contention_simulate there just as far.
Test(contention_lanes, agree_with_the_simulation_of_one_point_of_many_stages)
{
    int n_left, n_chaotic;
    stages = many;
    check_agreement(3, &n_left, &n_chaotic);
    cr_assert_eq(n_left, 0, "%d points were left", n_left);
    cr_assert_leq(n_chaotic, 3 * n_jobs() * 3 / 100, "%d points are chaotic", n_chaotic);
}

// Would catch a processor of --version that is not the one whose code runs.
Test(lanes, the_reported_instructions_are_those_in_use)
{
    static const char *const names[] =
        {[LANES_PAIR] = "portable", [LANES_AVX2] = "avx2", [LANES_AVX512] = "avx512"};
    for (int set = LANES_PAIR; set < LANES_N_SETS; set++)
        if (contention_lanes_of((enum contention_lanes_set)set, 4) ==
            contention_lanes_of(LANES_WIDEST, 4))
            cr_expect_str_eq(pps_machine_vectors(), names[set]);
}
