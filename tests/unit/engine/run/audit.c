// SPDX-License-Identifier: Apache-2.0
// Audits of a run: errors of `run` are found, correct results pass, and the numbers of the rows
// alone decide which rows are compared. The kernels are made up: a `run` with the error that
// its parameter `fault` selects, and a reference that is always right.
#include "engine/experiment/experiment.h"
#include "engine/run/row_maker.h"
#include "engine/run/sweep.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N, FAULT, SHAKE, N_PARAMS };

enum fault { NONE, SMALL, LARGE, NO_RESULT, NOT_FINITE, OFF_BY_ONE, NEAR_ZERO, FAR, N_FAULTS };

static const char *const faults[] = {"none",      "small",      "large",
                                     "no_result", "not_finite", "off_by_one",
                                     "near_zero", "far",        NULL};

static const struct pps_param params[N_PARAMS] = {
    [N] = {.name = "n",
           .unit = "",
           .summary = "a count",
           .kind = PPS_INTEGER,
           .fallback = 1,
           .min = 1,
           .max = 1e9},
    [FAULT] = {.name = "fault",
               .unit = "",
               .summary = "what is wrong",
               .kind = PPS_CHOICE,
               .fallback = NONE,
               .max = N_FAULTS - 1,
               .names = faults},
    [SHAKE] = {.name = "shake",
               .unit = "",
               .summary = "above 0: its last bits decide the time",
               .kind = PPS_REAL,
               .max = 2},
};

enum { TIME, WAIT, RATIO, COUNT, N_COLUMNS };

static const struct pps_column columns[N_COLUMNS] = {
    [TIME] = {.name = "time", .unit = "s", .summary = "", .decimals = 4, .goal = PPS_LOWER},
    [WAIT] = {.name = "wait", .unit = "s", .summary = "", .decimals = 4},
    [RATIO] = {.name = "ratio", .unit = "", .summary = "", .decimals = 4},
    [COUNT] = {.name = "count", .unit = "", .summary = "", .kind = PPS_COLUMN_INTEGER},
};

static size_t scratch_bytes(const double *highest, const void *shared)
{
    (void)shared;
    (void)highest;
    return 64;
}

static int check(const double *point, const void *shared)
{
    (void)shared;
    return fmod(point[N], 5) == 4 ? 1 : 0;
}

static double cost(const double *point, const void *shared)
{
    (void)shared;
    (void)point;
    return 10;
}

static void answer(const struct pps_batch *batch, size_t i)
{
    const double n = batch->param[N][i];
    const double result[N_COLUMNS] = {
        [TIME] = 1000 + n / 3 + fmod(batch->param[SHAKE][i] * 0x1p50, 64),
        [RATIO] = 1 / n,
        [COUNT] = n,
    };
    for (int c = 0; c < N_COLUMNS; c++)
        if (batch->column[c] != NULL)
            batch->column[c][i] = result[c];
    batch->outcome[i] = PPS_DONE;
}

static void reference(const struct pps_batch *batch, const struct pps_worker *worker)
{
    (void)worker;
    for (size_t i = 0; i < batch->n_points; i++)
        answer(batch, i);
}

// May be wrong only where n % 100 is 7.
static void run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    reference(batch, worker);
    for (size_t i = 0; i < batch->n_points; i++) {
        const bool here = fmod(batch->param[N][i], 100) == 7;
        const enum fault fault = here ? (enum fault)batch->param[FAULT][i] : NONE;
        batch->column[TIME][i] *= fault == SMALL ? 1 + 1e-9 : fault == LARGE ? 1 + 1e-7 : 1;
        batch->column[TIME][i] += fault == FAR ? 10 : 0;
        batch->column[WAIT][i] += fault == NEAR_ZERO ? 1e-9 : 0;
        batch->column[RATIO][i] += fault == NOT_FINITE  ? (double)INFINITY
                                   : fault == NEAR_ZERO ? 1e-12
                                                        : 0;
        batch->column[COUNT][i] += fault == OFF_BY_ONE;
        if (fault == NO_RESULT)
            batch->outcome[i] = PPS_FAILED;
    }
}

static const char *const reasons[] = {"", "n ends in 4 or 9", NULL};

static const struct pps_kernel kernel = {
    .name = "made_up",
    .summary = "",
    .source = "",
    .version = "1",
    .params = params,
    .n_params = N_PARAMS,
    .columns = columns,
    .n_columns = N_COLUMNS,
    .reasons = reasons,
    .scratch_bytes = scratch_bytes,
    .check = check,
    .cost = cost,
    .run = run,
    .reference = reference,
    .tolerance = 1e-8,
};

