// SPDX-License-Identifier: Apache-2.0
// Fits memory figures to the peaks of a calibration run whose stages differ in one property each.
#include "planner/figures/memory_figures.h"

#include "base/math/least_squares.h"
#include "base/text/number.h"
#include "kernels/common/interleaved/memory_line.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

// Stages before `first_usual` hold type-1 layers, the others type-2 layers.
struct layout {
    int stages, first_usual, micro_batches;
    int layers[ND_CALIBRATION_STAGES];
    int full[ND_CALIBRATION_STAGES]; // layers with full recompute
    int part[ND_CALIBRATION_STAGES]; // layers with selective recompute
};

static const struct layout LAYOUTS[] = {
    [ND_LAYOUT_16] = {16,
                      8,
                      32,
                      {1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 1},
                      {1, 1, 1, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0, 2, 1},
                      {0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0}},
    [ND_LAYOUT_13] = {13,
                      7,
                      39,
                      {6, 7, 4, 6, 5, 7, 1, 7, 4, 6, 6, 7, 6},
                      {6, 4, 2, 3, 0, 0, 0, 4, 2, 3, 0, 0, 6},
                      {0, 0, 0, 0, 1, 4, 0, 1, 1, 0, 2, 4, 0}},
};

// ---- the document -------------------------------------------------------------------------------

static bool read_peaks(double *peaks, int n, const cJSON *list, const char *key,
                       struct pps_fault *fault)
{
    const cJSON *item;
    int i = 0;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != n)
        return pps_fault_set(fault, list, false,
                             "%s: must be a list of %d peaks, one per stage", key, n);
    cJSON_ArrayForEach (item, list) {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0.0) || isinf(item->valuedouble))
            return pps_fault_set(fault, item, false, "%s: stage %d: must be MiB, a number >= 0",
                                 key, i);
        if (item->valuedouble == 0.0)
            return pps_fault_set(fault, item, false, "%s: dry run failed: stage %d has peak 0",
                                 key, i);
        peaks[i++] = item->valuedouble;
    }
    return true;
}

bool nd_calibration_read(struct nd_calibration *calibration, enum nd_layout layout,
                         const struct cJSON *document, struct pps_fault *fault)
{
    const int n = LAYOUTS[layout].stages;
    *calibration = (struct nd_calibration){.layout = layout};
    if (!cJSON_IsObject(document))
        return pps_fault_set(fault, document, false, "must be an object with peak_mb");
    const cJSON *peak = cJSON_GetObjectItemCaseSensitive(document, "peak_mb");
    const cJSON *actual = cJSON_GetObjectItemCaseSensitive(document, "actual_peak_mb");
    if (!read_peaks(calibration->peak, n, peak, "peak_mb", fault))
        return false;
    if (actual != NULL)
        return read_peaks(calibration->actual, n, actual, "actual_peak_mb", fault);
    memcpy(calibration->actual, calibration->peak, sizeof calibration->actual);
    return true;
}

// ---- the parts of a stage's peak ----------------------------------------------------------------

enum {
    STATIC0,
    STATIC,
    HEAD,
    LAYER1,
    ACT1,
    SELECT1,
    FULL1,
    LAYER2,
    ACT2,
    SELECT2,
    FULL2,
    UNKNOWNS
};

static double live(const struct layout *layout, int stage)
{
    return memline_1f1b(layout->stages, layout->micro_batches, stage);
}

static int part_of(const struct layout *layout, int stage)
{
    return stage == 0 ? STATIC0 : stage == layout->stages - 1 ? HEAD : STATIC;
}

// Fills the row of a stage: how many times each unknown is part of the stage's peak.
static void fill_row(const struct layout *layout, int stage, double *row)
{
    const int type = stage < layout->first_usual ? LAYER1 : LAYER2;
    const int plain = layout->layers[stage] - layout->full[stage] - layout->part[stage];
    const double n = live(layout, stage);
    memset(row, 0, UNKNOWNS * sizeof *row);
    row[part_of(layout, stage)] = 1.0;
    row[type] = layout->layers[stage];
    row[type + ACT1 - LAYER1] = n * plain;
    row[type + SELECT1 - LAYER1] = n * layout->part[stage];
    row[type + FULL1 - LAYER1] = n * layout->full[stage];
}

// ---- corrected: all stages at once --------------------------------------------------------------

static void fit_all(const struct layout *layout, const struct nd_calibration *peaks, double *x)
{
    double a[ND_CALIBRATION_STAGES * UNKNOWNS];
    struct least_squares_result result;
    for (int i = 0; i < layout->stages; i++)
        fill_row(layout, i, &a[i * UNKNOWNS]);
    const struct least_squares problem = {layout->stages, UNKNOWNS, a, peaks->peak};
    // With so few unknowns the loop ends; the best solution so far would be good enough otherwise.
    const bool ended = least_squares_nonnegative(&problem, &result);
    (void)ended;
    memcpy(x, result.x, UNKNOWNS * sizeof *x);
}

static void add_fragments(const struct layout *layout, const struct nd_calibration *peaks,
                          double *x)
{
    double sum = 0.0;
    const int last = layout->stages - 1;
    for (int i = 1; i < last; i++)
        sum += peaks->actual[i] - peaks->peak[i];
    x[STATIC0] += fmax(0.0, peaks->actual[0] - peaks->peak[0]);
    x[HEAD] += fmax(0.0, peaks->actual[last] - peaks->peak[last]);
    x[STATIC] += fmax(0.0, sum / (last - 1));
}

