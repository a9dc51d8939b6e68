// SPDX-License-Identifier: Apache-2.0
// Memory figures: as text, from a model, and from peaks of calibration runs.
#include "planner/figures/memory_figures.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/near.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct nd_figures MEMORY = {.select_mem0 = 1.5,
                                         .select_mem12 = 1.5,
                                         .select_mem = 2,
                                         .re_comp_mem0 = 3,
                                         .re_comp_mem12 = 3,
                                         .re_comp_mem = 4,
                                         .act_mem0 = 5,
                                         .act_mem12 = 5,
                                         .act_mem = 6,
                                         .layer_mem012 = 7,
                                         .layer_mem = 8,
                                         .static_mem0 = 9,
                                         .static_mem = 1e-3,
                                         .lm_head_mem = 11};

// ---- text ---------------------------------------------------------------------------------------

// Written figures read back unchanged, and their lines have the usual order.
Test(nd_figures, text_round_trip)
{
    struct text_buffer text = {0};
    struct nd_figures read;
    struct pps_fault fault = {0};
    nd_figures_write(&text, &MEMORY);
    cr_assert_str_eq(text.text,
                     "select_mem0=1.5\nselect_mem12=1.5\nselect_mem=2\nre_comp_mem0=3\n"
                     "re_comp_mem12=3\nre_comp_mem=4\nact_mem0=5\nact_mem12=5\nact_mem=6\n"
                     "layer_mem012=7\nlayer_mem=8\nstatic_mem0=9\nstatic_mem=0.001\n"
                     "lm_head_mem=11\n");
    cr_assert(nd_figures_read(&read, text.text, text.n, &fault), "%s", fault.text);
    cr_assert_eq(memcmp(&read, &MEMORY, sizeof read), 0);
    text_buffer_free(&text);
}

Test(nd_figures, one_name_of_type_1_does_for_both)
{
    const char *text = "\xef\xbb\xbf# figures\r\n\r\n  select_mem12 = 1.5\r\nselect_mem=2\n"
                       "re_comp_mem0=3\nre_comp_mem=4\nact_mem12=5\nact_mem=6\nlayer_mem012=7\n"
                       "layer_mem=8\nstatic_mem0=9\nstatic_mem=1e-3\nlm_head_mem=11";
    struct nd_figures read;
    struct pps_fault fault = {0};
    cr_assert(nd_figures_read(&read, text, strlen(text), &fault), "%s", fault.text);
    cr_assert_eq(memcmp(&read, &MEMORY, sizeof read), 0);
}

