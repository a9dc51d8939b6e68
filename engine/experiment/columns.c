// SPDX-License-Identifier: Apache-2.0
// Chooses the columns of a row: wanted results, the header line and decimals. Also finds a
// kernel by name.
#include "engine/experiment/experiment.h"

#include "base/text/nearest.h"
#include "engine/space/typed_columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum pps_status unknown_column(const struct pps_kernel *kernel, const char *name,
                                      size_t n, struct pps_error *err)
{
    const char *names[PPS_MAX_COLUMNS];
    char word[64];
    for (int c = 0; c < kernel->n_columns; c++)
        names[c] = kernel->columns[c].name;
    snprintf(word, sizeof word, "%.*s", (int)(n < 63 ? n : 63), name);
    const char *near = pps_suggest(word, names, (size_t)kernel->n_columns);
    if (near != NULL)
        return pps_fail(err, PPS_E_INPUT, "--metrics: unknown column \"%s\"; did you mean %s?",
                        word, near);
    return pps_fail(err, PPS_E_INPUT,
                    "--metrics: unknown column \"%s\"; ppsweep kernels %s lists them", word,
                    kernel->name);
}

// Returns whether rows have a column that no option names; `all`: --metrics without names.
static bool is_shown(const struct pps_column *column, bool all)
{
    return !column->by_name && (all || !column->on_request);
}

enum pps_status pps_columns_choose(const struct pps_kernel *kernel, const char *metrics,
                                   bool *wanted, struct pps_error *err)
{
    const bool all = metrics != NULL && metrics[0] == '\0';
    for (int c = 0; c < kernel->n_columns; c++)
        wanted[c] = is_shown(&kernel->columns[c], all);
    for (const char *at = metrics; at != NULL && !all;) {
        const size_t n = strcspn(at, ",");
        const int c = pps_column_find(kernel, at, n);
        if (c < 0)
            return unknown_column(kernel, at, n, err);
        wanted[c] = true;
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    return PPS_OK;
}

char *pps_experiment_header(const struct pps_experiment *experiment)
{
    const struct pps_kernel *kernel = experiment->kernel;
    const struct pps_space *space = &experiment->space;
    char *header = NULL;
    size_t n;
    FILE *out = open_memstream(&header, &n);
    if (out == NULL)
        return NULL;
    for (int c = 0; c < space->n_columns; c++) {
        const char *name = kernel->params[space->columns[c]].name;
        fprintf(out, "%s%s", c > 0 ? "," : "", name);
        if ((space->typed >> space->columns[c] & 1) != 0)
            fprintf(out, ",%s" PPS_TIER_SUFFIX, name);
    }
    for (int c = 0; c < kernel->n_columns; c++)
        if (experiment->wanted[c])
            fprintf(out, ",%s", kernel->columns[c].name);
    if (experiment->status)
        fputs("," PPS_STATUS_COLUMN, out);
    fputc('\n', out);
    return fclose(out) == 0 ? header : NULL;
}

const char *pps_outcome_word(enum pps_outcome outcome)
{
    static const char *const words[] = {
        [PPS_DONE] = "ok",
        [PPS_FAILED] = "failed",
        [PPS_STOPPED] = "stopped", // a stopped point has no row
        [PPS_INFEASIBLE] = "infeasible",
    };
    return words[outcome];
}

enum pps_outcome pps_batch_outcome(const struct pps_column *of, uint8_t outcome,
                                   double *const *columns, int n_columns, size_t row)
{
    for (int c = 0; outcome == PPS_DONE && c < n_columns; c++)
        if (columns[c] != NULL && !isfinite(columns[c][row]) &&
            !(of[c].may_be_empty && isnan(columns[c][row])))
            return PPS_FAILED;
    return (enum pps_outcome)outcome;
}

size_t pps_column_width(const struct pps_column *column)
{
    return column->kind == PPS_COLUMN_TEXT ? (size_t)column->text_max + 1 : 0;
}

int pps_column_decimals(const struct pps_kernel *kernel, int c, int digits)
{
    const struct pps_column *column = &kernel->columns[c];
    if (column->kind != PPS_COLUMN_REAL)
        return 0;
    return digits == PPS_DEFAULT_DIGITS ? column->decimals : digits;
}

enum pps_status pps_kernel_choose(const struct pps_kernel *const *kernels, const char *name,
                                  const struct pps_kernel **kernel, struct pps_error *err)
{
    const char *names[PPS_MAX_COLUMNS];
    size_t n = 0;
    for (; kernels[n] != NULL && n < PPS_MAX_COLUMNS; n++) {
        names[n] = kernels[n]->name;
        if (name == NULL || strcmp(name, kernels[n]->name) == 0) {
            *kernel = kernels[n];
            return PPS_OK;
        }
    }
    const char *near = pps_suggest(name, names, n);
    if (near != NULL)
        return pps_fail(err, PPS_E_INPUT, "unknown kernel \"%.60s\"; did you mean %s?", name,
                        near);
    return pps_fail(err, PPS_E_INPUT, "unknown kernel \"%.60s\"; ppsweep kernels lists them",
                    name);
}

enum pps_status pps_point_limit_check(const struct pps_kernel *kernel, uint64_t point_limit,
                                      struct pps_error *err)
{
    if (point_limit == 0 || kernel->counts_events)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "--point-limit: the kernel %s simulates no events; remove the option",
                    kernel->name);
}
