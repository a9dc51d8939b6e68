// SPDX-License-Identifier: Apache-2.0
// The C library evaluates points: the same bits as a run, for any number of points and threads.
#include "engine/experiment/experiment.h"
#include "engine/run/row_maker.h"
#include "kernels/registry.h"
#include "tests/unit/support/engine/library_calls.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- points of an experiment --------------------------------------------------------------------

enum { MOST = 6000 };

// All points of an experiment, and the results of the kernel for each point alone.
struct trial {
    struct ppsweep_model *model;
    int n_params, n_columns;
    size_t n;
    double *param[PPS_MAX_PARAMS];
    double *expected[PPS_MAX_COLUMNS];
    unsigned char *outcome;
    double *got[PPS_MAX_COLUMNS];
    unsigned char *got_outcome;
};

static void run_alone(struct trial *t, const struct pps_experiment *e, void *scratch)
{
    static const atomic_bool never = false;
    const struct pps_worker worker = {scratch, &never, false, e->kernel->shared, 0};
    for (size_t i = 0; i < t->n; i++) {
        const double *point[PPS_MAX_PARAMS];
        double *column[PPS_MAX_COLUMNS];
        char text[PPS_MAX_COLUMNS][512], *texts[PPS_MAX_COLUMNS];
        for (int p = 0; p < t->n_params; p++)
            point[p] = &t->param[p][i];
        for (int c = 0; c < t->n_columns; c++) {
            const bool is_text = e->kernel->columns[c].kind == PPS_COLUMN_TEXT;
            column[c] = is_text ? NULL : &t->expected[c][i];
            texts[c] = is_text ? text[c] : NULL;
        }
        const struct pps_batch batch = {1, point, column, texts, &t->outcome[i], NULL, NULL};
        e->kernel->run(&batch, &worker);
    }
}

static void open_trial(struct trial *t, const char *experiment, const char *inputs)
{
    struct pps_request request = {.kernels = pps_kernels, .text = experiment};
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    struct pps_experiment *e;
    struct pps_error err;
    size_t bytes;
    cr_assert_eq(pps_experiment_load(&e, &request, &err), PPS_OK, "%s", err.text);
    *t = (struct trial){.n_params = e->kernel->n_params, .n_columns = e->kernel->n_columns};
    t->model = open_model(e->kernel->name, inputs);
    for (int p = 0; p < t->n_params; p++)
        t->param[p] = calloc(MOST, sizeof(double));
    for (int c = 0; c < t->n_columns; c++) {
        t->expected[c] = calloc(MOST, sizeof(double));
        t->got[c] = calloc(MOST, sizeof(double));
    }
    t->outcome = calloc(MOST, 1);
    t->got_outcome = calloc(MOST, 1);
    pps_cursor_seek(cursor, &e->space, 0);
    for (; t->n < MOST && pps_cursor_next(cursor, e->n_points, left_out); t->n++) {
        for (int p = 0; p < t->n_params; p++)
            t->param[p][t->n] = cursor->point[p];
        pps_cursor_step(cursor);
    }
    cr_assert_eq(pps_scratch_bytes(e, 1, &bytes, &err), PPS_OK, "%s", err.text);
    void *scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(scratch, 0, bytes);
    run_alone(t, e, scratch);
    free(scratch);
    free(cursor);
    pps_experiment_free(e);
}

static void close_trial(struct trial *t)
{
    for (int p = 0; p < t->n_params; p++)
        free(t->param[p]);
    for (int c = 0; c < t->n_columns; c++) {
        free(t->expected[c]);
        free(t->got[c]);
    }
    free(t->outcome);
    free(t->got_outcome);
    ppsweep_model_close(t->model);
}

// Parameters that no axis sets: the library must take their values from the documents.
static bool is_by_document(const struct ppsweep_model *model, int p)
{
    const struct ppsweep_param *param = ppsweep_model_param(model, p);
    return param->by_document && strcmp(param->name, "world_size") != 0;
}

// Evaluates n points from `first` on and compares all bits.
static void same_bits(struct trial *t, size_t first, size_t n, int threads)
{
    const double *in[PPS_MAX_PARAMS];
    double *out[PPS_MAX_COLUMNS];
    struct ppsweep_error error;
    for (int p = 0; p < t->n_params; p++)
        in[p] = is_by_document(t->model, p) ? NULL : t->param[p] + first;
    for (int c = 0; c < t->n_columns; c++)
        out[c] = ppsweep_model_column(t->model, c)->text_size > 0 ? NULL : t->got[c];
    const struct ppsweep_points points = {.size = sizeof points,
                                          .n = n,
                                          .param = in,
                                          .column = out,
                                          .outcome = t->got_outcome,
                                          .threads = threads};
    cr_assert_eq(ppsweep_evaluate(t->model, &points, &error), PPSWEEP_OK, "%s", error.text);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(t->got_outcome[i], t->outcome[first + i], "point %zu", first + i);
        for (int c = 0; c < t->n_columns; c++)
            if (out[c] != NULL && !(isnan(out[c][i]) && isnan(t->expected[c][first + i])))
                cr_assert_eq(memcmp(&out[c][i], &t->expected[c][first + i], 8), 0,
                             "point %zu, %s", first + i,
                             ppsweep_model_column(t->model, c)->name);
    }
}

