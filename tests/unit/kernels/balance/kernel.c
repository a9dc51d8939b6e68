// SPDX-License-Identifier: Apache-2.0
// Tests single points of the balance kernel. They would catch scratch that is too small for a point, a lower bound
// above a row, and reasons that `check` does not give.
#include "kernels/balance/point.h"

#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct pps_kernel pps_kernel_balance;

static struct balance_shared *new_shared(struct random *random)
{
    struct balance_shared *shared = calloc(1, sizeof *shared);
    struct balance_layers *layers = shared->layers = calloc(1, sizeof *layers);
    struct balance_training *training = shared->trainings = calloc(1, sizeof *training);
    shared->n_layers = shared->n_trainings = 1;
    *training = (struct balance_training){1, 16384, 4, 64, 100, 256, 4};
    *layers = (struct balance_layers){.layers = 8 + (int32_t)random_below(random, 24),
                                      .head = random_unit(random),
                                      .tail = random_unit(random),
                                      .forward = 1,
                                      .has = {true, true, true, true, true},
                                      .parameter_mb = 20,
                                      .head_mb = 15,
                                      .tail_mb = 10,
                                      .constant_mb = 5};
    balance_usual_ends(layers);
    layers->transfer = random_coin(random) ? 0.1 * random_unit(random) : 0;
    for (int k = 0; k < BALANCE_KINDS; k++) {
        layers->backward[k] = 2 + 0.3 * k;
        layers->activation_mb[k] = 12 - 2 * k;
    }
    return shared;
}

static void set_defaults(double value[N_PARAMS])
{
    for (int p = 0; p < N_PARAMS; p++)
        value[p] = balance_params[p].fallback;
    value[P_BUDGET] = 300;
}

static void draw(struct random *random, double value[N_PARAMS])
{
    set_defaults(value);
    value[P_STAGES] = 1 + random_below(random, 4);
    value[P_CHUNKS] = 1 + random_below(random, 3);
    value[P_MICRO_BATCHES] = 1 + random_below(random, 9);
    value[P_ORDER] = random_below(random, 2);
    value[P_MEMORY] = 100 + random_below(random, 600);
    value[P_EMPTY] = random_below(random, 2);
    value[P_RECOMPUTE] = random_below(random, 17);
    value[P_OBJECTIVE] = random_below(random, 2);
    value[P_LEVEL] = random_below(random, 3);
    value[P_SEQ] = 1 + random_below(random, 3);
}

struct row {
    enum pps_outcome outcome;
    double column[N_COLUMNS];
};

static struct row run(double value[N_PARAMS], const struct balance_shared *shared, bool plain)
{
    const double *param[N_PARAMS];
    double *column[N_COLUMNS];
    char *text[N_COLUMNS] = {NULL};
    struct row row;
    uint8_t outcome;
    for (int p = 0; p < N_PARAMS; p++)
        param[p] = &value[p];
    for (int c = 0; c < N_COLUMNS; c++)
        column[c] = &row.column[c];
    const size_t bytes = pps_kernel_balance.scratch_bytes(value, shared);
    char *scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(scratch, 0, bytes);
    const struct pps_worker worker = {.scratch = scratch, .shared = shared};
    const struct pps_batch batch = {.n_points = 1,
                                    .param = param,
                                    .column = column,
                                    .text = text,
                                    .outcome = &outcome};
    (plain ? pps_kernel_balance.reference : pps_kernel_balance.run)(&batch, &worker);
    row.outcome = (enum pps_outcome)outcome;
    free(scratch);
    return row;
}

