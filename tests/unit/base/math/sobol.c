// SPDX-License-Identifier: Apache-2.0
// Sobol' sequences: known points, and the properties of nets that scrambling must keep.
#include "base/math/sobol.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double unit(uint64_t x)
{
    return (double)x * 0x1p-53;
}

// Points 0 ... 7 of three dimensions, computed by hand from the polynomials 1, x + 1 and x^2 +
// x + 1 with m = 1; 1, 3. Catches a recurrence that uses the wrong bits.
Test(sobol, the_first_points_are_known)
{
    static const double known[8][3] = {
        {0, 0, 0},
        {0.5, 0.5, 0.5},
        {0.25, 0.75, 0.75},
        {0.75, 0.25, 0.25},
        {0.125, 0.625, 0.375},
        {0.625, 0.125, 0.875},
        {0.375, 0.375, 0.625},
        {0.875, 0.875, 0.125},
    };
    struct pps_sobol *sobol = malloc(sizeof *sobol);
    pps_sobol_init(sobol);
    for (uint64_t k = 0; k < 8; k++)
        for (int d = 0; d < 3; d++)
            cr_assert_eq(unit(pps_sobol_at(sobol, k, d)), known[k][d], "point %d: %d: %g",
                         (int)k, d, unit(pps_sobol_at(sobol, k, d)));
    free(sobol);
}

// Catches an even m, a wrong degree or shift, and a matrix that is not invertible: 2^m points
// hit each of 2^m equal intervals once, in every dimension, from any aligned first point.
static void check_projections(const struct pps_sobol *sobol, uint64_t first)
{
    bool hit[1 << 12];
    for (int d = 0; d < PPS_SOBOL_DIMENSIONS; d++)
        for (int m = 0; m <= 12; m++) {
            memset(hit, 0, sizeof hit);
            for (uint64_t k = 0; k < (uint64_t)1 << m; k++) {
                const uint64_t x = pps_sobol_at(sobol, (first << m) + k, d);
                cr_assert_lt(x, (uint64_t)1 << 53);
                const uint64_t interval = x >> (53 - m);
                cr_assert(!hit[interval], "dimension %d, m %d", d, m);
                hit[interval] = true;
            }
        }
}

// The first two dimensions are a (0, 2)-sequence: each box of 2^-a by 2^-(m - a) has one point.
static void check_boxes(const struct pps_sobol *sobol, uint64_t first)
{
    bool hit[1 << 10];
    for (int m = 0; m <= 10; m++)
        for (int a = 0; a <= m; a++) {
            memset(hit, 0, sizeof hit);
            for (uint64_t k = 0; k < (uint64_t)1 << m; k++) {
                const uint64_t x = pps_sobol_at(sobol, (first << m) + k, 0) >> (53 - a);
                const uint64_t y = pps_sobol_at(sobol, (first << m) + k, 1) >> (53 - (m - a));
                const uint64_t box = x << (m - a) | y;
                cr_assert(!hit[box], "m %d, a %d", m, a);
                hit[box] = true;
            }
        }
}

Test(sobol, plain_and_scrambled_sequences_are_nets)
{
    struct pps_sobol *sobol = malloc(sizeof *sobol);
    for (uint64_t seed = 0; seed < 4; seed++) {
        pps_sobol_init(sobol);
        if (seed > 0)
            pps_sobol_scramble(sobol, seed, 2);
        check_projections(sobol, 0);
        check_projections(sobol, 5);
        check_boxes(sobol, 0);
        check_boxes(sobol, 3);
    }
    free(sobol);
}

// Catches a row of the table that repeats another row or is too short: no two dimensions are
// alike, and 4096 points hit each of the 8 x 8 boxes of any two dimensions.
Test(sobol, every_two_dimensions_fill_their_square)
{
    struct pps_sobol *sobol = malloc(sizeof *sobol);
    pps_sobol_init(sobol);
    pps_sobol_scramble(sobol, 7, 2);
    for (int d = 1; d < PPS_SOBOL_DIMENSIONS; d++)
        for (int e = 0; e < d; e++) {
            int count[64] = {0};
            for (uint64_t k = 0; k < 4096; k++)
                count[pps_sobol_at(sobol, k, d) >> 50 << 3 | pps_sobol_at(sobol, k, e) >> 50]++;
            for (int box = 0; box < 64; box++)
                cr_assert(count[box] > 0 && count[box] < 192, "%d and %d: %d", d, e,
                          count[box]);
        }
    free(sobol);
}

// The directions show the degrees of the polynomials and the odd numbers below 2^i: bit i of a
// point's number changes digit i + 1 and no digit below it.
Test(sobol, directions_are_triangular)
{
    struct pps_sobol *sobol = malloc(sizeof *sobol);
    pps_sobol_init(sobol);
    for (int d = 0; d < PPS_SOBOL_DIMENSIONS; d++)
        for (int b = 0; b < PPS_SOBOL_BITS; b++)
            cr_assert_eq(__builtin_ctzll(sobol->direction[d][b]), PPS_SOBOL_BITS - 1 - b);
    free(sobol);
}
