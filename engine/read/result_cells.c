// SPDX-License-Identifier: Apache-2.0
// Splits the lines of a result into cells, joins columns and derives more.
#include "engine/read/result_private.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pps_status pps_result_fail_line(const struct pps_result *result,
                                     struct pps_error *err,
                                     const char *text)
{
    int line = result->line < INT_MAX ? (int)result->line : INT_MAX;
    return pps_fail_at(err, PPS_E_INPUT, result->name, line, 0, "%s", text);
}

// ---- cells ----------------------------------------------------------------------------------

static size_t count_commas(const char *text, size_t n)
{
    size_t commas = 0;
    for (size_t i = 0; i < n; i++)
        commas += text[i] == ',';
    return commas;
}

static enum pps_status fail_cells(const struct pps_result *result,
                                  struct pps_cell line,
                                  struct pps_error *err)
{
    char text[96];
    snprintf(text, sizeof text, "%zu cells, but the header line has %d",
             count_commas(line.text, line.n) + 1, result->n_columns);
    return pps_result_fail_line(result, err, text);
}

static enum pps_status split(struct pps_result *result,
                             struct pps_cell line,
                             struct pps_error *err)
{
    const int n = pps_cells_split(line.text, line.n, result->cells, result->n_columns);
    return n == result->n_columns ? PPS_OK : fail_cells(result, line, err);
}

// Removes quotes around a cell. Returns false for any other quote.
static bool unquote(struct pps_cell *cell)
{
    if (cell->n >= 2 && cell->text[0] == '"' && cell->text[cell->n - 1] == '"')
        *cell = (struct pps_cell){cell->text + 1, cell->n - 2};
    return memchr(cell->text, '"', cell->n) == NULL;
}

static enum pps_status unquote_all(struct pps_result *result, struct pps_error *err)
{
    for (int i = 0; i < result->n_columns; i++)
        if (!unquote(&result->cells[i]))
            return pps_result_fail_line(result, err,
                                        "a quoted cell with commas, quotes or newlines: "
                                        "results have none");
    return PPS_OK;
}

// Joins two columns of result->cells.
static enum pps_status join(struct pps_result *result,
                            int n,
                            struct pps_result_pair pair,
                            struct pps_error *err)
{
    struct pps_cell *cells = result->cells;
    if (cells[pair.column].n > 0 && cells[pair.other].n > 0)
        return pps_result_fail_line(result, err,
                                    "a number and a name for one parameter: one must be empty");
    if (cells[pair.column].n == 0)
        cells[pair.column] = cells[pair.other];
    memmove(cells + pair.other, cells + pair.other + 1,
            (size_t)(n - pair.other - 1) * sizeof *cells);
    return PPS_OK;
}

enum pps_status pps_result_derive(struct pps_result *result,
                                  const struct pps_result_derived *derived,
                                  struct pps_error *err)
{
    if (result->n_derived == PPS_DERIVED_COLUMNS)
        return pps_fail(err, PPS_E_INPUT, "%s: more than %d derived columns", derived->name,
                        PPS_DERIVED_COLUMNS);
    result->names[pps_result_columns(result)] = derived->name;
    result->derived[result->n_derived++] = *derived;
    return PPS_OK;
}

void pps_result_derive_cells(struct pps_result *result)
{
    const int n = result->n_columns - result->n_joined;
    for (int i = 0; i < result->n_derived; i++) {
        const struct pps_result_derived *derived = &result->derived[i];
        char *text = result->derived_text[i];
        result->cells[n + i] =
            (struct pps_cell){text, derived->write(derived->self, result->cells, text)};
    }
}

void pps_result_join(struct pps_result *result, int column, int other)
{
    const int n = pps_result_columns(result);
    result->joined[result->n_joined++] = (struct pps_result_pair){column, other};
    memmove(result->names + other, result->names + other + 1,
            (size_t)(n - other - 1) * sizeof *result->names);
}

// Splits a line into result->cells.
enum pps_status pps_result_cut_line(struct pps_result *result,
                                    struct pps_cell line,
                                    struct pps_error *err)
{
    if (memchr(line.text, '\0', line.n) != NULL)
        return pps_result_fail_line(result, err, "a NUL byte: this is not text");
    bool has_quotes = memchr(line.text, '"', line.n) != NULL;
    enum pps_status status = split(result, line, err);
    if (status == PPS_OK && has_quotes)
        status = unquote_all(result, err);
    for (int i = 0; i < result->n_joined && status == PPS_OK; i++)
        status = join(result, result->n_columns - i, result->joined[i], err);
    return status;
}

// ---- columns ----------------------------------------------------------------------------------

enum pps_status pps_result_keep_names(struct pps_result *result,
                                      struct pps_cell line,
                                      struct pps_error *err)
{
    size_t n = count_commas(line.text, line.n) + 1;
    result->n_columns = (int)n;
    result->header = malloc(line.n + 1);
    result->names = calloc(n + PPS_DERIVED_COLUMNS, sizeof *result->names);
    result->cells = calloc(n + PPS_DERIVED_COLUMNS, sizeof *result->cells);
    result->joined = calloc(n, sizeof *result->joined);
    if (result->header == NULL || result->names == NULL || result->cells == NULL ||
        result->joined == NULL)
        return pps_fail_memory(err, "the header line");
    memcpy(result->header, line.text, line.n);
    result->header[line.n] = '\0';
    enum pps_status status =
        pps_result_cut_line(result, (struct pps_cell){result->header, line.n}, err);
    for (size_t i = 0; i < n && status == PPS_OK; i++) {
        size_t at = (size_t)(result->cells[i].text - result->header);
        result->header[at + result->cells[i].n] = '\0';
        result->names[i] = result->header + at;
    }
    return status;
}

int pps_result_columns(const struct pps_result *result)
{
    return result->n_columns - result->n_joined + result->n_derived;
}

const char *pps_result_column_name(const struct pps_result *result, int column)
{
    return result->names[column];
}

int pps_result_find(const struct pps_result *result, const char *name)
{
    for (int i = 0; i < pps_result_columns(result); i++)
        if (strcmp(result->names[i], name) == 0)
            return i;
    return -1;
}
