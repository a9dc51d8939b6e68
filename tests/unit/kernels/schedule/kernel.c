// SPDX-License-Identifier: Apache-2.0
// Tests the table of the schedule kernel and single points.
#include "kernels/schedule/family_names.h"
#include "kernels/schedule/point.h"
#include "kernels/schedule/table.h"

#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct pps_kernel pps_kernel_schedule;

static void set_defaults(double value[N_PARAMS])
{
    for (int p = 0; p < N_PARAMS; p++)
        value[p] = schedule_params[p].fallback;
}

static int family_index(const char *name)
{
    for (int i = 0; i < FAMILY_NAMES; i++)
        if (strcmp(schedule_family_names[i], name) == 0)
            return i;
    cr_assert_fail("no family %s", name);
    return 0;
}

// Catches a family that the catalogue gains and the parameter does not.
Test(schedule_kernel, names_are_those_of_the_catalogue)
{
    int n = 0;
    for (; families[n] != NULL; n++) {
        const int i = family_index(families[n]->name);
        cr_expect_eq(schedule_family_at(i), families[n], "%s", families[n]->name);
    }
    cr_expect_eq(n + 1, FAMILY_NAME_ORDER, "%d families and 1f1b", n);
    cr_expect_str_eq(schedule_family_at(FAMILY_NAME_DEFAULT)->name, "one_f_one_b");
    cr_expect_null(schedule_family_names[FAMILY_NAMES]);
}

// Catches a text of misfit() without an entry in the list of reasons.
Test(schedule_kernel, every_misfit_is_a_reason)
{
    for (int i = 0; i < FAMILY_NAME_ORDER; i++)
        for (int32_t p = 1; p <= 9; p++)
            for (int32_t m = 1; m <= 24; m++)
                for (int32_t v = 1; v <= 4; v++)
                    for (int32_t group = 0; group <= 8; group += 4) {
                        double value[N_PARAMS];
                        set_defaults(value);
                        value[P_FAMILY] = i;
                        value[P_P] = p;
                        value[P_M] = m;
                        value[P_V] = v;
                        value[P_GROUP] = group;
                        const struct schedule_point point = schedule_point_of(value, NULL);
                        const char *misfit = point.family->misfit(&point.shape, &point.options);
                        if (misfit == NULL || point.shape.stages != p * v)
                            continue;
                        const char *reason = schedule_reasons[schedule_check(value, NULL)];
                        cr_assert_not_null(strstr(reason, misfit), "%s: %s", point.family->name,
                                           reason);
                    }
}

// ---- rows ---------------------------------------------------------------------------------------

struct row {
    double column[N_COLUMNS];
    uint8_t outcome;
    char chosen[32];
};

static struct row run_point(const double value[N_PARAMS])
{
    struct row row;
    const double *param[N_PARAMS];
    double *column[N_COLUMNS];
    char *text[N_COLUMNS] = {[C_CHOSEN] = row.chosen};
    for (int p = 0; p < N_PARAMS; p++)
        param[p] = &value[p];
    for (int c = 0; c < N_COLUMNS; c++)
        column[c] = schedule_columns[c].kind == PPS_COLUMN_TEXT ? NULL : &row.column[c];
    const struct pps_batch batch = {.n_points = 1,
                                    .param = param,
                                    .column = column,
                                    .text = text,
                                    .outcome = &row.outcome};
    const size_t bytes = pps_kernel_schedule.scratch_bytes(value, NULL);
    struct pps_worker worker = {.scratch = aligned_alloc(64, bytes)};
    memset(worker.scratch, 0, bytes);
    pps_kernel_schedule.run(&batch, &worker);
    free(worker.scratch);
    return row;
}

// The closed form of 1F1B: (M + P - 1) (f + b + w), and P micro-batches on the first device.
Test(schedule_kernel, a_row_of_1f1b)
{
    double value[N_PARAMS];
    set_defaults(value);
    const struct row row = run_point(value);
    cr_expect_eq(row.outcome, PPS_DONE);
    cr_expect_float_eq(row.column[C_MAKESPAN], 11 * 2.8, 1e-9);
    cr_expect_float_eq(row.column[C_BUBBLE], 100.0 * 3 / 11, 1e-9);
    cr_expect_eq(row.column[C_PEAK], 4);
    cr_expect_str_eq(row.chosen, "one_f_one_b");
    double idle = 0;
    for (int c = C_IDLE_WARM_UP; c <= C_IDLE_COOL_DOWN; c++)
        idle += row.column[c];
    cr_expect_float_eq(idle, row.column[C_BUBBLE_TIME], 1e-9);
}

