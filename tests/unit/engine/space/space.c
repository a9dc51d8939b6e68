// SPDX-License-Identifier: Apache-2.0
// The numbered space: counts, numbers to points, walking, rules.
#include "tests/unit/support/engine/experiments.h"
#include "tests/unit/support/engine/points.h"

#include "engine/space/value.h"
#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Spaces of every shape, small enough for complete walks.
static const char *const small[] = {
    "{}",
    "{\"n\": [8, 16], \"sync_freq\": [1, 2, 4, 32]}",
    "{\"n\": \"1..6\", \"sync_freq\": \"divisors(n)\", \"priority_step\": 0.5}",
    "{\"n\": [4, 6], \"sync_freq\": \"1..n\", \"gpus\": \"n/2\", \"bwd_len\": [1, 2]}",
    "{\"n\": \"1..9\", \"gpus\": \"n-3\", \"sync_freq\": \"1..n-4\", \"tiers\": [{}]}",
    "{\"gpus\": [2, 4], \"n\": \"2*gpus\", \"fwd_len\": [1, 2], \"sync_freq\": \"n/3\"}",
    "{\"fwd_len\": [1, 2], \"n\": [8, 4], \"bwd_len\": [2, 4], \"zip\": [\"fwd_len\", "
    "\"bwd_len\"]}",
    "{\"n\": [8, 16, 32], \"gpus\": [2, 4], \"where\": [\"n > 4*gpus\", \"p_fwd_prop != a\"]}",
    "{\"n\": \"1..40\", \"where\": \"n % 7 == 0\", \"sync_freq\": \"1..n\", \"priority_step\": "
    "1}",
    "{\"p_fwd_prop\": [0, 0.5, \"a\"], \"p_grad_prop\": [\"b\", 1], \"p_grad_sync\": 0.25, "
    "\"pipeline\": [\"gpipe\", \"1f1b\"], \"congestion\": [true, false]}",
    "{\"bwd_len\": {\"start\": 0.1, \"stop\": 0.7, \"step\": 0.1}, \"tiers\": \"all\"}",
};
enum { N_SMALL = sizeof small / sizeof *small };

static struct random state = {1};

static uint64_t points_of(const char *text)
{
    struct pps_experiment *e = load_good(text);
    const uint64_t n = e->n_points;
    pps_experiment_free(e);
    return n;
}

// Catches a wrong number of weights or scenarios.
Test(space, default_sweeps_have_the_known_sizes)
{
    cr_assert_eq(points_of("{}"), 66 + 11 + 11);
    cr_assert_eq(points_of("{\"priority_step\": 0.05}"), 231 + 21 + 21);
    cr_assert_eq(points_of("{\"priority_step\": 0.02}"), 1326 + 51 + 51);
    cr_assert_eq(points_of("{\"tiers\": [{}], \"priority_step\": 0.1}"), 66);
    cr_assert_eq(points_of("{\"tiers\": \"all\", \"priority_step\": 1}"),
                 3 + 3 * 2 + 3 * 3 * 1 + 13);
}

// Catches any error in the arithmetic from numbers to points.
Test(space, every_number_is_another_point)
{
    for (int s = 0; s < N_SMALL; s++) {
        struct pps_experiment *e = load_good(small[s]);
        struct numbered_points points = points_of_experiment(e);
        cr_assert(points_differ(&points), "%s", small[s]);
        free(points.sorted);
        pps_experiment_free(e);
    }
}

// The simple way: checks each point by itself, in the documented order of reasons.
static int refusal_of(const struct pps_experiment *e, struct pps_cursor *cursor, uint64_t k)
{
    pps_cursor_seek(cursor, &e->space, k);
    for (int d = 0; d < e->space.n_axes; d++) {
        if (cursor->level[d].refused)
            return e->space.range_reason[d];
        for (int r = 0; r < e->space.n_rules; r++)
            if ((e->space.rules_of[d] >> r & 1) != 0 &&
                pps_expr_value(e->space.rules[r].expr, cursor->point) == 0)
                return r;
    }
    const int reason = e->kernel->check(cursor->point, e->kernel->shared);
    return reason == 0 ? -1 : e->space.kernel_reason + reason - 1;
}

