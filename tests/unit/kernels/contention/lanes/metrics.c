// SPDX-License-Identifier: Apache-2.0
// Metrics of points that lanes simulate: as in the simulation of one point, and equal bits in every
// width and whatever else is wanted.
#include "tests/unit/support/kernels/contention_compare.h"
#include "tests/unit/support/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/contention/batch.h"

static struct contention_point point[BATCH_POINTS];
static struct contention_outcome outcome[BATCH_POINTS], other[BATCH_POINTS];

static void draw(uint64_t round)
{
    for (uint64_t k = 0; k < BATCH_POINTS; k++) {
        point[k] = random_point(round * BATCH_POINTS + k);
        point[k].gpus = 2 + (int32_t)(k % 3);
    }
}

static void *room(void)
{
    const struct contention_point largest = {.n = 64, .gpus = 4, .pipeline = CONTENTION_GPIPE};
    return aligned_alloc(64, (contention_batch_scratch_bytes(&largest) + 63) / 64 * 64);
}

// Simulates the points in batches of a new worker.
static void simulate(enum contention_lanes_set set, unsigned metrics, void *scratch,
                     struct contention_outcome *to)
{
    struct contention_batch *batch = calloc(1, sizeof *batch);
    batch->set = set;
    memset(to, 0, BATCH_POINTS * sizeof *to);
    contention_simulate_batch(batch, point, BATCH_POINTS,
                              (struct contention_wish){.metrics = metrics}, false, scratch,
                              NULL, to);
    free(batch);
}

// Catches a metric that lanes watch otherwise, or that a jump or a fork loses.
Test(contention_lane_metrics, are_those_of_the_simulation_of_one_point)
{
    void *scratch = room();
    int sensitive = 0;
    for (int round = 0; round < n_rounds(12); round++) {
        draw((uint64_t)round);
        simulate(LANES_WIDEST, CONTENTION_ALL, scratch, outcome);
        for (int k = 0; k < BATCH_POINTS; k++) {
            struct contention_result r;
            contention_simulate(&point[k], true, true, scratch, NULL, &r);
            const double error = worst_error(&outcome[k].result, &r);
            if (error > TOLERANCE && is_sensitive(&point[k], error))
                sensitive++;
            else
                cr_expect_leq(error, TOLERANCE, "%s: %g, time %.17g", show(&point[k]), error,
                              r.total_time);
        }
    }
    free(scratch);
    cr_assert_leq(sensitive, n_rounds(12) * BATCH_POINTS / 100);
}

// Catches arithmetic that depends on the processor.
Test(contention_lane_metrics, have_the_same_bits_in_every_width)
{
    void *scratch = room();
    for (int round = 0; round < n_rounds(4); round++) {
        draw((uint64_t)round);
        simulate(LANES_PAIR, CONTENTION_ALL, scratch, outcome);
        for (int set = LANES_PAIR + 1; set < LANES_N_SETS; set++) {
            if (contention_lanes_of((enum contention_lanes_set)set, 4) == NULL)
                continue;
            simulate((enum contention_lanes_set)set, CONTENTION_ALL, scratch, other);
            for (int k = 0; k < BATCH_POINTS; k++)
                cr_assert(
                    memcmp(&outcome[k].result, &other[k].result, sizeof other[k].result) == 0,
                    "set %d: %s", set, show(&point[k]));
        }
    }
    free(scratch);
}

// Catches times that depend on metrics, and metrics that depend on others.
Test(contention_lane_metrics, change_no_time_and_no_other_metric)
{
    void *scratch = room();
    draw(0);
    simulate(LANES_WIDEST, CONTENTION_ALL, scratch, outcome);
    for (unsigned bit = 1; bit <= CONTENTION_ALL; bit <<= 1) {
        simulate(LANES_WIDEST, bit, scratch, other);
        for (int k = 0; k < BATCH_POINTS; k++) {
            const struct contention_result *all = &outcome[k].result, *one = &other[k].result;
            cr_assert(all->total_time == one->total_time, "%u: %s", bit, show(&point[k]));
            cr_assert(bit != CONTENTION_BUSY || all->bubble_ratio == one->bubble_ratio);
            cr_assert(bit != CONTENTION_EXPOSED || all->exposed_comm == one->exposed_comm);
            cr_assert(bit != CONTENTION_PORT || all->port_utilization == one->port_utilization);
            cr_assert(bit != CONTENTION_THROTTLED ||
                      all->throttled_tasks == one->throttled_tasks);
            cr_assert(bit != CONTENTION_PEAK || all->peak_in_flight == one->peak_in_flight);
            cr_assert(bit != CONTENTION_IDEAL_TIME || all->ideal_time == one->ideal_time);
            cr_assert(bit != CONTENTION_LATENCY ||
                      memcmp(all->latency, one->latency, sizeof all->latency) == 0);
            cr_assert(bit != CONTENTION_PARTS ||
                      memcmp(&all->critical, &one->critical, sizeof all->critical) == 0);
        }
    }
    free(scratch);
}
