// SPDX-License-Identifier: Apache-2.0
// Sweeps that keep the best rows only: the rows shown if no point is feasible, the counts, and
// that both are independent of threads and of pruning.
#include "tests/unit/support/engine/toy_rows.h"

#include "engine/run/sweep.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(only_top, .init = enter, .fini = leave);

// What x things need is 6 x; each point is there twice, and x = 13 is never finished.
#define SPACE(room_)                                                                           \
    "{\"kernel\": \"toy\", \"inputs\": {\"box\": " BOX ", \"place\": {\"room\": " room_        \
    "}}, \"x\": [9, 4, 13, 7, 2, 20, 31, 51], \"fast\": [false, true], \"factor\": [1, 2]}"

static double exact_bound(const double *point, const void *shared)
{
    (void)shared;
    return point[TOY_SIZE] * point[TOY_WEIGHT] * point[TOY_FACTOR] / point[TOY_X];
}

static enum pps_status keep_nothing(void *self, const struct pps_block *block,
                                    struct pps_error *err)
{
    (void)self, (void)block, (void)err;
    return PPS_OK;
}

// The toy, with a bound that is the time itself, and the least need as nearest to feasible.
static struct pps_totals sweep_toy(const char *text, uint64_t block_points, int threads,
                                   bool only_best)
{
    struct pps_experiment *e = load_good(text);
    struct pps_kernel kernel = *e->kernel;
    struct pps_column columns[TOY_COLUMNS];
    struct pps_totals totals;
    struct pps_error err = {.text = ""};
    memcpy(columns, toy_columns, sizeof columns);
    columns[TOY_NEED].goal = PPS_LOWER;
    kernel.columns = columns;
    kernel.nearest = "need";
    kernel.lower_bound = exact_bound;
    e->kernel = &kernel;
    e->nearest = TOY_NEED;
    const struct pps_sweep sweep = {.experiment = e,
                                    .block_points = block_points,
                                    .threads = threads,
                                    .sink = {NULL, keep_nothing},
                                    .stop = &never,
                                    .n_best = 1,
                                    .only_best = only_best};
    cr_assert_eq(pps_sweep_run(&sweep, &totals, &err), PPS_OK, "%s", err.text);
    cr_assert(totals.complete);
    pps_experiment_free(e);
    return totals;
}

static const char *only_row(struct pps_best_by_group *tops)
{
    size_t n;
    const struct pps_best_row *rows = pps_best_by_group_rows(tops, &n);
    cr_assert_leq(n, 1);
    return n == 1 ? rows[0].text : "none";
}

// Runs `check` on the sweep with blocks and threads of several numbers.
static void each_way(const char *text, bool only_best, void (*check)(struct pps_totals *totals))
{
    static const uint64_t blocks[] = {1, 3, 32};
    static const int threads[] = {1, 2, 7};
    for (size_t b = 0; b < 3; b++)
        for (size_t t = 0; t < 3; t++) {
            struct pps_totals totals = sweep_toy(text, blocks[b], threads[t], only_best);
            check(&totals);
            pps_totals_free(&totals);
        }
}

static void has_nearest(struct pps_totals *totals)
{
    cr_assert_str_eq(only_row(&totals->best), "none");
    cr_assert_str_eq(only_row(&totals->nearest), "2,false,1.0,,no,12");
    cr_assert_eq(totals->shortcuts.pruned, 0);
    cr_assert_eq(totals->counts.infeasible, 24);
    cr_assert_eq(totals->counts.failed, 4);
}

// Would catch a nearest row that is not shown, one of a higher index, and points that are spared
// though nothing has won yet.
Test(only_top, nearest_to_feasible)
{
    each_way(SPACE("11"), false, has_nearest);
    each_way(SPACE("11"), true, has_nearest);
}

static void has_winner(struct pps_totals *totals)
{
    cr_assert_str_eq(only_row(&totals->best), "4,false,1.0,1.50,yes,24");
    cr_assert_str_eq(only_row(&totals->nearest), "none");
    cr_assert_eq(totals->counts.rows + totals->shortcuts.pruned, 28);
    cr_assert_eq(totals->counts.left_out[0].n + totals->counts.left_out[1].n, 4);
    cr_assert_eq(pps_totals_computed(totals), totals->counts.rows);
}

// Which of the rows that do not fit are seen before one that does is chance, so none is told.
Test(only_top, nearest_is_told_only_where_nothing_wins)
{
    each_way(SPACE("30"), true, has_winner);
}

Test(only_top, a_bound_spares_points)
{
    struct pps_totals totals = sweep_toy(SPACE("60"), 1, 1, true);
    cr_assert_str_eq(only_row(&totals.best), "9,false,1.0,0.67,yes,54");
    cr_assert_gt(totals.shortcuts.pruned, 5);
    cr_assert_eq(pps_totals_computed(&totals) + totals.shortcuts.pruned, 28);
    pps_totals_free(&totals);
}
