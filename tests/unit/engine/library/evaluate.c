// SPDX-License-Identifier: Apache-2.0
// The C library opens models and evaluates points: the same bits as a run, for any number of
// points and threads.
#include "engine/experiment/experiment.h"
#include "engine/kernels/kernel_list.h"
#include "engine/run/row_maker.h"
#include "kernels/registry.h"
#include "ppsweep.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct ppsweep_model *open_model(const char *kernel, const char *inputs)
{
    const struct ppsweep_model_options options = {.size = sizeof options, .inputs = inputs};
    struct ppsweep_model *model;
    struct ppsweep_error error;
    cr_assert_eq(ppsweep_model_open(&model, kernel, &options, &error), PPSWEEP_OK, "%s",
                 error.text);
    return model;
}

static int param(const struct ppsweep_model *model, const char *name)
{
    const int p = ppsweep_model_find_param(model, name, NULL);
    cr_assert_geq(p, 0, "%s", name);
    return p;
}

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
#define NDSEARCH_INPUTS                                                                        \
    "{\"model\": [\"llama3-8b\", \"llama3-70b\"], \"cluster\": {\"hardware\": \"H100\", "      \
    "\"nnodes\": 8}}"
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
    for (int threads = 0; threads <= 4; threads++)
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

static int evaluate_few(struct ppsweep_model *model,
                        struct few *few,
                        const struct ppsweep_stop *stop,
                        struct ppsweep_error *error)
{
    const double *in[PPS_MAX_PARAMS] = {NULL};
    double *out[PPS_MAX_COLUMNS] = {NULL};
    in[param(model, "n")] = few->n;
    in[param(model, "sync_freq")] = few->sync_freq;
    in[param(model, "p_fwd_prop")] = few->priority;
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
    const int n = param(model, "n"), priority = param(model, "p_fwd_prop");
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

// ---- random points ------------------------------------------------------------------------------

enum { RANDOM = 3000 };

// Random values of all parameters, and all that a call returns for them.
struct random_points {
    double param[PPS_MAX_PARAMS][RANDOM], column[PPS_MAX_COLUMNS][RANDOM];
    unsigned char outcome[RANDOM];
    int detail[RANDOM];
};

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(*state >> 8) * below >> 24);
}

// Fills the points with small powers of two, mostly in range; each `rare` values on average hold
// one that often is not in range.
static void fill(struct random_points *r, const struct ppsweep_model *model, uint32_t rare)
{
    static const double odd[] = {NAN,           INFINITY, -INFINITY,
                                 -0.0,          -1,       -2,
                                 -30,           0,        0.5,
                                 1.5,           3,        1e300,
                                 -1e300,        1e-320,   0x1p51,
                                 0x1p52,        0x1p53,   1 << 20,
                                 (1 << 20) + 1, 0x1.8p52, 4095.9999999999995};
    uint32_t state = rare;
    for (int p = 0; p < ppsweep_model_params(model); p++) {
        const struct ppsweep_param *param = ppsweep_model_param(model, p);
        const uint32_t names = (uint32_t)param->n_names;
        for (size_t i = 0; i < RANDOM; i++) {
            double x = param->fallback;
            if (draw(&state, 6) == 0)
                x = names > 0 && param->min == 0 && param->max < 64
                        ? (double)draw(&state, names)
                        : (double)(1 << draw(&state, 4));
            if (draw(&state, rare) == 0)
                x = odd[draw(&state, sizeof odd / sizeof *odd)];
            r->param[p][i] = x;
        }
    }
}

static void evaluate_random(struct random_points *r,
                            struct ppsweep_model *model,
                            size_t first,
                            size_t n,
                            int threads)
{
    const double *in[PPS_MAX_PARAMS];
    double *out[PPS_MAX_COLUMNS];
    for (int p = 0; p < ppsweep_model_params(model); p++)
        in[p] = ppsweep_model_param(model, p)->fixed ? NULL : r->param[p] + first;
    for (int c = 0; c < ppsweep_model_columns(model); c++)
        out[c] = ppsweep_model_column(model, c)->text_size > 0 ? NULL : r->column[c] + first;
    const struct ppsweep_points points = {.size = sizeof points,
                                          .n = n,
                                          .param = in,
                                          .column = out,
                                          .outcome = r->outcome + first,
                                          .detail = r->detail + first,
                                          .threads = threads};
    cr_assert_eq(ppsweep_evaluate(model, &points, NULL), PPSWEEP_OK);
}