#define CONTENTION                                                                             \
    "{\"n\": [8, 12, 40], \"gpus\": [2, 4, 9], \"sync_freq\": [1, 2, 5], \"fwd_len\": [1, "    \
    "1.5], \"congestion\": "                                                                   \
    "[true, false], \"priority_step\": 0.25, \"where\": \"n % sync_freq == 0\"}"
#define NDSEARCH                                                                               \
    "{\"kernel\": \"ndsearch\", \"inputs\": " NDSEARCH_INPUTS ", \"world_size\": [8, 64], "    \
    "\"tp\": [1, 2, 8], \"pp\": [1, 2, 4], \"mbs\": [1, 2], \"recompute\": [\"none\", "        \
    "\"auto\"]}"

// Would catch a batch whose results depend on its other points or its place in the caller's
// arrays.
Test(library_evaluate, same_bits_in_every_call)
{
    struct trial t;
    open_trial(&t, CONTENTION, NULL);
    cr_assert_gt(t.n, 1000);
    for (int threads = 0; threads <= 1 + n_cases(3); threads++)
        same_bits(&t, 0, t.n, threads);
    for (size_t n = 1; n < t.n; n += 97 + n)
        same_bits(&t, n / 3, n, 1);
    close_trial(&t);
}

// Evaluates columns first ... last of point 0.
static void evaluate_columns(struct trial *t, double *values, int first, int last)
{
    const double *param[PPS_MAX_PARAMS];
    double *column[PPS_MAX_COLUMNS] = {NULL};
    for (int p = 0; p < t->n_params; p++)
        param[p] = t->param[p];
    for (int c = first; c <= last; c++)
        column[c] = &values[c];
    const struct ppsweep_points points = {.size = sizeof points,
                                          .n = 1,
                                          .param = param,
                                          .column = column,
                                          .threads = 1};
    cr_assert_eq(ppsweep_evaluate(t->model, &points, NULL), PPSWEEP_OK);
}

// Would catch a kernel that recalls the results of an earlier call for fewer columns.
Test(library_evaluate, columns_differ_between_calls)
{
    struct trial t;
    double values[PPS_MAX_COLUMNS];
    open_trial(&t, CONTENTION, NULL);
    evaluate_columns(&t, values, 0, 0);
    evaluate_columns(&t, values, 0, t.n_columns - 1);
    for (int c = 0; c < t.n_columns; c++)
        cr_assert_eq(values[c], t.expected[c][0], "column %d", c);
    close_trial(&t);
}

Test(library_evaluate, same_bits_with_documents)
{
    struct trial t;
    open_trial(&t, NDSEARCH, NDSEARCH_INPUTS);
    cr_assert_gt(t.n, 40);
    for (int threads = 1; threads <= 3; threads++)
        same_bits(&t, 0, t.n, threads);
    same_bits(&t, 7, 1, 1);
    close_trial(&t);
}

// ---- points without results ---------------------------------------------------------------------

struct few {
    double n[8], sync_freq[8], priority[8], time[8];
    unsigned char outcome[8];
    int detail[8];
};

static int evaluate_few(struct ppsweep_model *model, struct few *few,
                        const struct ppsweep_stop *stop, struct ppsweep_error *error)
{
    const double *in[PPS_MAX_PARAMS] = {NULL};
    double *out[PPS_MAX_COLUMNS] = {NULL};
    in[model_param(model, "n")] = few->n;
    in[model_param(model, "sync_freq")] = few->sync_freq;
    in[model_param(model, "p_fwd_prop")] = few->priority;
    out[0] = few->time;
    const struct ppsweep_points points = {.size = sizeof points,
                                          .n = 8,
                                          .param = in,
                                          .column = out,
                                          .outcome = few->outcome,
                                          .detail = few->detail,
                                          .stop = stop};
    return ppsweep_evaluate(model, &points, error);
}

static const struct few mixed = {
    .n = {8, 8.5, 8, NAN, 8, 0, 8, 1e300},
    .sync_freq = {1, 1, 9, 1, 2, 1, 4, 1},
    .priority = {0, 0, 0, 0, -1, 0, -27, 0},
};

