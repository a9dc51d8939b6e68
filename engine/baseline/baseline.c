// SPDX-License-Identifier: Apache-2.0
// Computes baselines of rows with the kernel, and remembers them by the other parameters.
#include "engine/baseline/baseline.h"

#include "base/text/decimal.h"
#include "base/text/grow_list.h"
#include "base/text/say.h"
#include "base/text/string_pool.h"
#include "base/text/text_buffer.h"
#include "engine/experiment/documents.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/kernel_calls.h"
#include "engine/point/artifact.h"
#include "engine/point/one_point.h"
#include "engine/space/axis.h"
#include "engine/space/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pps_baseline {
    const struct pps_kernel *kernel;
    struct pps_documents *inputs;
    const char *words;
    char note[160]; // of the column of the gain
    const atomic_bool *stop;
    const char *name; // of the objective; NULL: what ranks the rows
    int column;       // of the kernel: the objective
    bool higher;
    double first[PPS_MAX_PARAMS]; // row 1 of the result: constants
    double set[PPS_MAX_PARAMS];   // values of the baseline
    uint64_t is_set, shown;       // bit sets of parameters
    // Of the view.
    int objective;
    int param[PPS_MAX_PARAMS]; // column of parameter p; -1: none
    // Baselines by the text of the other parameters.
    struct pps_string_pool points;
    double *values; // NAN: none
    size_t room;
    struct text_buffer key;
    uint64_t n_failed;
    const char *why; // reason of the first baseline that was not computed
    double value;    // of the row in work
};

// ---- opening ----------------------------------------------------------------------------------

// Sets the parameters of one word KEY=VALUE.
static enum pps_status set_word(struct pps_baseline *b, char *word, struct pps_error *err)
{
    const size_t n = strcspn(word, "=");
    const int p = pps_param_find(b->kernel, word, n);
    const enum pps_status status = pps_point_set(b->kernel, word, b->set, err);
    if (status != PPS_OK) {
        const struct pps_error said = *err;
        return pps_fail(err, PPS_E_INPUT, "--baseline: %s", said.text);
    }
    b->is_set |= (uint64_t)1 << p;
    return PPS_OK;
}

static enum pps_status set_words(struct pps_baseline *b, struct pps_error *err)
{
    if (strcmp(b->words, "default") == 0)
        b->words = b->kernel->baseline;
    if (b->words == NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--baseline default: the kernel %s states no baseline; write "
                        "--baseline KEY=VALUE,...",
                        b->kernel->name);
    char *copy = strdup(b->words), *rest = NULL;
    enum pps_status status = copy == NULL ? pps_fail_memory(err, "--baseline") : PPS_OK;
    for (char *word = status == PPS_OK ? strtok_r(copy, ",", &rest) : NULL;
         word != NULL && status == PPS_OK; word = strtok_r(NULL, ",", &rest))
        status = set_word(b, word, err);
    free(copy);
    if (status == PPS_OK && b->is_set == 0)
        status =
            pps_fail(err, PPS_E_INPUT, "--baseline sets no parameter; write KEY=VALUE,...");
    return status;
}

enum pps_status pps_baseline_check(const struct pps_kernel *kernel, const char *words,
                                   struct pps_error *err)
{
    struct pps_baseline b = {.kernel = kernel, .words = words};
    return set_words(&b, err);
}

static enum pps_status choose_column(struct pps_baseline *b, const char *name,
                                     struct pps_error *err)
{
    b->column = pps_column_find(b->kernel, name, strlen(name));
    if (b->column < 0 || b->kernel->columns[b->column].kind == PPS_COLUMN_TEXT)
        return pps_fail(err, PPS_E_INPUT,
                        "--baseline: %s is no number that the kernel %s computes", name,
                        b->kernel->name);
    b->higher = b->kernel->columns[b->column].goal == PPS_HIGHER;
    return PPS_OK;
}

