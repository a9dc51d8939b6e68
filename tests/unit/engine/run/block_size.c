// SPDX-License-Identifier: Apache-2.0
// Points of a block: limited by the work and the text of a block, but at least as many as a
// kernel runs together, and a few times that number if there are enough blocks.
#include "engine/run/row_maker.h"

#include "tests/unit/support/engine/experiments.h"

#include <criterion/criterion.h>
#include <stdio.h>

static uint64_t block_of(const char *text)
{
    struct pps_experiment *e = load_good(text);
    const uint64_t points = pps_block_points(e);
    pps_experiment_free(e);
    return points;
}

// Long points that cannot run in lanes: the last synchronisation covers fewer micro-batches.
Test(block_points, one_at_a_time)
{
    cr_assert_eq(block_of("{\"n\": 1000000, \"gpus\": 64, \"sync_freq\": 3}"), 1);
    cr_assert_eq(block_of("{\"n\": 2000, \"gpus\": 64, \"pipeline\": \"gpipe\"}"), 1);
}

Test(block_points, lanes_are_full)
{
    static const struct {
        const char *lengths;
        uint64_t points;
    } cases[] = {
        {"[1]", 8},                 // 88 points: eleven blocks
        {"\"1..2 step 0.1\"", 8},   // 968
        {"\"1..2 step 0.05\"", 24}, // 1848
        {"\"1..2 step 0.01\"", 32}, // 8888
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{\"n\": 2000, \"gpus\": 64, \"bwd_len\": %s, \"priority_step\": 0.1}",
                 cases[k].lengths);
        const uint64_t points = block_of(text);
        cr_expect_eq(points, cases[k].points, "%s: %llu points", text,
                     (unsigned long long)points);
    }
}

Test(block_points, short_points_fill_a_block_by_their_time)
{
    cr_assert_gt(block_of("{\"fwd_len\": \"1..2 step 0.0001\"}"), 1000);
}