Test(nd_figures, text_that_is_refused)
{
    static const struct {
        const char *text;
        int64_t line, column;
        const char *message;
    } CASES[] = {
        {"", 0, 0, "select_mem0: is missing"},
        {"act_mem=6\n", 0, 0, "select_mem0: is missing"},
        {"# x\n act_mem 6\n", 2, 2, "act_mem 6: must be key=value"},
        {"act=6\n", 1, 1, "act: is not a memory figure"},
        {"=6\n", 1, 1, ": is not a memory figure"},
        {"act_mem=6\nact_mem=7\n", 2, 1, "act_mem: appears twice"},
        {"act_mem=6MB\n", 1, 9, "act_mem: must be MiB, a number >= 0"},
        {"act_mem=\n", 1, 9, "act_mem: must be MiB, a number >= 0"},
        {"act_mem=-1\n", 1, 9, "act_mem: must be MiB, a number >= 0"},
        {"act_mem=1e999\n", 1, 9, "act_mem: must be MiB, a number >= 0"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct nd_figures read;
        struct pps_fault fault = {0};
        cr_assert(!nd_figures_read(&read, CASES[i].text, strlen(CASES[i].text), &fault), "%zu",
                  i);
        cr_assert_str_eq(fault.text, CASES[i].message, "%zu: %s", i, fault.text);
        cr_assert(fault.line == CASES[i].line && fault.column == CASES[i].column,
                  "%zu: %ld:%ld", i, (long)fault.line, (long)fault.column);
    }
}

Test(nd_figures, names)
{
    char name[ND_NAME_CAP];
    const struct nd_figures_key key = {{3, 59}, 64, 128, 1, 16, 1, 64};
    cr_assert_str_eq(nd_figures_name(name, &key), "layers3_59_micro64_dp128_tp1_pp16_vp1_ep64");
}

// ---- calibration --------------------------------------------------------------------------------

static cJSON *golden(void)
{
    size_t n;
    char *text = slurp(PPS_GOLDEN "/ndsearch/memextract_a.json", &n);
    cJSON *document = cJSON_Parse(text);
    cr_assert(document != NULL);
    free(text);
    return document;
}

static struct nd_calibration calibration_of(const cJSON *document, enum nd_layout layout)
{
    struct nd_calibration calibration;
    struct pps_fault fault;
    cr_assert(nd_calibration_read(&calibration, layout, document, &fault), "%s", fault.text);
    return calibration;
}

Test(nd_figures, calibration_as_published)
{
    cJSON *document = golden();
    const cJSON *test;
    cJSON_ArrayForEach (test, cJSON_GetObjectItem(document, "cases")) {
        const struct nd_calibration calibration = calibration_of(test, ND_LAYOUT_16);
        const cJSON *expected = cJSON_GetObjectItem(test, "expected");
        struct nd_figures memory;
        struct nd_calibration_fit fit;
        nd_figures_of_calibration(&memory, &calibration, ND_ORIG, false, &fit);
        near(memory.select_mem12, golden_real(expected, "select_mem12"), 1e-6, "select_mem12");
        near(memory.select_mem, golden_real(expected, "select_mem"), 1e-6, "select_mem");
        near(memory.re_comp_mem12, golden_real(expected, "re_comp_mem12"), 1e-6,
             "re_comp_mem12");
        near(memory.re_comp_mem, golden_real(expected, "re_comp_mem"), 1e-6, "re_comp_mem");
        near(memory.act_mem12, golden_real(expected, "act_mem12"), 1e-6, "act_mem12");
        near(memory.act_mem, golden_real(expected, "act_mem"), 1e-6, "act_mem");
        near(memory.layer_mem012, golden_real(expected, "layer_mem012"), 1e-6, "layer_mem012");
        near(memory.layer_mem, golden_real(expected, "layer_mem"), 1e-6, "layer_mem");
        near(memory.static_mem0, golden_real(expected, "static_mem0"), 1e-6, "static_mem0");
        near(memory.static_mem, golden_real(expected, "static_mem"), 1e-6, "static_mem");
        near(memory.lm_head_mem, golden_real(expected, "lm_head_mem"), 1e-6, "lm_head_mem");
        cr_assert_eq(memory.select_mem0, memory.select_mem12);
    }
    cJSON_Delete(document);
}

// Sum of relative errors against the figures that made the peaks.
static double distance(const struct nd_figures *memory, const cJSON *made)
{
    const double frag = golden_real(made, "frag");
    return fabs(memory->select_mem12 / golden_real(made, "se1") - 1.0) +
           fabs(memory->select_mem / golden_real(made, "se2") - 1.0) +
           fabs(memory->re_comp_mem12 / golden_real(made, "re1") - 1.0) +
           fabs(memory->re_comp_mem / golden_real(made, "re2") - 1.0) +
           fabs(memory->act_mem12 / golden_real(made, "ac1") - 1.0) +
           fabs(memory->act_mem / golden_real(made, "ac2") - 1.0) +
           fabs(memory->layer_mem012 / golden_real(made, "ly1") - 1.0) +
           fabs(memory->layer_mem / golden_real(made, "ly2") - 1.0) +
           fabs(memory->static_mem0 / (golden_real(made, "st0") + frag) - 1.0) +
           fabs(memory->static_mem / (golden_real(made, "st") + frag) - 1.0) +
           fabs(memory->lm_head_mem / (golden_real(made, "head") + frag) - 1.0);
}

// The fit finds the figures where peaks are exact, and comes nearer than differences of two
// stages where they are not.
Test(nd_figures, calibration_of_all_stages)
{
    cJSON *document = golden();
    const cJSON *test;
    int i = 0;
    cJSON_ArrayForEach (test, cJSON_GetObjectItem(document, "cases")) {
        const struct nd_calibration calibration = calibration_of(test, ND_LAYOUT_16);
        const cJSON *made = cJSON_GetObjectItem(test, "true_generator");
        struct nd_figures fitted, published;
        struct nd_calibration_fit fit, of_published;
        nd_figures_of_calibration(&fitted, &calibration, ND_CORRECTED, false, &fit);
        nd_figures_of_calibration(&published, &calibration, ND_ORIG, false, &of_published);
        if (i++ == 0) {
            cr_assert_lt(distance(&fitted, made), 1e-9);
            cr_assert_lt(fit.worst_mb, 1e-6);
            continue;
        }
        cr_assert_lt(distance(&fitted, made), distance(&published, made));
        cr_assert_lt(fit.residual_mb, of_published.residual_mb);
        cr_assert(fit.worst_mb >= fit.residual_mb && fit.residual_mb > 0.1 &&
                  fit.worst_mb < 5.0);
    }
    cJSON_Delete(document);
}

// Where noise would make a figure negative, it is 0. Published, the last difference is negative.
Test(nd_figures, no_figure_is_negative)
{
    cJSON *document = golden();
    struct nd_calibration calibration = calibration_of(
        cJSON_GetArrayItem(cJSON_GetObjectItem(document, "cases"), 0), ND_LAYOUT_16);
    struct nd_figures memory;
    struct nd_calibration_fit fit;
    calibration.peak[12] = 3000;
    nd_figures_of_calibration(&memory, &calibration, ND_ORIG, false, &fit);
    cr_assert_lt(memory.act_mem, 0.0);
    nd_figures_of_calibration(&memory, &calibration, ND_CORRECTED, false, &fit);
    double figures[14];
    memcpy(figures, &memory, sizeof figures);
    for (int i = 0; i < 14; i++)
        cr_assert_geq(figures[i], 0.0);
    cr_assert_gt(fit.worst_mb, 100.0);
    cJSON_Delete(document);
}

Test(nd_figures, frameworks_that_recompute_no_single_layer)
{
    cJSON *document = golden();
    const struct nd_calibration calibration = calibration_of(
        cJSON_GetArrayItem(cJSON_GetObjectItem(document, "cases"), 0), ND_LAYOUT_16);
    struct nd_figures memory;
    struct nd_calibration_fit fit;
    nd_figures_of_calibration(&memory, &calibration, ND_ORIG, true, &fit);
    cr_assert(memory.re_comp_mem == memory.act_mem && memory.re_comp_mem0 == memory.act_mem0);
    cr_assert_eq(memory.act_mem, 700.0);
    cJSON_Delete(document);
}

// Peaks of 13 stages, made from known figures, give these figures back. Stage, layers, full,
// selective: counted here once more, by hand.
Test(nd_figures, calibration_of_13_stages)
{
    static const int LAYERS[13] = {6, 7, 4, 6, 5, 7, 1, 7, 4, 6, 6, 7, 6};
    static const int FULL[13] = {6, 4, 2, 3, 0, 0, 0, 4, 2, 3, 0, 0, 6};
    static const int PART[13] = {0, 0, 0, 0, 1, 4, 0, 1, 1, 0, 2, 4, 0};
    struct nd_calibration calibration = {.layout = ND_LAYOUT_13};
    for (int i = 0; i < 13; i++) {
        const int live = 13 - i, plain = LAYERS[i] - FULL[i] - PART[i];
        const double kept = i < 7 ? 500 * plain + 30 * FULL[i] + 400 * PART[i]
                                  : 700 * plain + 60 * FULL[i] + 600 * PART[i];
        calibration.peak[i] = (i == 0    ? 3400
                               : i == 12 ? 8700
                                         : 2400) +
                              LAYERS[i] * (i < 7 ? 800 : 2000) + live * kept;
    }
    memcpy(calibration.actual, calibration.peak, sizeof calibration.actual);
    for (int compat = ND_CORRECTED; compat <= ND_ORIG; compat++) {
        struct nd_figures memory;
        struct nd_calibration_fit fit;
        nd_figures_of_calibration(&memory, &calibration, compat, false, &fit);
        near(memory.act_mem12, 500, 1e-6, "act_mem12");
        near(memory.re_comp_mem12, 30, 1e-6, "re_comp_mem12");
        near(memory.select_mem12, 400, 1e-6, "select_mem12");
        near(memory.act_mem, 700, 1e-6, "act_mem");
        near(memory.re_comp_mem, 60, 1e-6, "re_comp_mem");
        near(memory.select_mem, 600, 1e-6, "select_mem");
        near(memory.layer_mem012, 800, 1e-6, "layer_mem012");
        near(memory.layer_mem, 2000, 1e-6, "layer_mem");
        near(memory.static_mem0, 3400, 1e-6, "static_mem0");
        near(memory.static_mem, 2400, 1e-6, "static_mem");
        near(memory.lm_head_mem, 8700, 1e-6, "lm_head_mem");
        cr_assert_lt(fit.worst_mb, 1e-6);
    }
}

Test(nd_figures, calibrations_that_are_refused)
{
    static const char *const CASES[][2] = {
        {"[1]", "must be an object with peak_mb"},
        {"{}", "peak_mb: must be a list of 13 peaks, one per stage"},
        {"{\"peak_mb\":[1,2]}", "peak_mb: must be a list of 13 peaks, one per stage"},
        {"{\"peak_mb\":[1,1,1,1,1,1,1,1,1,1,1,1,0]}",
         "peak_mb: dry run failed: stage 12 has peak 0"},
        {"{\"peak_mb\":[1,-1,1,1,1,1,1,1,1,1,1,1,1]}",
         "peak_mb: stage 1: must be MiB, a number >= 0"},
        {"{\"peak_mb\":[1,\"1\",1,1,1,1,1,1,1,1,1,1,1]}",
         "peak_mb: stage 1: must be MiB, a number >= 0"},
        {"{\"peak_mb\":[1,1,1,1,1,1,1,1,1,1,1,1,1],\"actual_peak_mb\":4}",
         "actual_peak_mb: must be a list of 13 peaks, one per stage"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        cJSON *document = cJSON_Parse(CASES[i][0]);
        struct nd_calibration calibration;
        struct pps_fault fault = {.text = ""};
        cr_assert(!nd_calibration_read(&calibration, ND_LAYOUT_13, document, &fault), "%zu", i);
        cr_assert_str_eq(fault.text, CASES[i][1]);
        cJSON_Delete(document);
    }
}
