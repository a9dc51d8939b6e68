// SPDX-License-Identifier: Apache-2.0
// Measures the speed of the contention model: the default priority sweep by batches and point
// by point against the reference, the same sweep by batches as stages grow, and the cost of an
// event as points grow. One JSON line a measurement; CPU time, the least of several runs;
// results are compared. Not a test: a slow machine is no failure, a wrong result is.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/machine.h"
#include "kernels/contention/batch.h"
#include "kernels/contention/model/model.h"
#include "kernels/contention/priority_scenarios.h"
#include "kernels/contention/reference/reference.h"

#define RUNS  7
#define STEPS 10 // of the weights: 66 points

static struct contention_point point_of(int32_t n, int32_t gpus)
{
    return (struct contention_point){.n = n,
                                     .gpus = gpus,
                                     .sync_freq = 1,
                                     .fwd_len = 1,
                                     .bwd_len = 2,
                                     .prop_len = 1,
                                     .sync_base_len = 2,
                                     .fwd_impact = 0.2,
                                     .bwd_impact = 0.2,
                                     .congestion = true,
                                     .priority = {0.3, 0.3, 0.4}};
}

// What all weights at step 0.1 add up to.
struct total {
    double time;
    double events;
};

static void add(struct total *total, const struct contention_result *result)
{
    total->time += result->total_time;
    total->events += (double)result->n_events;
}

static struct total sweep(struct contention_point p, void *scratch)
{
    struct total total = {0};
    struct contention_result result;
    for (int a = 0; a <= STEPS; a++)
        for (int b = 0; a + b <= STEPS; b++) {
            p.priority[0] = a / (double)STEPS;
            p.priority[1] = b / (double)STEPS;
            p.priority[2] = (STEPS - a - b) / (double)STEPS;
            contention_simulate(&p, false, true, scratch, NULL, &result);
            add(&total, &result);
        }
    return total;
}

// Least CPU seconds of `repeats` sweeps.
static double measure(const struct contention_point *p, void *scratch, int repeats,
                      struct total *total)
{
    double least = HUGE_VAL;
    for (int run = 0; run < RUNS; run++) {
        double start = pps_cpu_seconds();
        for (int k = 0; k < repeats; k++)
            *total = sweep(*p, scratch);
        least = fmin(least, pps_cpu_seconds() - start);
    }
    return least / repeats;
}

static void *room_for(const struct contention_point *p)
{
    return aligned_alloc(64, (contention_batch_scratch_bytes(p) + 63) / 64 * 64);
}

// ---- the default priority sweep -------------------------------------------------------------

enum {
    SWEEP = 88, // points: weights at step 0.1, without tiers, fwd_prop first, grad_prop first
    SWEEPS = 32,
};

// Sweeps of which each has lengths of its own, so that no point is seen twice.
static void fill_sweeps(struct contention_point *points, int sweeps, int32_t n, int32_t gpus)
{
    const struct contention_scenarios all = {.steps = STEPS, .tiers = CONTENTION_TIERS_DEFAULT};
    for (int k = 0; k < sweeps * SWEEP; k++) {
        points[k] = point_of(n, gpus);
        points[k].bwd_len = 2 + (k / SWEEP) / 1024.0;
        contention_scenarios_value(&all, (uint64_t)(k % SWEEP), points[k].priority);
    }
}

enum how {
    BATCH,
    ALONE,
    REFERENCE,
};

static void simulate(enum how how, const struct contention_point *points, size_t n,
                     struct contention_batch *batch, void *scratch,
                     struct contention_outcome *outcomes)
{
    if (how == BATCH)
        contention_simulate_batch(batch, points, n, (struct contention_wish){0}, false, scratch,
                                  NULL, outcomes);
    for (size_t k = 0; k < n && how != BATCH; k++)
        if (how == ALONE)
            contention_simulate(&points[k], false, false, scratch, NULL, &outcomes[k].result);
        else
            contention_reference(&points[k], false, NULL, NULL, &outcomes[k].result);
}

struct timing {
    double point_s;
    double sum;    // of all times of the first sweep
    double events; // of all sweeps, a point
};