// Compares one call for all points with a call per point. Counts the points of each outcome.
static void compare_random(const char *kernel,
                           const char *inputs,
                           uint32_t rare,
                           size_t *counts)
{
    const struct ppsweep_model_options options = {.size = sizeof options,
                                                  .inputs = inputs,
                                                  .point_limit = inputs == NULL ? 5000 : 0};
    struct random_points *all = calloc(1, sizeof *all), *alone = calloc(1, sizeof *alone);
    struct ppsweep_model *model;
    struct ppsweep_error error;
    cr_assert_eq(ppsweep_model_open(&model, kernel, &options, &error), PPSWEEP_OK, "%s",
                 error.text);
    fill(all, model, rare);
    memcpy(alone->param, all->param, sizeof all->param);
    for (size_t i = 0; i < RANDOM; i++)
        evaluate_random(alone, model, i, 1, 1);
    for (int threads = 1; threads <= 2; threads++) {
        evaluate_random(all, model, 0, RANDOM, threads);
        for (size_t i = 0; i < RANDOM; i++) {
            cr_assert_eq(all->outcome[i], alone->outcome[i], "%s %u: point %zu", kernel, rare,
                         i);
            cr_assert_eq(all->detail[i], alone->detail[i], "%s %u: point %zu", kernel, rare, i);
            counts[all->outcome[i]]++;
        }
        cr_assert_eq(memcmp(all->column, alone->column, sizeof all->column), 0, "%s %u", kernel,
                     rare);
    }
    ppsweep_model_close(model);
    free(all);
    free(alone);
}

