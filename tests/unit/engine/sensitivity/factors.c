// SPDX-License-Identifier: Apache-2.0
// The factors of grids: parameters that vary together are one factor.
#include "engine/sensitivity/factors.h"

#include <criterion/criterion.h>

// Weights p + q = 2 of 0, 1, 2 and n in {0, 1}: two factors.
Test(factors, weights_are_one_factor)
{
    const uint32_t p[] = {0, 1, 2, 0, 1, 2}, q[] = {2, 1, 0, 2, 1, 0}, n[] = {0, 0, 0, 1, 1, 1};
    const struct pps_factor_input params[] = {{p, 3}, {n, 2}, {q, 3}};
    struct pps_factors f;
    struct pps_error err;
    cr_assert_eq(pps_factors_find(&f, params, 3, 6, &err), PPS_OK);
    cr_assert(f.is_grid);
    cr_assert_eq(f.n, 2);
    cr_assert(f.of[0] == 0 && f.of[1] == 1 && f.of[2] == 0);
    cr_assert(f.levels[0] == 3 && f.levels[1] == 2);
    pps_factors_free(&f);
}

// Catches a grid with a repeated row in place of a missing one.
Test(factors, a_repeated_row_is_no_grid)
{
    const uint32_t p[] = {0, 0, 1, 1, 0, 0, 1, 1}, q[] = {0, 1, 0, 1, 0, 1, 0, 1},
                   n[] = {0, 0, 0, 0, 1, 1, 1, 0};
    const struct pps_factor_input params[] = {{p, 2}, {q, 2}, {n, 2}};
    struct pps_factors f;
    struct pps_error err;
    cr_assert_eq(pps_factors_find(&f, params, 3, 8, &err), PPS_OK);
    cr_assert(!f.is_grid);
    pps_factors_free(&f);
}

// Catches tables of pairs of a size that no memory has: every value occurs once.
Test(factors, a_sample_is_no_grid)
{
    enum { ROWS = 100000 };
    static uint32_t p[ROWS], q[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) {
        p[i] = i;
        q[i] = (i * 7919) % ROWS;
    }
    const struct pps_factor_input params[] = {{p, ROWS}, {q, ROWS}};
    struct pps_factors f;
    struct pps_error err;
    cr_assert_eq(pps_factors_find(&f, params, 2, ROWS, &err), PPS_OK);
    cr_assert(!f.is_grid);
    pps_factors_free(&f);
}