enum pps_status pps_baseline_open(struct pps_baseline **baseline,
                                  const struct pps_baseline_ask *ask, struct pps_error *err)
{
    const struct pps_input_words none = {.n = 0};
    struct pps_baseline *b = calloc(1, sizeof *b);
    *baseline = b;
    if (b == NULL)
        return pps_fail_memory(err, "--baseline");
    b->words = ask->words;
    b->stop = ask->stop;
    if (strcmp(ask->path, "-") == 0)
        return pps_fail(err, PPS_E_INPUT, "--baseline needs a file, not stdin");
    enum pps_status status = pps_point_from_row(ask->kernels, ask->path, 1, &none, &b->inputs,
                                                &b->kernel, b->first, &b->shown, err);
    b->name = ask->objective;
    if (status == PPS_OK && b->name != NULL)
        status = choose_column(b, b->name, err);
    if (status == PPS_OK)
        status = set_words(b, err);
    return status;
}

void pps_baseline_close(struct pps_baseline *baseline)
{
    if (baseline == NULL)
        return;
    pps_documents_close(baseline->inputs);
    pps_string_pool_free(&baseline->points);
    text_buffer_free(&baseline->key);
    free(baseline->values);
    free(baseline);
}

// ---- one baseline -----------------------------------------------------------------------------

static bool is_set(const struct pps_baseline *b, int p)
{
    return (b->is_set >> p & 1) != 0;
}

// The baseline of a row as a point. Returns false if a cell holds no value of its parameter.
static bool make_point(const struct pps_baseline *b, const struct pps_cell *cells,
                       double *point)
{
    char why[PPS_WHY];
    memcpy(point, b->first, sizeof b->first);
    for (int p = 0; p < b->kernel->n_params; p++) {
        const struct pps_param *param = &b->kernel->params[p];
        const struct pps_cell *cell = b->param[p] >= 0 ? &cells[b->param[p]] : NULL;
        if (cell != NULL && !pps_value_parse(param, cell->text, cell->n, &point[p], why))
            return false;
    }
    pps_documents_say(b->inputs, b->shown | b->is_set, point);
    for (int p = 0; p < b->kernel->n_params; p++)
        if (is_set(b, p))
            point[p] = b->set[p];
    return true;
}

// Runs the kernel at a point that has passed its check. NAN: no result.
static double run_point(const struct pps_baseline *b, const double *point)
{
    const double *param[PPS_MAX_PARAMS];
    double *column[PPS_MAX_COLUMNS] = {NULL}, value = (double)NAN, first = (double)NAN;
    char *text[PPS_MAX_COLUMNS] = {NULL};
    uint8_t outcome = PPS_FAILED;
    struct pps_worker worker;
    struct pps_error err;
    if (pps_point_worker(b->kernel, point, b->stop, &worker, &err) != PPS_OK)
        return (double)NAN;
    for (int p = 0; p < b->kernel->n_params; p++)
        param[p] = &point[p];
    if (b->kernel->columns[0].kind != PPS_COLUMN_TEXT)
        column[0] = &first;
    column[b->column] = &value;
    const struct pps_batch batch = {.n_points = 1,
                                    .param = param,
                                    .column = column,
                                    .text = text,
                                    .outcome = &outcome};
    pps_kernel_run(b->kernel, &batch, &worker);
    free(worker.scratch);
    return outcome == PPS_DONE ? value : (double)NAN;
}

static double compute(struct pps_baseline *b, const struct pps_cell *cells)
{
    double point[PPS_MAX_PARAMS];
    if (!make_point(b, cells, point))
        return (double)NAN;
    const int reason = b->kernel->check(point, b->kernel->shared);
    const double value = reason == 0 ? run_point(b, point) : (double)NAN;
    if (isnan(value) && b->n_failed++ == 0)
        b->why = reason != 0 ? b->kernel->reasons[reason] : "the point has no result";
    return value;
}

