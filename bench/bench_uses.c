// SPDX-License-Identifier: Apache-2.0
// Measures the contention model for every use of it, as ratios to the plain reference simulator of
// the same points without metrics: sweeps of weights and random points, kinds of channels and
// orders, and metrics. Batches are simulated by lanes of AVX2 and by the widest lanes. One JSON
// line a use; CPU time, the least of several runs in turns.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/machine.h"
#include "kernels/contention/batch.h"
#include "kernels/contention/priority_scenarios.h"
#include "kernels/contention/reference/reference.h"

enum {
    POINTS = 8 * BATCH_POINTS,
    PLAIN_POINTS = 128, // that the reference simulates
    RUNS = 5,
    SWEEP = 88, // points of the default sweep
    N_SETS = 2, // of lanes
};

struct use {
    const char *name;
    struct contention_wish wish;
    bool random; // every point has lengths, impacts and weights of its own
    int32_t n, gpus, sync_freq;
    enum contention_pipeline pipeline;
    enum contention_channels channels;
    bool no_congestion;
};

static double draw(uint64_t *state, double low, double high)
{
    uint64_t bits = *state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return low + (high - low) * ((double)((bits ^ bits >> 31) >> 11) * 0x1p-53);
}

static void draw_point(struct contention_point *p, uint64_t *state)
{
    p->fwd_len = draw(state, 0.5, 2);
    p->bwd_len = draw(state, 1, 4);
    p->prop_len = draw(state, 0.2, 2);
    p->sync_base_len = draw(state, 0.5, 4);
    p->fwd_impact = draw(state, 0, 0.5);
    p->bwd_impact = draw(state, 0, 0.5);
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        p->priority[k] = draw(state, 0.05, 1);
}

// The points of a use. Points of the default sweep have weights of 88 scenarios; each sweep has a
// length of its own.
static void fill(const struct use *use, struct contention_point *points, uint64_t seed)
{
    const struct contention_scenarios all = {.steps = 10, .tiers = CONTENTION_TIERS_DEFAULT};
    uint64_t state = seed;
    for (int k = 0; k < POINTS; k++) {
        struct contention_point *p = &points[k];
        *p =
            (struct contention_point){.n = use->n,
                                      .gpus = use->gpus,
                                      .sync_freq = use->sync_freq,
                                      .fwd_len = 1,
                                      .bwd_len = 2 + (k / SWEEP) / 1024.0 + (double)seed / 8192,
                                      .prop_len = 1,
                                      .sync_base_len = 2,
                                      .fwd_impact = 0.2,
                                      .bwd_impact = 0.2,
                                      .pipeline = use->pipeline,
                                      .channels = use->channels,
                                      .congestion = !use->no_congestion};
        contention_scenarios_value(&all, (uint64_t)(k % SWEEP), p->priority);
        if (use->random)
            draw_point(p, &state);
    }
}

// Returns the CPU seconds of a point by batches.
static double time_batches(const struct use *use, enum contention_lanes_set set,
                           const struct contention_point *points,
                           struct contention_outcome *outcomes, void *scratch)
{
    struct contention_batch *batch = calloc(1, sizeof *batch);
    batch->set = set;
    contention_simulate_batch(batch, points, BATCH_POINTS, use->wish, false, scratch, NULL,
                              outcomes); // touches the memory
    memset(&batch->memo, 0, sizeof batch->memo);
    const double start = pps_cpu_seconds();
    for (int k = 0; k < POINTS; k += BATCH_POINTS)
        contention_simulate_batch(batch, points + k, BATCH_POINTS, use->wish, false, scratch,
                                  NULL, outcomes + k);
    const double seconds = (pps_cpu_seconds() - start) / POINTS;
    free(batch);
    return seconds;
}

// Returns the CPU seconds of a point by the reference. *differs: the greatest relative difference
// of a time to that of `outcomes`.
static double time_reference(const struct contention_point *points,
                             const struct contention_outcome *outcomes, double *differs)
{
    struct contention_result result;
    const double start = pps_cpu_seconds();
    for (int k = 0; k < PLAIN_POINTS; k++) {
        contention_reference(&points[k], false, NULL, NULL, &result);
        *differs = fmax(*differs, fabs(result.total_time / outcomes[k].result.total_time - 1));
    }
    return (pps_cpu_seconds() - start) / PLAIN_POINTS;
}