// Catches a limit in an infeasible row at which the family has no schedule, or a smaller one that
// also has.
Test(schedule_kernel, an_infeasible_row_gives_the_least_limit)
{
    for (int i = 0; i < FAMILY_NAME_ORDER; i++) {
        double value[N_PARAMS];
        set_defaults(value);
        value[P_FAMILY] = i;
        value[P_BUDGET] = 10;
        value[P_PER] = PER_CHUNK;
        value[P_LIMIT] = 1;
        if (schedule_check(value, NULL) != 0)
            continue;
        const struct row row = run_point(value);
        if (row.outcome == PPS_DONE)
            continue;
        cr_assert_eq(row.outcome, PPS_INFEASIBLE, "%s", schedule_family_names[i]);
        cr_expect(isnan(row.column[C_MAKESPAN]));
        value[P_LIMIT] = row.column[C_PEAK];
        cr_expect_eq(run_point(value).outcome, PPS_DONE, "%s", schedule_family_names[i]);
        value[P_LIMIT] -= 0.5;
        cr_expect_eq(run_point(value).outcome, PPS_INFEASIBLE, "%s", schedule_family_names[i]);
    }
}

// ---- bounds and critical paths ------------------------------------------------------------------

// Catches a bound above a schedule that exists, and a path with gaps.
Test(schedule_kernel, bounds_hold_and_critical_paths_are_complete)
{
    struct random random = {11};
    int rows = 0;
    for (int i = 0; i < 600; i++) {
        double value[N_PARAMS];
        set_defaults(value);
        value[P_FAMILY] = (double)random_below(&random, FAMILY_NAME_zb_ilp);
        value[P_P] = (double)(1 + random_below(&random, 6));
        value[P_M] = (double)(value[P_P] * (double)(1 + random_below(&random, 4)));
        value[P_F] = (double)random_below(&random, 20);
        value[P_B] = (double)random_below(&random, 20);
        value[P_W] = (double)random_below(&random, 20);
        value[P_LATENCY] = (double)random_below(&random, 5);
        value[P_CHANNELS] = (double)random_below(&random, 3);
        value[P_MEM_B] = -0.6;
        value[P_MEM_W] = -0.4;
        value[P_OBJECTIVE] = (double)random_below(&random, 2);
        if (random_coin(&random))
            value[P_LIMIT] = value[P_P] * (1 + random_unit(&random));
        if (random_coin(&random))
            value[P_PAIR] = value[P_F] + random_unit(&random) * (value[P_B] + value[P_W]);
        if (schedule_check(value, NULL) != 0)
            continue;
        const struct row row = run_point(value);
        const double *column = row.column, time = column[C_MAKESPAN];
        if (row.outcome != PPS_DONE)
            continue;
        rows++;
        const char *name = schedule_family_names[(int)value[P_FAMILY]];
        cr_assert_leq(column[C_BOUND],
                      value[P_OBJECTIVE] == FAMILY_SPAN ? column[C_SPAN] : time, "%s", name);
        cr_assert_float_eq(column[C_CRITICAL_F] + column[C_CRITICAL_B] + column[C_CRITICAL_W] +
                               column[C_CRITICAL_MESSAGES],
                           time, 1e-9 * time + 1e-12, "%s %d", name, i);
        double idle = 0;
        for (int c = C_IDLE_WARM_UP; c <= C_IDLE_COOL_DOWN; c++) {
            cr_assert_geq(column[c], 0, "%s", name);
            idle += column[c];
        }
        cr_assert_float_eq(idle, column[C_BUBBLE_TIME], 1e-9 * time * value[P_P] + 1e-9, "%s",
                           name);
    }
    cr_assert_gt(rows, 200);
}