// All points, in batches as large as the engine's.
static void simulate_all(enum how how, const struct contention_point *points, size_t n,
                         struct contention_batch *batch, void *scratch,
                         struct contention_outcome *outcomes)
{
    for (size_t k = 0; k < n; k += BATCH_POINTS)
        simulate(how, &points[k], n - k < BATCH_POINTS ? n - k : BATCH_POINTS, batch, scratch,
                 &outcomes[k]);
}

// Keeps the least CPU time of a point over some sweeps. First touches all the memory: a worker of
// a sweep does so once, not for every few hundred points.
static void time_sweeps(enum how how, int32_t n, int32_t gpus, int sweeps, struct timing *t)
{
    static struct contention_point points[SWEEPS * SWEEP];
    static struct contention_outcome outcomes[SWEEPS * SWEEP];
    const struct contention_point largest = point_of(n, gpus);
    const size_t n_points = (size_t)(sweeps * SWEEP);
    struct contention_batch *batch = calloc(1, sizeof *batch);
    void *scratch = room_for(&largest);
    fill_sweeps(points, sweeps, n, gpus);
    simulate_all(how, points, how == BATCH ? n_points : 1, batch, scratch, outcomes);
    memset(&batch->memo, 0, sizeof batch->memo); // as if never seen
    const double start = pps_cpu_seconds();
    simulate_all(how, points, n_points, batch, scratch, outcomes);
    t->point_s = fmin(t->point_s, (pps_cpu_seconds() - start) / (double)n_points);
    t->sum = 0;
    for (int k = 0; k < SWEEP; k++)
        t->sum += outcomes[k].result.total_time;
    t->events = 0;
    for (size_t k = 0; k < n_points; k++)
        t->events += (double)outcomes[k].result.n_events / (double)n_points;
    free(scratch);
    free(batch);
}

// The three ways, taken in turns; false: their results differ.
static bool compare(int32_t n)
{
    struct timing t[] = {{HUGE_VAL, 0, 0}, {HUGE_VAL, 0, 0}, {HUGE_VAL, 0, 0}};
    for (int run = 0; run < RUNS; run++) {
        time_sweeps(BATCH, n, 4, SWEEPS, &t[BATCH]);
        time_sweeps(ALONE, n, 4, 4, &t[ALONE]);
        time_sweeps(REFERENCE, n, 4, 1, &t[REFERENCE]);
    }
    const double of = t[REFERENCE].sum;
    const bool same =
        fabs(t[BATCH].sum - of) <= 1e-9 * of && fabs(t[ALONE].sum - of) <= 1e-9 * of;
    printf("{\"name\":\"contention\",\"n\":%d,\"gpus\":4,\"points_per_s\":%.0f,"
           "\"us_per_point\":%.3f,\"alone_us_per_point\":%.3f,\"reference_us_per_point\":%.3f,"
           "\"ratio\":%.1f,\"alone_ratio\":%.1f,\"results\":\"%s\"}\n",
           n, 1 / t[BATCH].point_s, 1e6 * t[BATCH].point_s, 1e6 * t[ALONE].point_s,
           1e6 * t[REFERENCE].point_s, t[REFERENCE].point_s / t[BATCH].point_s,
           t[REFERENCE].point_s / t[ALONE].point_s, same ? "agree" : "differ");
    return same;
}

// ---- stages ---------------------------------------------------------------------------------

static double ns_per_event(const struct timing *t)
{
    return 1e9 * t->point_s / t->events;
}

// Sweeps by batches and point by point, in turns, over numbers of stages. Events are
// counted in the simulation point by point, also for batches, which may need fewer events.
static void compare_stages(int32_t n)
{
    static const int32_t gpus[] = {4, 8, 16, 32, 64};
    enum { N_GPUS = sizeof gpus / sizeof *gpus };
    struct timing batch[N_GPUS], alone[N_GPUS];
    for (int k = 0; k < N_GPUS; k++)
        batch[k].point_s = alone[k].point_s = HUGE_VAL;
    for (int run = 0; run < 3; run++)
        for (int k = 0; k < N_GPUS; k++) {
            time_sweeps(BATCH, n, gpus[k], gpus[k] < 16 ? 8 : 4, &batch[k]);
            time_sweeps(ALONE, n, gpus[k], 1, &alone[k]);
        }
    for (int k = 0; k < N_GPUS; k++) {
        batch[k].events = alone[k].events;
        printf("{\"name\":\"contention_stages\",\"n\":%d,\"gpus\":%d,\"us_per_point\":%.1f,"
               "\"ns_per_event\":%.1f,\"alone_ns_per_event\":%.1f,\"alone_ratio\":%.2f,"
               "\"of_4_gpus\":%.2f}\n",
               n, gpus[k], 1e6 * batch[k].point_s, ns_per_event(&batch[k]),
               ns_per_event(&alone[k]), alone[k].point_s / batch[k].point_s,
               ns_per_event(&batch[k]) / ns_per_event(&batch[0]));
    }
}

