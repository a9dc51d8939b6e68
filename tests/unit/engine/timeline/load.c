// SPDX-License-Identifier: Apache-2.0
// Loads over bins: sums of rates, bins that grow with the time, and parts of a timeline.
#include "engine/timeline/load.h"

#include <criterion/criterion.h>
#include <math.h>

static struct pps_piece piece(int32_t group, int32_t track, double start, double end,
                              double rate)
{
    return (struct pps_piece){.group = group,
                              .track = track,
                              .start = start,
                              .end = end,
                              .rate = rate};
}

static void add(struct pps_load *load, struct pps_piece p)
{
    cr_assert(pps_load_add(load, &p));
}

// Returns the work of a lane up to `end`: the mean times the time.
static double work_of(const struct pps_load *load, int32_t group, int32_t track, double end)
{
    return pps_load_mean(load, group, track, 0, PPS_LOAD_BINS, end) * (end - load->begin);
}

// Catches work that is lost or counted twice when bins become wider, and lanes that are mixed up.
Test(load, no_work_is_lost)
{
    struct pps_load load = {.n_tracks = 2};
    double end = 0, worth = 0;
    for (int i = 0; i < 40; i++) { // the time doubles eight times or more
        const double start = end;
        end = start + 0.01 * pow(1.4, i);
        add(&load, piece(i % 3, i % 2, start, end, 0.5));
        worth += 0.5 * (end - start);
        double sum = 0;
        for (int32_t lane = 0; lane < 6; lane++)
            sum += (size_t)(lane / 2) < load.n_groups ? work_of(&load, lane / 2, lane % 2, end)
                                                      : 0;
        cr_assert_float_eq(sum, worth, 1e-4 * worth, "%d: %g of %g", i, sum, worth);
        cr_assert_gt(pps_load_bins(&load, end), PPS_LOAD_BINS / 2 - 1, "%d: too few bins", i);
        cr_assert_leq(end, load.width * PPS_LOAD_BINS);
    }
    cr_assert(pps_load_has(&load, 0, 0) && pps_load_has(&load, 2, 1));
    pps_load_free(&load);
}

// Catches bins of the wrong place, rates that are not summed, and a last bin that counts time after
// the end.
Test(load, bins_are_where_the_tasks_are)
{
    struct pps_load load = {.n_tracks = 1, .begin = 100};
    add(&load, piece(0, 0, 100, 1060, 1));
    add(&load, piece(0, 0, 200, 300, 0.25));
    cr_assert_eq(load.width, 1);
    cr_expect_eq(pps_load_mean(&load, 0, 0, 0, 100, 1060), 1);
    cr_expect_eq(pps_load_mean(&load, 0, 0, 100, 100, 1060), 1.25);
    cr_expect_eq(pps_load_mean(&load, 0, 0, 900, 124, 1060), 1, "60 of 124 bins are covered");
    cr_expect_eq(pps_load_mean(&load, 7, 0, 0, 1, 1060), 0, "no such group");
    cr_expect_eq(pps_load_bins(&load, 1060), 960);
    cr_expect_eq(pps_load_bins(&load, 100.5), 1);
    pps_load_free(&load);
}

// Catches endless loops and undefined conversions at the ends of the range of doubles.
Test(load, extreme_times)
{
    struct pps_load load = {.n_tracks = 1};
    cr_expect_eq(pps_load_bins(&load, 1), 0, "nothing yet");
    add(&load, piece(0, 0, 0, 0, 1));
    add(&load, piece(0, 0, 0, 1e-300, 1));
    cr_expect_float_eq(pps_load_mean(&load, 0, 0, 0, PPS_LOAD_BINS, 1e-300), 1, 1e-6);
    add(&load, piece(0, 0, 1e-300, 1e300, 1));
    cr_expect_float_eq(pps_load_mean(&load, 0, 0, 0, PPS_LOAD_BINS, 1e300), 1, 1e-6);
    pps_load_free(&load);
}