static struct pps_experiment *shaken(const struct pps_kernel *of, const char *fault,
                                     const char *shake)
{
    const struct pps_kernel *const kernels[] = {of, NULL};
    const struct pps_override overrides[] = {{"n", "1..20000", false},
                                             {"fault", fault, false},
                                             {"shake", shake, false}};
    const struct pps_request request = {.kernels = kernels,
                                        .overrides = overrides,
                                        .n_overrides = 3,
                                        .digits = PPS_DEFAULT_DIGITS};
    struct pps_experiment *e;
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_experiment_load(&e, &request, &err), PPS_OK, "%s", err.text);
    return e;
}

static struct pps_experiment *experiment_of(const struct pps_kernel *of, const char *fault)
{
    return shaken(of, fault, "0");
}

// Computes all rows, `stretch` points at a time, and opens a new maker every few stretches.
static enum pps_status audit(const struct pps_experiment *e, double fraction, uint64_t stretch,
                             struct pps_audited *audited, struct pps_error *err)
{
    const atomic_bool never = false;
    struct pps_rowmaker *maker;
    const struct pps_row_settings settings = {.experiment = e, .audit = fraction};
    enum pps_status status = pps_rowmaker_open(&maker, &settings, err);
    *audited = (struct pps_audited){.rows = 0};
    for (uint64_t first = 0; status == PPS_OK && first < e->n_points; first += stretch) {
        const uint64_t left = e->n_points - first;
        struct pps_rows rows;
        status = pps_rowmaker_make(maker, first, left < stretch ? left : stretch, &never, &rows,
                                   err);
        pps_audited_add(audited, &rows.shortcuts.audited);
    }
    pps_rowmaker_close(maker);
    return status;
}

// Catches a comparison that misses a kind of error, or reports an error where there is none.
Test(audit, errors_are_found)
{
    static const char *const said[N_FAULTS] = {
        [LARGE] = "audit: n=7 fault=large shake=0.0: time is ",
        [NO_RESULT] =
            "audit: n=7 fault=no_result shake=0.0: the run did not finish this point, but "
            "the reference finished",
        [NOT_FINITE] =
            "audit: n=7 fault=not_finite shake=0.0: the run did not finish this point, but "
            "the reference finished",
        [OFF_BY_ONE] =
            "audit: n=7 fault=off_by_one shake=0.0: count is 8, but the reference gives 7",
        [FAR] = "audit: n=7 fault=far shake=0.0: time is 1012",
    };
    for (int f = 0; f < N_FAULTS; f++) {
        struct pps_experiment *e = experiment_of(&kernel, faults[f]);
        struct pps_audited audited;
        struct pps_error err = {.text = ""};
        enum pps_status status = audit(e, 1, 1000, &audited, &err);
        cr_expect_eq(status, said[f] != NULL ? PPS_E_POINTS : PPS_OK, "%s: %s", faults[f],
                     err.text);
        if (said[f] != NULL)
            cr_expect_eq(strncmp(err.text, said[f], strlen(said[f])), 0, "%s", err.text);
        else
            cr_expect_eq(audited.rows, 16000, "%s: %llu rows", faults[f],
                         (unsigned long long)audited.rows);
        pps_experiment_free(e);
    }
}

// Catches a choice that depends on the borders of stretches or batches, or a wrong fraction of
// rows.
Test(audit, chosen_rows_depend_on_their_numbers_alone)
{
    static const double fractions[] = {1e-9, 0.01, 0.1, 0.5, 1};
    static const uint64_t stretches[] = {20000, 4096, 257, 63};
    struct pps_experiment *e = experiment_of(&kernel, "small");
    struct pps_error err = {.text = ""};
    for (int f = 0; f < 5; f++) {
        struct pps_audited first, audited;
        cr_assert_eq(audit(e, fractions[f], stretches[0], &first, &err), PPS_OK);
        const double want = 16000 * fractions[f];
        cr_expect_leq(fabs((double)first.rows - want), 4 * sqrt(want + 1), "%g: %llu rows",
                      fractions[f], (unsigned long long)first.rows);
        for (int s = 1; s < 4; s++) {
            cr_assert_eq(audit(e, fractions[f], stretches[s], &audited, &err), PPS_OK);
            cr_expect_eq(audited.rows, first.rows, "%g, stretches of %d", fractions[f],
                         (int)stretches[s]);
            cr_expect_eq(audited.largest, first.largest);
        }
    }
    pps_experiment_free(e);
}