Test(balance_kernel, rows_agree_with_the_reference_and_the_bound)
{
    struct random random = {9};
    const int rounds = n_cases(150);
    int done = 0, infeasible = 0;
    for (int round = 0; round < rounds; round++) {
        double value[N_PARAMS];
        struct balance_shared *shared = new_shared(&random);
        draw(&random, value);
        if (pps_kernel_balance.check(value, shared) == 0) {
            const struct row row = run(value, shared, false), plain = run(value, shared, true);
            cr_assert_eq(row.outcome, plain.outcome);
            if (row.outcome == PPS_DONE) {
                done++;
                const double bound = pps_kernel_balance.lower_bound(value, shared);
                cr_expect_leq(bound, row.column[C_STEP_TIME]);
                cr_expect_float_eq(row.column[C_STEP_TIME], plain.column[C_STEP_TIME],
                                   1e-9 * plain.column[C_STEP_TIME]);
                cr_expect_float_eq(row.column[C_PEAK], plain.column[C_PEAK], 1e-6);
                cr_expect_leq(row.column[C_PEAK], value[P_MEMORY] + 1e-5);
                cr_expect_leq(row.column[C_BOUND], row.column[C_STEP_TIME]);
            } else if (row.outcome == PPS_INFEASIBLE) {
                infeasible++;
                cr_expect(isnan(row.column[C_STEP_TIME]));
                cr_expect_gt(row.column[C_PEAK], value[P_MEMORY]);
            }
        }
        balance_close(shared);
    }
    cr_expect(done >= rounds / 15 && infeasible >= rounds / 15, "%d done, %d infeasible", done,
              infeasible);
}

// The scratch of a run holds every point below its highest values.
Test(balance_kernel, scratch_holds_smaller_points)
{
    struct random random = {10};
    struct balance_shared *shared = new_shared(&random);
    double highest[N_PARAMS];
    set_defaults(highest);
    highest[P_STAGES] = 4;
    highest[P_CHUNKS] = 3;
    highest[P_MICRO_BATCHES] = 9;
    highest[P_ORDER] = 1;
    highest[P_RECOMPUTE] = 16;
    highest[P_EMPTY] = 1;
    highest[P_SEQ] = 3;
    const size_t most = pps_kernel_balance.scratch_bytes(highest, shared);
    for (int round = 0; round < 2000; round++) {
        double value[N_PARAMS];
        struct balance_point point;
        struct balance_scratch scratch;
        struct room room = {NULL, 0};
        draw(&random, value);
        if (pps_kernel_balance.check(value, shared) != 0)
            continue;
        balance_point_set(&point, value, shared);
        balance_scratch_take(&scratch, &point, &room);
        cr_assert_leq(room.used, most);
    }
    balance_close(shared);
}

// A point of 16 stages, 3 chunks and 64 micro-batches takes at most 64 MiB.
Test(balance_kernel, scratch_of_a_large_point)
{
    struct random random = {11};
    struct balance_shared *shared = new_shared(&random);
    double value[N_PARAMS];
    set_defaults(value);
    shared->layers[0].layers = 96;
    value[P_STAGES] = 16;
    value[P_CHUNKS] = 3;
    value[P_MICRO_BATCHES] = 64;
    cr_expect_leq(pps_kernel_balance.scratch_bytes(value, shared), (size_t)64 << 20);
    balance_close(shared);
}

Test(balance_kernel, reasons)
{
    static const struct {
        int param;
        double value;
        const char *reason;
    } cases[] = {
        {P_MARGIN, 56000, "margin is not below memory"},
        {P_CHUNKS, 64, "no order"},
        {P_STAGES, 200, "fewer layers"},
        {P_RECOMPUTE, 2, "the layers do not say"},
        {P_SEQ, 8, "a piece of the sequence"},
    };
    struct random random = {12};
    struct balance_shared *shared = new_shared(&random);
    shared->layers[0].has[BALANCE_SELECT] = false;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value[N_PARAMS];
        set_defaults(value);
        value[P_MICRO_BATCHES] = cases[i].param == P_CHUNKS ? 2 : 4;
        value[cases[i].param] = cases[i].value;
        const int reason = pps_kernel_balance.check(value, shared);
        cr_expect_eq(strncmp(pps_kernel_balance.reasons[reason], cases[i].reason,
                             strlen(cases[i].reason)),
                     0, "%zu: %s", i, pps_kernel_balance.reasons[reason]);
    }
    balance_close(shared);
}