static bool measure(const struct use *use, int runs)
{
    static const enum contention_lanes_set sets[N_SETS] = {LANES_AVX2, LANES_WIDEST};
    static struct contention_point points[POINTS];
    static struct contention_outcome outcomes[POINTS];
    double least[N_SETS] = {HUGE_VAL, HUGE_VAL}, plain = HUGE_VAL, differs = 0;
    const struct contention_point largest = {.n = use->n,
                                             .gpus = use->gpus,
                                             .pipeline = use->pipeline};
    void *scratch =
        aligned_alloc(64, (contention_batch_scratch_bytes(&largest) + 63) / 64 * 64);
    for (int run = 0; run < runs; run++) {
        fill(use, points, (uint64_t)run);
        for (int k = 0; k < N_SETS; k++)
            if (contention_lanes_of(sets[k], use->gpus) != NULL)
                least[k] =
                    fmin(least[k], time_batches(use, sets[k], points, outcomes, scratch));
        plain = fmin(plain, time_reference(points, outcomes, &differs));
    }
    free(scratch);
    printf("{\"name\":\"contention_use\",\"use\":\"%s\",\"reference_us\":%.1f,\"avx2_us\":%.2f,"
           "\"us\":%.2f,\"avx2_ratio\":%.1f,\"ratio\":%.1f,\"results\":\"%s\"}\n",
           use->name, 1e6 * plain, 1e6 * least[0], 1e6 * least[1], plain / least[0],
           plain / least[1], differs <= 1e-9 ? "agree" : "differ");
    return differs <= 1e-9;
}

#define POINT .n = 8, .gpus = 4, .sync_freq = 1

int main(int argc, char **argv)
{
    static const struct contention_wish all = {.metrics = CONTENTION_ALL};
    const struct use uses[] = {
        {"default", POINT},
        {"default, all metrics", .wish = all, POINT},
        {"random", .random = true, POINT},
        {"random, all metrics", .random = true, .wish = all, POINT},
        {"random, bubble_ratio", .random = true, .wish = {.metrics = CONTENTION_BUSY}, POINT},
        {"random, exposed_comm", .random = true, .wish = {.metrics = CONTENTION_EXPOSED},
         POINT},
        {"random, latencies", .random = true, .wish = {.metrics = CONTENTION_LATENCY}, POINT},
        {"random, throttled_tasks", .random = true, .wish = {.metrics = CONTENTION_THROTTLED},
         POINT},
        {"random, peak_in_flight", .random = true, .wish = {.metrics = CONTENTION_PEAK}, POINT},
        {"random, ideal_time", .random = true, .wish = {.metrics = CONTENTION_IDEAL_TIME},
         POINT},
        {"random, critical parts", .random = true, .wish = {.metrics = CONTENTION_PARTS},
         POINT},
        {"random, derivatives", .random = true, .wish = {.slopes = true}, POINT},
        {"random, duplex", .random = true, POINT, .channels = CONTENTION_DUPLEX},
        {"random, ideal", .random = true, POINT, .channels = CONTENTION_IDEAL},
        {"random, gpipe", .random = true, POINT, .pipeline = CONTENTION_GPIPE},
        {"random, leftover", .random = true, .n = 8, .gpus = 4, .sync_freq = 3},
        {"random, no congestion", .random = true, POINT, .no_congestion = true},
        {"default, duplex", POINT, .channels = CONTENTION_DUPLEX},
        {"default, gpipe", POINT, .pipeline = CONTENTION_GPIPE},
        {"default, leftover", .n = 8, .gpus = 4, .sync_freq = 3},
        {"default, no congestion", POINT, .no_congestion = true},
    };
    const int runs = argc > 1 ? atoi(argv[1]) : RUNS;
    bool same = true;
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
        same = (argc > 2 && strstr(uses[k].name, argv[2]) == NULL) || measure(&uses[k], runs)
                   ? same
                   : false;
    return same ? 0 : 1;
}