// The values of all parameters that the baseline leaves alone.
static void write_key(struct pps_baseline *b, const struct pps_cell *cells)
{
    text_buffer_clear(&b->key);
    text_buffer_add_bytes(&b->key, ":", 1);
    for (int p = 0; p < b->kernel->n_params; p++)
        if (b->param[p] >= 0 && !is_set(b, p)) {
            text_buffer_add_bytes(&b->key, cells[b->param[p]].text, cells[b->param[p]].n);
            text_buffer_add_bytes(&b->key, ",", 1);
        }
}

// The baseline of a row; NAN: none.
static double find(struct pps_baseline *b, const struct pps_cell *cells)
{
    struct pps_error err;
    uint32_t id;
    write_key(b, cells);
    const uint32_t known = b->points.n;
    if (b->key.failed ||
        pps_string_pool_add(&b->points, b->key.text, b->key.n, &id, &err) != PPS_OK)
        return (double)NAN;
    double *values = pps_grow(b->values, &b->room, b->points.n, sizeof *values);
    if (values == NULL)
        return (double)NAN;
    b->values = values;
    if (id == known)
        values[id] = compute(b, cells);
    return values[id];
}

// ---- the columns ------------------------------------------------------------------------------

static size_t write_number(char *text, double value)
{
    return isfinite(value) ? pps_decimal_meant(text, value, 0) : 0;
}

static size_t write_value(void *self, const struct pps_cell *cells, char *text)
{
    struct pps_baseline *b = self;
    double value;
    b->value = pps_cell_number(cells[b->objective], &value) ? find(b, cells) : (double)NAN;
    // Rounded as rows are: the digits behind are noise of the sum.
    return write_number(text, round(b->value * 1e9) / 1e9);
}

static size_t write_gain(void *self, const struct pps_cell *cells, char *text)
{
    const struct pps_baseline *b = self;
    double value;
    if (!pps_cell_number(cells[b->objective], &value) || !(b->value > 0))
        return 0;
    const double gain = b->higher ? value / b->value - 1.0 : 1.0 - value / b->value;
    return write_number(text, round(gain * 1e6) / 1e4);
}

enum pps_status pps_baseline_add(void *baseline, struct pps_view *view, struct pps_error *err)
{
    struct pps_baseline *b = baseline;
    const struct pps_result_derived value = {PPS_BASELINE_VALUE, b, write_value};
    const struct pps_result_derived gain = {PPS_BASELINE_GAIN, b, write_gain};
    struct pps_view_column column = {.name = PPS_BASELINE_VALUE, .role = PPS_ROLE_RESULT};
    enum pps_status status =
        pps_view_objective(view, "--baseline", b->name, &b->objective, err);
    if (status == PPS_OK)
        status = choose_column(b, view->columns[b->objective].name, err);
    if (status != PPS_OK)
        return status;
    const char *name = b->kernel->columns[b->column].name;
    for (int p = 0; p < b->kernel->n_params; p++)
        b->param[p] = pps_result_find(view->result, b->kernel->params[p].name);
    snprintf(column.unit, sizeof column.unit, "%s", b->kernel->columns[b->column].unit);
    status = pps_view_add(view, &value, &column, err);
    column = (struct pps_view_column){.name = PPS_BASELINE_GAIN,
                                      .unit = "%",
                                      .role = PPS_ROLE_RESULT,
                                      .goal = PPS_HIGHER,
                                      .is_compared = true,
                                      .note = b->note};
    snprintf(b->note, sizeof b->note, "percent %s than %s with %s",
             b->higher ? "higher" : "lower", name, b->words);
    return status == PPS_OK ? pps_view_add(view, &gain, &column, err) : status;
}

void pps_baseline_say(const struct pps_baseline *baseline, FILE *out)
{
    pps_say(out, "ppsweep: %s: %s of the same point with %s; %s: how much %s than this value",
            PPS_BASELINE_VALUE, baseline->kernel->columns[baseline->column].name,
            baseline->words, PPS_BASELINE_GAIN, baseline->higher ? "higher" : "lower");
    if (baseline->n_failed > 0)
        pps_say(out, "ppsweep: %" PRIu64 " of %" PRIu32 " baselines have no value (%s)",
                baseline->n_failed, baseline->points.n, baseline->why);
}
