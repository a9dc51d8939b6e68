// SPDX-License-Identifier: Apache-2.0
// The memory of a point.
#include "kernels/schedule/family_names.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <string.h>

extern const struct pps_kernel pps_kernel_schedule;

static void set_defaults(double value[N_PARAMS])
{
    for (int k = 0; k < N_PARAMS; k++)
        value[k] = schedule_params[k].fallback;
}

// Searches once held memory for problems that they never solve: 28 MiB.
Test(schedule_scratch, is_small)
{
    double value[N_PARAMS];
    set_defaults(value);
    value[P_P] = 32, value[P_M] = 256, value[P_V] = 2;
    for (int i = 0; i < FAMILY_NAME_ORDER; i++) {
        value[P_FAMILY] = i;
        const size_t bytes = pps_kernel_schedule.scratch_bytes(value, NULL);
        cr_assert_leq(bytes, 13 << 20, "%s: %zu bytes", schedule_family_names[i], bytes);
    }
}

// The memory for the largest values of an experiment serves every point. The memory of exact searches once
// depended on the shape by rounding, so that a smaller shape could need more; and the memory for schedules with
// and without compat was that of the published ones, which need less.
Test(schedule_scratch, of_the_largest_values_serves_all_points)
{
    struct random r = {5};
    for (int round = 0; round < 200; round++) {
        double highest[N_PARAMS], value[N_PARAMS];
        set_defaults(highest);
        highest[P_FAMILY] = (double)random_below(&r, FAMILY_NAME_ORDER);
        highest[P_P] = 1 + (double)random_below(&r, 40);
        highest[P_M] = 1 + (double)random_below(&r, random_coin(&r) ? 40 : 600);
        highest[P_V] = 1 + (double)random_below(&r, 4);
        highest[P_BUDGET] = 1000 << random_below(&r, 12);
        highest[P_COMPAT] = (double)random_below(&r, 2);
        highest[P_OBJECTIVE] = (double)random_below(&r, 2);
        highest[P_CHANNELS] = (double)random_below(&r, 3);
        const size_t bytes = pps_kernel_schedule.scratch_bytes(highest, NULL);
        for (int k = 0; k < 100; k++) {
            const int sizes[] = {P_P, P_M, P_V};
            const int choices[] = {P_FAMILY, P_COMPAT, P_OBJECTIVE, P_CHANNELS};
            memcpy(value, highest, sizeof value);
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                if (random_coin(&r))
                    value[sizes[i]] = 1 + (double)random_below(&r, (int)highest[sizes[i]]);
            for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
                if (random_coin(&r))
                    value[choices[i]] = (double)random_below(&r, 1 + (int)highest[choices[i]]);
            if (pps_kernel_schedule.check(value, NULL) != 0)
                continue;
            const struct schedule_point point = schedule_point_of(value, NULL);
            struct schedule_scratch scratch;
            struct room room = {NULL, 0};
            schedule_scratch_take(&scratch, &point, &room);
            cr_assert_leq(
                room.used, bytes, "%s P=%g M=%g v=%g compat=%g of P=%g M=%g v=%g, budget %g",
                schedule_family_names[(int)value[P_FAMILY]], value[P_P], value[P_M], value[P_V],
                value[P_COMPAT], highest[P_P], highest[P_M], highest[P_V], highest[P_BUDGET]);
        }
    }
}