// Would catch an invalid point that reaches the kernel, and one that moves its neighbours.
Test(library_evaluate, points_without_results)
{
    struct ppsweep_model *model = open_model("contention", NULL);
    const int n = model_param(model, "n"), priority = model_param(model, "p_fwd_prop");
    static const unsigned char outcome[] = {PPSWEEP_DONE,    PPSWEEP_INVALID, PPSWEEP_SKIPPED,
                                            PPSWEEP_INVALID, PPSWEEP_DONE,    PPSWEEP_INVALID,
                                            PPSWEEP_INVALID, PPSWEEP_INVALID};
    const int detail[] = {-1, n, 1, n, -1, n, priority, n};
    struct few few = mixed;
    cr_assert_eq(evaluate_few(model, &few, NULL, NULL), PPSWEEP_OK);
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(few.outcome[i], outcome[i], "point %d: %d", i, few.outcome[i]);
        if (outcome[i] != PPSWEEP_SKIPPED)
            cr_assert_eq(few.detail[i], detail[i], "point %d: %d", i, few.detail[i]);
        cr_assert_eq(isnan(few.time[i]), outcome[i] != PPSWEEP_DONE, "point %d", i);
    }
    cr_assert_not_null(ppsweep_model_reason(model, few.detail[2]));
    cr_assert_null(ppsweep_model_reason(model, 0));
    cr_assert_null(ppsweep_model_reason(model, 1000));
    ppsweep_model_close(model);
}

// ---- stopping -----------------------------------------------------------------------------------

// Would catch a raised flag that is ignored, or that leaves old numbers in the arrays.
Test(library_evaluate, stop_flag)
{
    struct ppsweep_model *model = open_model("contention", NULL);
    struct ppsweep_stop *stop = ppsweep_stop_open();
    struct ppsweep_error error;
    struct few few = mixed;
    few.time[0] = 7;
    ppsweep_stop_raise(stop);
    cr_assert_eq(evaluate_few(model, &few, stop, &error), PPSWEEP_E_STOPPED);
    cr_assert_eq(error.code, PPSWEEP_E_STOPPED);
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(few.outcome[i], PPSWEEP_STOPPED);
        cr_assert(isnan(few.time[i]));
    }
    ppsweep_stop_lower(stop);
    cr_assert_eq(evaluate_few(model, &few, stop, &error), PPSWEEP_OK);
    cr_assert(!isnan(few.time[0]));
    ppsweep_stop_close(stop);
    ppsweep_model_close(model);
}

// Would catch a call that needs all of its arrays.
Test(library_evaluate, arrays_are_optional)
{
    struct ppsweep_model *model = open_model(NULL, NULL);
    struct ppsweep_points points = {.size = sizeof points, .n = 3};
    double time[3] = {0, 0, 0}, *out[PPS_MAX_COLUMNS] = {time};
    cr_assert_eq(ppsweep_evaluate(model, &points, NULL), PPSWEEP_OK);
    points.column = out;
    cr_assert_eq(ppsweep_evaluate(model, &points, NULL), PPSWEEP_OK);
    cr_assert(time[0] > 0 && time[0] == time[1] && time[1] == time[2]);
    points.n = 0;
    cr_assert_eq(ppsweep_evaluate(model, &points, NULL), PPSWEEP_OK);
    ppsweep_model_close(model);
}

// Would catch texts at a wrong place in the caller's array.
Test(library_evaluate, texts)
{
    struct ppsweep_model *model = open_model("ndsearch", "{\"model\": \"llama3-8b\"}");
    double tp[] = {1, 3, 8}, pp[] = {2, 2, 2};
    const double *in[PPS_MAX_PARAMS] = {NULL};
    char *out[PPS_MAX_COLUMNS] = {NULL};
    unsigned char outcome[3];
    int c = 0;
    while (ppsweep_model_column(model, c)->text_size == 0)
        c++;
    const size_t size = ppsweep_model_column(model, c)->text_size;
    out[c] = malloc(3 * size);
    memset(out[c], 'x', 3 * size);
    in[model_param(model, "tp")] = tp;
    in[model_param(model, "pp")] = pp;
    const struct ppsweep_points points = {.size = sizeof points,
                                          .n = 3,
                                          .param = in,
                                          .text = out,
                                          .outcome = outcome};
    cr_assert_eq(ppsweep_evaluate(model, &points, NULL), PPSWEEP_OK);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_not_null(memchr(out[c] + i * size, '\0', size));
        if (outcome[i] == PPSWEEP_SKIPPED)
            cr_assert_eq(out[c][i * size], '\0');
    }
    cr_assert_eq(outcome[1], PPSWEEP_SKIPPED);
    free(out[c]);
    ppsweep_model_close(model);
}

// ---- several threads with one model -------------------------------------------------------------

static void *evaluate_often(void *self)
{
    struct ppsweep_model *model = self;
    for (int i = 0; i < 50; i++) {
        struct few few = mixed;
        cr_assert_eq(evaluate_few(model, &few, NULL, NULL), PPSWEEP_OK);
        cr_assert_eq(few.outcome[0], PPSWEEP_DONE);
    }
    return NULL;
}

// Would catch a workspace that two threads use.
Test(library_evaluate, threads_share_a_model)
{
    struct ppsweep_model *model = open_model("contention", NULL);
    pthread_t threads[4];
    for (int t = 0; t < 4; t++)
        cr_assert_eq(pthread_create(&threads[t], NULL, evaluate_often, model), 0);
    for (int t = 0; t < 4; t++)
        pthread_join(threads[t], NULL);
    ppsweep_model_close(model);
}
