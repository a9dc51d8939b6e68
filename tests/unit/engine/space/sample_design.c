// SPDX-License-Identifier: Apache-2.0
// Designs: which axes change between the draws of a group.
#include "tests/unit/support/engine/experiments.h"

#include "engine/space/sample_design.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const axes[] = {
    "\"n\": [8, 16, 32], \"sync_freq\": [1, 2, 4], \"tiers\": [{}], \"priority_step\": 0.1",
    ("\"n\": [8, 16], \"fwd_len\": {\"start\": 1, \"stop\": 2, \"continuous\": true}, "
     "\"pipeline\": [\"1f1b\", \"gpipe\"], \"bwd_len\": [1, 2, 3, 4, 5], \"gpus\": 4, "
     "\"prop_len\": {\"start\": 1, \"stop\": 2, \"continuous\": true}"),
    ("\"fwd_len\": [1, 2, 3], \"bwd_len\": [2, 4, 5], \"zip\": [\"fwd_len\", \"bwd_len\"], "
     "\"tiers\": [{}], \"priority_step\": 0.25"),
};
enum { N_AXES = sizeof axes / sizeof *axes, GROUPS = 50 };

static struct pps_experiment *load(const char *text, const char *method)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "{%s, \"sample\": {\"count\": %d, \"method\": \"%s\"}}", text,
             GROUPS, method);
    return load_good(whole);
}

static bool same_on_axis(const struct pps_space *space, int d, const struct pps_cursor *a,
                         const struct pps_cursor *b)
{
    for (int p = 0; p < space->kernel->n_params; p++)
        if ((space->axes[d].sets >> p & 1) != 0 && a->point[p] != b->point[p])
            return false;
    return true;
}

// A group is A, B, and A with one factor from B.
Test(sample_design, saltelli_mixes_two_draws)
{
    struct pps_cursor *a = calloc(3, sizeof *a), *b = a + 1, *mixed = a + 2;
    for (int s = 0; s < N_AXES; s++) {
        struct pps_experiment *e = load(axes[s], "saltelli");
        const struct pps_space *space = &e->space;
        const struct pps_sample *sample = space->sample;
        cr_assert_eq(sample->group, (uint64_t)sample->n_factors + 2);
        cr_assert_eq(e->n_points, GROUPS * sample->group);
        for (uint64_t j = 0; j < GROUPS; j++) {
            pps_cursor_seek(a, space, j * sample->group);
            pps_cursor_seek(b, space, j * sample->group + 1);
            for (int f = 0; f < sample->n_factors; f++) {
                pps_cursor_seek(mixed, space, j * sample->group + 2 + (uint64_t)f);
                for (int d = 0; d < space->n_axes; d++)
                    cr_assert(same_on_axis(space, d, mixed, sample->factors[f] == d ? b : a),
                              "%s: group %llu, factor %d, axis %d", axes[s],
                              (unsigned long long)j, f, d);
            }
        }
        pps_experiment_free(e);
    }
    free(a);
}

// From one draw to the next, the factor that pps_morris_moved names changes, and no other; each
// changes once in a trajectory.
Test(sample_design, morris_moves_one_factor)
{
    struct pps_cursor *before = calloc(2, sizeof *before), *now = before + 1;
    for (int s = 0; s < N_AXES; s++) {
        struct pps_experiment *e = load(axes[s], "morris");
        const struct pps_space *space = &e->space;
        const struct pps_sample *sample = space->sample;
        cr_assert_eq(e->n_points, GROUPS * ((uint64_t)sample->n_factors + 1));
        uint64_t moved = 0;
        for (uint64_t k = 0; k < e->n_points; k++) {
            const int f = pps_morris_moved(space, k);
            moved = k % sample->group == 0 ? 0 : moved;
            cr_assert_eq(f < 0, k % sample->group == 0);
            pps_cursor_seek(now, space, k);
            for (int d = 0; d < space->n_axes && f >= 0; d++)
                cr_assert_eq(same_on_axis(space, d, before, now), sample->factors[f] != d,
                             "%s: draw %llu, axis %d", axes[s], (unsigned long long)k, d);
            if (f >= 0) {
                cr_assert((moved >> f & 1) == 0);
                moved |= (uint64_t)1 << f;
            }
            pps_cursor_seek(before, space, k);
        }
        pps_experiment_free(e);
    }
    free(before);
}

// Catches a start that favours some values: 4 values of a factor, and its 2 directions, occur alike.
Test(sample_design, morris_uses_all_levels)
{
    struct pps_experiment *e =
        load_good("{\"n\": [8, 16, 32, 64], \"tiers\": [{}], \"priority_step\": 1, "
                  "\"sample\": {\"count\": 4000, \"method\": \"morris\"}}");
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    int seen[4] = {0};
    for (uint64_t k = 0; k < e->n_points; k++) {
        pps_cursor_seek(cursor, &e->space, k);
        seen[cursor->level[0].at]++;
    }
    for (int v = 0; v < 4; v++)
        cr_assert(abs(seen[v] - (int)e->n_points / 4) < 200, "%d: %d", v, seen[v]);
    free(cursor);
    pps_experiment_free(e);
}