// ---- growth ---------------------------------------------------------------------------------

static void grow(int32_t n, int32_t gpus)
{
    struct contention_point p = point_of(n, gpus);
    struct total total = {0};
    void *scratch = room_for(&p);
    double seconds = measure(&p, scratch, 1 + 2048 / (n * gpus), &total);
    free(scratch);
    printf("{\"name\":\"contention_growth\",\"n\":%d,\"gpus\":%d,\"ns_per_event\":%.1f,"
           "\"events_per_point\":%.0f}\n",
           n, gpus, 1e9 * seconds / total.events,
           total.events * 2 / ((STEPS + 1) * (STEPS + 2)));
}

// The cost of points that are `p` but for their weights and n, with jumps over what repeats.
static void jump(struct contention_point p, int32_t n)
{
    struct contention_point points[STEPS + 1];
    struct contention_outcome outcomes[STEPS + 1];
    struct contention_batch *batch = calloc(1, sizeof *batch);
    double least = HUGE_VAL, events = 0;
    p.n = n;
    void *scratch = room_for(&p);
    for (int a = 0; a <= STEPS; a++) {
        points[a] = p;
        points[a].priority[0] = a / (double)STEPS;
        points[a].priority[1] = points[a].priority[2] = (STEPS - a) / (2.0 * STEPS);
    }
    for (int run = 0; run < (p.gpus < 64 ? RUNS : 3); run++) {
        memset(&batch->memo, 0, sizeof batch->memo); // as if never seen
        const double start = pps_cpu_seconds();
        simulate(BATCH, points, STEPS + 1, batch, scratch, outcomes);
        least = fmin(least, pps_cpu_seconds() - start);
    }
    for (int a = 0; a <= STEPS; a++)
        events += (double)outcomes[a].result.n_events;
    free(scratch);
    free(batch);
    printf("{\"name\":\"contention_jump\",\"n\":%d,\"gpus\":%d,\"sync_freq\":%d,"
           "\"prop_len\":%g,\"sync_base_len\":%g,\"us_per_point\":%.1f,"
           "\"simulated_events_per_point\":%.0f}\n",
           n, p.gpus, p.sync_freq, p.prop_len, p.sync_base_len, 1e6 * least / (STEPS + 1),
           events / (STEPS + 1));
}

// Where stages are many, most points with transfers as long as compute never repeat; with shorter
// ones these do, at all weights.
static void jump_all(void)
{
    struct contention_point p = point_of(1, 4);
    for (int32_t n = 100; n <= 1000000; n *= 10)
        jump(p, n);
    static const struct {
        int32_t gpus, sync_freq;
        double prop_len, sync_base_len, impact;
    } of[] = {{8, 1, 0.25, 0.5, 0.2},
              {8, 8, 0.25, 0.5, 0.2},
              {16, 1, 0.25, 0.5, 0},
              {64, 1, 0.1, 1, 0.2}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        p = point_of(1, of[k].gpus);
        p.sync_freq = of[k].sync_freq;
        p.prop_len = of[k].prop_len;
        p.sync_base_len = of[k].sync_base_len;
        p.fwd_impact = p.bwd_impact = of[k].impact;
        for (int32_t n = 1000; n <= 1000000; n *= 1000)
            jump(p, n);
    }
}

int main(void)
{
    bool same = compare(8);
    same = compare(64) && same;
    compare_stages(64);
    compare_stages(256);
    for (int32_t n = 8; n <= 512; n *= 4)
        grow(n, 4);
    for (int32_t gpus = 4; gpus <= 64; gpus *= 2)
        grow(64, gpus);
    jump_all();
    return same ? 0 : 1;
}
