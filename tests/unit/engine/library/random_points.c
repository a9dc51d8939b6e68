// SPDX-License-Identifier: Apache-2.0
// The C library evaluates random points, valid or not: in one call with the same results as in a
// call per point.
#include "engine/experiment/experiment.h"
#include "tests/unit/support/engine/library_calls.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static void evaluate_random(struct random_points *r, struct ppsweep_model *model, size_t first,
                            size_t n, int threads)
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
static void compare_random(const char *kernel, const char *inputs, uint32_t rare,
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