static enum pps_status keep_nothing(void *self, const struct pps_block *block,
                                    struct pps_error *err)
{
    (void)self;
    (void)block;
    (void)err;
    return PPS_OK;
}

// Catches totals that miss a block, and an error that a sweep does not return.
Test(audit, a_sweep_counts_and_fails)
{
    const atomic_bool never = false;
    for (int threads = 1; threads <= 3; threads++) {
        struct pps_experiment *right = experiment_of(&kernel, "none");
        struct pps_experiment *wrong = experiment_of(&kernel, "large");
        struct pps_sweep sweep = {.experiment = right,
                                  .block_points = 999,
                                  .threads = threads,
                                  .sink = {NULL, keep_nothing},
                                  .stop = &never,
                                  .audit = 0.25};
        struct pps_totals totals;
        struct pps_error err = {.text = ""};
        struct pps_audited audited;
        cr_assert_eq(pps_sweep_run(&sweep, &totals, &err), PPS_OK, "%s", err.text);
        pps_totals_free(&totals);
        cr_assert_eq(audit(right, 0.25, 20000, &audited, &err), PPS_OK);
        cr_expect_eq(totals.shortcuts.audited.rows, audited.rows);
        cr_expect_eq(totals.shortcuts.audited.largest, 0);
        sweep.experiment = wrong;
        cr_expect_eq(pps_sweep_run(&sweep, &totals, &err), PPS_E_POINTS);
        cr_expect_not(totals.complete);
        pps_totals_free(&totals);
        pps_experiment_free(right);
        pps_experiment_free(wrong);
    }
}

// Catches a call through a null pointer.
Test(audit, a_kernel_without_reference_is_refused)
{
    struct pps_kernel bare = kernel;
    bare.reference = NULL;
    struct pps_experiment *e = experiment_of(&bare, "none");
    struct pps_audited audited;
    struct pps_error err = {.text = ""};
    cr_expect_eq(audit(e, 0.5, 1000, &audited, &err), PPS_E_INPUT);
    cr_expect_str_eq(err.text, "--audit: the kernel made_up has no reference");
    pps_experiment_free(e);
}

// Catches an audit that fails where rounding decides the digits, and an audit that accepts an
// error as rounding.
Test(audit, rounding_is_not_an_error)
{
    struct pps_audited audited;
    struct pps_error err = {.text = ""};
    struct pps_experiment *e = shaken(&kernel, "far", "1");
    cr_assert_eq(audit(e, 1, 1000, &audited, &err), PPS_OK, "%s", err.text);
    cr_expect_eq(audited.sensitive, 200, "%llu", (unsigned long long)audited.sensitive);
    cr_expect_leq(audited.largest, 1e-8);
    pps_experiment_free(e);
    e = shaken(&kernel, "far", "0");
    cr_assert_eq(audit(e, 1, 1000, &audited, &err), PPS_E_POINTS);
    pps_experiment_free(e);
}

// The stop flag is set while the reference computes the points near a point, one at a time.
static atomic_bool stop;

static void stopped_reference(const struct pps_batch *batch, const struct pps_worker *worker)
{
    if (batch->n_points == 1)
        atomic_store(&stop, true);
    for (size_t i = 0; i < batch->n_points; i++) {
        answer(batch, i);
        if (atomic_load(worker->stop))
            batch->outcome[i] = PPS_STOPPED;
    }
}

// Catches an audit that reports a point as wrong because a stop kept the reference from showing
// that rounding decides its digits.
Test(audit, a_stop_is_not_an_error)
{
    struct pps_kernel interrupted = kernel;
    interrupted.reference = stopped_reference;
    struct pps_experiment *e = shaken(&interrupted, "far", "1");
    struct pps_rowmaker *maker;
    struct pps_rows rows;
    struct pps_error err = {.text = ""};
    const struct pps_row_settings settings = {.experiment = e, .audit = 1};
    cr_assert_eq(pps_rowmaker_open(&maker, &settings, &err), PPS_OK);
    cr_assert_eq(pps_rowmaker_make(maker, 0, 1000, &stop, &rows, &err), PPS_OK, "%s", err.text);
    cr_expect(rows.stopped);
    pps_rowmaker_close(maker);
    pps_experiment_free(e);
}