// Would catch limits or rules of many points that differ from those of one point, wherever the
// invalid and skipped points are, and results at the place of another point; with sanitizers also a
// document that is looked up by a number out of range.
Test(library_evaluate, random_points_one_call_or_many)
{
    static const uint32_t rare[] = {20, 200, 2000, 20000};
    for (size_t k = 0; k < sizeof rare / sizeof *rare; k++) {
        size_t counts[PPSWEEP_INVALID + 1] = {0};
        compare_random("contention", NULL, rare[k], counts);
        compare_random("ndsearch", "{\"model\": \"deepseek-v3\", \"cluster\": \"h100\"}",
                       rare[k], counts);
        compare_random("ndsearch", NDSEARCH_INPUTS, rare[k], counts);
        cr_assert_gt(counts[PPSWEEP_DONE], 0);
        cr_assert_gt(counts[PPSWEEP_SKIPPED], 0);
        cr_assert_gt(counts[PPSWEEP_INVALID], 0);
    }
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
    in[param(model, "tp")] = tp;
    in[param(model, "pp")] = pp;
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

// ---- models -------------------------------------------------------------------------------------

// Opens a model that must be refused with this message at this place.
static void refused(const char *kernel,
                    const char *inputs,
                    const char *options,
                    const char *file,
                    int line,
                    int column,
                    const char *text)
{
    const struct ppsweep_model_options all = {.size = sizeof all,
                                              .inputs = inputs,
                                              .options = options};
    struct ppsweep_model *model = open_model("contention", NULL), *before = model;
    struct ppsweep_error error;
    cr_assert_eq(ppsweep_model_open(&model, kernel, &all, &error), PPSWEEP_E_INPUT);
    cr_assert_null(model);
    cr_assert_eq(error.code, PPSWEEP_E_INPUT);
    cr_assert(strstr(error.text, text) != NULL, "%s", error.text);
    cr_assert_str_eq(error.file, file);
    cr_assert_eq(error.line, line, "%d", error.line);
    cr_assert_eq(error.column, column, "%d", error.column);
    ppsweep_model_close(before);
}

// Would catch an error that loses its place.
Test(library_model, errors_have_places)
{
    refused("contentoin", NULL, NULL, "", 0, 0, "did you mean contention?");
    refused("ndsearch", NULL, NULL, "", 0, 0, "model");
    refused("ndsearch", "{\"model\":\n  \"llama3-8x\"}", NULL, "inputs", 2, 3, "llama3-8x");
    refused("ndsearch", "{\"model\": {\"layers\": 0}}", NULL, "inputs", 1, 12, "layers");
    refused("contention", "{\"model\": {}}", NULL, "inputs", 1, 1, "takes no inputs");
    refused("contention", NULL, "{\"priority_stop\": 0.5}", "options", 1, 2,
            "did you mean priority_step?");
    refused("contention", NULL, "{\"priority_step\": 0.3}", "options", 1, 19, "priority_step");
    refused("contention", NULL, "[1]", "options", 1, 1, "expected an object");
    refused("contention", "{", NULL, "inputs", 1, 2, "");
}

// Would catch a call that crashes or succeeds without its arguments.
Test(library_model, null)
{
    struct ppsweep_model *model = open_model("contention", NULL);
    struct ppsweep_error error;
    struct ppsweep_points points = {.size = sizeof points, .n = 1};
    double value;
    char text[PPSWEEP_VALUE_TEXT];
    ppsweep_model_close(NULL);
    ppsweep_stop_close(NULL);
    ppsweep_stop_raise(NULL);
    ppsweep_stop_lower(NULL);
    cr_assert_eq(ppsweep_model_open(NULL, "contention", NULL, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_evaluate(NULL, &points, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_evaluate(model, NULL, &error), PPSWEEP_E_CALL);
    points.size = 4;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    cr_assert(strstr(error.text, "ppsweep_points") != NULL, "%s", error.text);
    cr_assert_eq(ppsweep_model_params(NULL), 0);
    cr_assert_eq(ppsweep_model_columns(NULL), 0);
    cr_assert_null(ppsweep_model_param(NULL, 0));
    cr_assert_null(ppsweep_model_param(model, -1));
    cr_assert_null(ppsweep_model_column(model, ppsweep_model_columns(model)));
    cr_assert_eq(ppsweep_model_find_param(model, NULL, &error), -1);
    cr_assert_eq(ppsweep_model_find_param(NULL, "n", &error), -1);
    cr_assert_eq(ppsweep_encode(model, 0, NULL, &value, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_encode(model, 0, "8", NULL, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_encode(model, 99, "8", &value, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_decode(NULL, 0, 8, text, &error), PPSWEEP_E_CALL);
    cr_assert_eq(ppsweep_model_combinations(NULL), 0);
    cr_assert_eq(ppsweep_model_combination(model, 0, 1, NULL, &error), PPSWEEP_E_CALL);
    cr_assert_str_eq(ppsweep_model_kernel(NULL), "");
    ppsweep_model_close(model);
}

Test(library_model, wrong_names)
{
    struct ppsweep_model *model = open_model("contention", NULL);
    struct ppsweep_error error;
    cr_assert_eq(ppsweep_model_find_param(model, "sync_frq", &error), -1);
    cr_assert(strstr(error.text, "did you mean sync_freq?") != NULL, "%s", error.text);
    cr_assert_eq(ppsweep_model_find_column(model, "total_tme", &error), -1);
    cr_assert(strstr(error.text, "did you mean total_time?") != NULL, "%s", error.text);
    cr_assert_eq(ppsweep_model_find_column(model, "total_time", &error), 0);
    ppsweep_model_close(model);
}

// Would catch an array of a parameter that documents set, and columns of the wrong kind.
Test(library_model, wrong_arrays)
{
    struct ppsweep_model *model = open_model("ndsearch", "{\"model\": \"llama3-8b\"}");
    const double one = 1, *in[PPS_MAX_PARAMS] = {NULL};
    double x, *out[PPS_MAX_COLUMNS] = {NULL};
    char text[4096], *texts[PPS_MAX_COLUMNS] = {text};
    struct ppsweep_error error;
    struct ppsweep_points points = {.size = sizeof points, .n = 1, .param = in};
    in[param(model, "layers")] = &one;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    cr_assert(strstr(error.text, "layers") != NULL, "%s", error.text);
    points.param = NULL;
    points.text = texts;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    points.text = NULL;
    points.column = out;
    for (int c = 0; c < ppsweep_model_columns(model); c++)
        out[c] = ppsweep_model_column(model, c)->text_size > 0 ? &x : NULL;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    points.column = NULL;
    points.threads = -1;
    cr_assert_eq(ppsweep_evaluate(model, &points, &error), PPSWEEP_E_CALL);
    ppsweep_model_close(model);
}

// Would catch a value that changes on its way through text.
Test(library_model, values_as_text)
{
    struct ppsweep_model *model = open_model("contention", NULL);
    struct ppsweep_error error;
    static const struct {
        const char *param, *text;
        double value;
    } cases[] = {{"n", "8", 8},
                 {"fwd_len", "0.25", 0.25},
                 {"pipeline", "gpipe", 1},
                 {"congestion", "true", 1},
                 {"p_fwd_prop", "c", -3},
                 {"p_fwd_prop", "0.5", 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int p = param(model, cases[i].param);
        char text[PPSWEEP_VALUE_TEXT];
        double value;
        cr_assert_eq(ppsweep_encode(model, p, cases[i].text, &value, &error), PPSWEEP_OK);
        cr_assert_eq(value, cases[i].value);
        cr_assert_eq(ppsweep_decode(model, p, value, text, &error), PPSWEEP_OK);
        cr_assert_str_eq(text, cases[i].text);
    }
    double value;
    char text[PPSWEEP_VALUE_TEXT];
    cr_assert_eq(ppsweep_encode(model, param(model, "n"), "0", &value, &error),
                 PPSWEEP_E_INPUT);
    cr_assert(strstr(error.text, "n: expected a whole number") != NULL, "%s", error.text);
    cr_assert_eq(ppsweep_decode(model, param(model, "n"), 0.5, text, &error), PPSWEEP_E_INPUT);
    cr_assert_eq(ppsweep_decode(model, param(model, "pipeline"), 2, text, &error),
                 PPSWEEP_E_INPUT);
    ppsweep_model_close(model);
}

// Would catch combinations in another order than that of an experiment, or with unrounded values.
Test(library_model, combinations_are_those_of_an_experiment)
{
    const struct ppsweep_model_options options = {.size = sizeof options,
                                                  .options = "{\"priority_step\": 0.1}"};
    struct pps_request request = {.kernels = pps_kernels,
                                  .text = "{\"n\": 8, \"priority_step\": 0.1}"};
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    struct pps_experiment *e;
    struct pps_error err;
    struct ppsweep_model *model;
    cr_assert_eq(pps_experiment_load(&e, &request, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(ppsweep_model_open(&model, "contention", &options, NULL), PPSWEEP_OK);
    const uint64_t n = ppsweep_model_combinations(model);
    cr_assert_eq(n, e->n_points);
    double *values[PPS_MAX_PARAMS] = {NULL};
    for (int p = 0; p < ppsweep_model_params(model); p++)
        if (ppsweep_model_param(model, p)->combined)
            values[p] = calloc(n, sizeof(double));
    cr_assert_eq(ppsweep_model_combination(model, 0, n, values, NULL), PPSWEEP_OK);
    for (uint64_t i = 0; i < n; i++) {
        pps_cursor_seek(cursor, &e->space, i);
        for (int p = 0; p < ppsweep_model_params(model); p++)
            if (values[p] != NULL)
                cr_assert_eq(values[p][i], cursor->point[p], "%d", p);
    }
    cr_assert_eq(ppsweep_model_combination(model, n, 1, values, NULL), PPSWEEP_E_CALL);
    for (int p = 0; p < PPS_MAX_PARAMS; p++)
        free(values[p]);
    ppsweep_model_close(model);
    pps_experiment_free(e);
    free(cursor);
}

// Would catch limits that differ from the limits of an experiment.
Test(library_model, limits_are_those_of_an_experiment)
{
    static const double around[] = {-28, -27,    -26,    -1.5,  -1,       -0.5, 0,   1e-320,
                                    0.5, 1,      1.5,    2,     4096,     4097, 1e6, 1000001,
                                    1e9, 0x1p52, 0x1p53, 1e300, INFINITY, NAN};
    for (int k = 0; ppsweep_kernel_name(k) != NULL; k++) {
        struct ppsweep_model *model =
            open_model(ppsweep_kernel_name(k), strcmp(ppsweep_kernel_name(k), "ndsearch") == 0
                                                   ? "{\"model\": \"llama3-8b\"}"
                                                   : NULL);
        const struct pps_kernel *kernel = pps_kernels_find(pps_kernels, ppsweep_kernel_name(k));
        for (int p = 0; p < kernel->n_params; p++) {
            char why[PPS_WHY], text[PPSWEEP_VALUE_TEXT];
            if (kernel->params[p].kind != PPS_INTEGER && kernel->params[p].kind != PPS_REAL)
                continue;
            for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
                const bool name = around[i] <= -1 && kernel->params[p].names != NULL;
                if (!name)
                    cr_assert_eq(ppsweep_decode(model, p, around[i], text, NULL) == PPSWEEP_OK,
                                 pps_value_check(&kernel->params[p], around[i], why),
                                 "%s %g: %s", kernel->params[p].name, around[i], why);
            }
        }
        ppsweep_model_close(model);
    }
}