// ---- as published -------------------------------------------------------------------------------

// Returns the memory of one more live layer, from two stages that differ only in live layers.
static double between(const struct layout *layout, const double *peaks, int i, int j)
{
    const double n_i = layout->layers[i] * live(layout, i);
    const double n_j = layout->layers[j] * live(layout, j);
    return (peaks[i] - peaks[j]) / (n_i - n_j);
}

static void take_differences(const struct layout *layout, const struct nd_calibration *peaks,
                             double *x)
{
    const double *p = peaks->peak, *q = peaks->actual;
    x[SELECT1] = fmax(0.0, between(layout, p, 3, 4));
    x[SELECT2] = fmax(0.0, between(layout, p, 10, 11));
    x[FULL1] = fmax(0.0, between(layout, p, 1, 2));
    x[FULL2] = fmax(0.0, between(layout, p, 8, 9));
    x[ACT1] = fmax(0.0, between(layout, p, 5, 6));
    x[ACT2] = between(layout, p, 12, 13);
    x[LAYER1] = p[7] - p[1] - x[FULL1] * (2.0 * live(layout, 7) - live(layout, 1));
    x[LAYER2] = p[14] - p[9] - x[FULL2] * (2.0 * live(layout, 14) - live(layout, 9));
    x[STATIC0] = q[0] - x[LAYER1] - x[FULL1] * live(layout, 0);
    x[STATIC] = q[14] - 2.0 * x[LAYER2] - x[FULL2] * 2.0 * live(layout, 14);
    x[HEAD] = q[15] - x[LAYER2] - x[FULL2] * live(layout, 15);
}

// Solves for constant, layer, act, select and full of one type, with the peaks of five stages from
// `first` on. Returns the constant.
static double fit_five(const struct layout *layout, const double *peaks, int first, int type,
                       double *x)
{
    enum { FIVE = 5 };
    double a[FIVE * FIVE], row[UNKNOWNS];
    struct least_squares_result result;
    for (int i = 0; i < FIVE; i++) {
        fill_row(layout, first + i, row);
        a[i * FIVE] = 1.0;
        memcpy(&a[i * FIVE + 1], &row[type], (FIVE - 1) * sizeof *a);
    }
    least_squares_plain(&(struct least_squares){FIVE, FIVE, a, peaks + first}, &result);
    for (int j = 1; j < FIVE; j++)
        x[type + j - 1] = number_text_round(result.x[j], 1);
    return number_text_round(result.x[0], 1);
}

// Returns the part of a stage's peak that the figures of its layers do not explain.
static double rest(const struct layout *layout, const double *peaks, int stage, const double *x)
{
    double row[UNKNOWNS];
    double left = peaks[stage];
    fill_row(layout, stage, row);
    for (int j = LAYER1; j < UNKNOWNS; j++)
        left -= row[j] * x[j];
    return left;
}

static void take_fives(const struct layout *layout, const struct nd_calibration *peaks,
                       double *x)
{
    const double *q = peaks->actual;
    const double constant1 = fit_five(layout, q, 1, LAYER1, x);
    const double constant2 = fit_five(layout, q, layout->first_usual, LAYER2, x);
    x[STATIC] = (constant1 + constant2) / 2.0;
    x[STATIC0] = rest(layout, q, 0, x);
    x[HEAD] = rest(layout, q, layout->stages - 1, x);
}

// ---- errors -------------------------------------------------------------------------------------

// Computes the errors of the figures at the peaks to which the figures were fitted.
static void take_errors(const struct layout *layout, const double *peaks, const double *x,
                        struct nd_calibration_fit *fit)
{
    double squares = 0.0;
    *fit = (struct nd_calibration_fit){0};
    for (int i = 0; i < layout->stages; i++) {
        const double error = fabs(rest(layout, peaks, i, x) - x[part_of(layout, i)]);
        squares += error * error;
        if (error > fit->worst_mb) {
            fit->worst_mb = error;
            fit->worst_stage = i;
        }
    }
    fit->residual_mb = sqrt(squares / layout->stages);
}

void nd_figures_of_calibration(struct nd_figures *memory,
                               const struct nd_calibration *calibration, enum nd_compat compat,
                               bool whole_layers, struct nd_calibration_fit *fit)
{
    const struct layout *layout = &LAYOUTS[calibration->layout];
    double x[UNKNOWNS];
    if (compat == ND_CORRECTED)
        fit_all(layout, calibration, x);
    else if (calibration->layout == ND_LAYOUT_16)
        take_differences(layout, calibration, x);
    else
        take_fives(layout, calibration, x);
    take_errors(layout, compat == ND_CORRECTED ? calibration->peak : calibration->actual, x,
                fit);
    if (compat == ND_CORRECTED)
        add_fragments(layout, calibration, x);
    *memory = (struct nd_figures){
        .select_mem0 = x[SELECT1],
        .select_mem12 = x[SELECT1],
        .select_mem = x[SELECT2],
        .re_comp_mem0 = whole_layers ? x[ACT1] : x[FULL1],
        .re_comp_mem12 = whole_layers ? x[ACT1] : x[FULL1],
        .re_comp_mem = whole_layers ? x[ACT2] : x[FULL2],
        .act_mem0 = x[ACT1],
        .act_mem12 = x[ACT1],
        .act_mem = x[ACT2],
        .layer_mem012 = x[LAYER1],
        .layer_mem = x[LAYER2],
        .static_mem0 = x[STATIC0],
        .static_mem = x[STATIC],
        .lm_head_mem = x[HEAD],
    };
}