// Catches a skipped or repeated point, a wrong cell, and a count that depends on the start of a
// stretch.
Test(space, walking_in_any_stretches_meets_every_point_once)
{
    struct pps_cursor *walker = calloc(1, sizeof *walker);
    struct pps_cursor *single = calloc(1, sizeof *single);
    for (int s = 0; s < 3 * N_SMALL; s++) {
        const char *text = small[s % N_SMALL];
        struct pps_experiment *e = load_good(text);
        struct pps_left_out walked[PPS_MAX_REASONS] = {{0, 0}};
        uint64_t expected[PPS_MAX_REASONS] = {0};
        uint64_t next = 0;
        for (uint64_t first = 0, n; first < e->n_points; first += n) {
            n = 1 + random_bits(&state) % (40);
            if (n > e->n_points - first)
                n = e->n_points - first;
            pps_cursor_seek(walker, &e->space, first);
            while (pps_cursor_next(walker, first + n, walked)) {
                int reason;
                while ((reason = refusal_of(e, single, next)) >= 0) {
                    expected[reason]++;
                    next++;
                }
                cr_assert_eq(walker->index, next, "%s: met %llu, wanted %llu", text,
                             (unsigned long long)walker->index, (unsigned long long)next);
                cr_assert(pps_cursor_next(single, next + 1, walked));
                cr_assert_eq(walker->prefix_n, single->prefix_n);
                cr_assert_arr_eq(walker->prefix, single->prefix, walker->prefix_n);
                cr_assert_arr_eq(walker->point, single->point, sizeof single->point);
                next++;
                pps_cursor_step(walker);
            }
        }
        for (; next < e->n_points; next++) {
            const int reason = refusal_of(e, single, next);
            cr_assert_geq(reason, 0, "%s: %llu was not met", text, (unsigned long long)next);
            expected[reason]++;
        }
        for (int r = 0; r < e->space.n_reasons; r++)
            cr_assert_eq(walked[r].n, expected[r], "%s: %s: %llu, wanted %llu", text,
                         e->space.reasons[r], (unsigned long long)walked[r].n,
                         (unsigned long long)expected[r]);
        pps_experiment_free(e);
    }
    free(single);
    free(walker);
}

// Catches accumulated rounding in long ranges and slow seeks in large spaces.
Test(space, enormous_spaces_are_reached_by_arithmetic)
{
    static const char text[] =
        "{\"fwd_len\": {\"start\": 0.001, \"stop\": 1000000, \"step\": 0.001}, "
        "\"bwd_len\": {\"start\": 0.001, \"stop\": 1000000, \"step\": 0.001}, \"tiers\": [{}], "
        "\"priority_step\": 1}";
    struct pps_experiment *e = load_good(text);
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    cr_assert_eq(e->n_points, 3000000000000000000u);
    for (int i = 0; i < 20000; i++) {
        const uint64_t k = random_bits(&state) % (e->n_points);
        const double *lengths = &cursor->point[3]; // forward and backward, in steps of 0.001
        pps_cursor_seek(cursor, &e->space, k);
        const uint64_t forward = (uint64_t)round(lengths[0] * 1000) - 1;
        cr_assert_eq(forward * 1000000000 + (uint64_t)round(lengths[1] * 1000) - 1, k / 3);
        for (int p = 3; p <= 4; p++) {
            char cell[PPS_CELL_TEXT];
            const size_t n = pps_value_text(&e->kernel->params[p], cursor->point[p], cell);
            cr_assert_lt(n, 12, "%s", cell); // 7 digits, a point, 3 decimals
            cr_assert_eq(strtod(cell, NULL), cursor->point[p]);
        }
    }
    pps_experiment_free(e);
    free(cursor);
}

// Catches a rule that is tested point by point: 10^12 points would never end.
Test(space, rules_cut_whole_stretches)
{
    struct pps_experiment *e = load_good(
        "{\"n\": \"1..1000\", \"gpus\": \"1..1000\", \"bwd_len\": {\"start\": 1, \"stop\": "
        "1000000}, \"where\": \"n == 2*gpus && gpus > 499\", \"tiers\": [{}], "
        "\"priority_step\": 1}");
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    pps_cursor_seek(cursor, &e->space, 0);
    cr_assert(pps_cursor_next(cursor, e->n_points, left_out));
    cr_assert_eq(cursor->point[0], 1000);
    cr_assert_eq(cursor->point[1], 500);
    cr_assert_eq(left_out[0].n, (999ull * 1000 + 499) * 3000000);
    cr_assert_eq(left_out[0].n, cursor->index);
    pps_experiment_free(e);
    free(cursor);
}

// Catches an overflow that wraps round.
Test(space, more_than_2_to_63_points_are_refused)
{
    static const char *const huge[] = {
        "{\"fwd_len\": {\"start\": 1, \"stop\": 1e12}, \"bwd_len\": {\"start\": 1, \"stop\": "
        "1e12}}",
        "{\"fwd_len\": {\"start\": 1, \"stop\": 1e12}, \"n\": [1, 2, 3], \"sync_freq\": "
        "\"1..n\", \"bwd_len\": {\"start\": 1, \"stop\": 1e12}}",
    };
    for (int h = 0; h < 2; h++) {
        struct pps_experiment *e;
        struct pps_error err;
        cr_assert_eq(load_text(huge[h], &e, &err), PPS_E_INPUT);
        cr_assert_neq(strstr(err.text, "2^63"), NULL, "%s", err.text);
        cr_assert_null(e);
    }
}
