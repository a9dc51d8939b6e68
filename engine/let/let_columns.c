// SPDX-License-Identifier: Apache-2.0
// Reads the definitions of computed columns, and computes them.
#include "engine/let/let_columns.h"

#include "engine/expression/expression.h"
#include "engine/space/axis.h"
#include "engine/space/value.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 6 };

struct let {
    char name[PPS_LET_NAME];
    char *text;
    struct pps_expr *expr;
    struct pps_param scope[PPS_MAX_PARAMS]; // what the names in the expression mean
    int column[PPS_MAX_PARAMS];             // the result of a name; -1: a parameter
    int param[PPS_MAX_PARAMS];
    int n_scope;
};

struct pps_let_columns {
    const struct pps_kernel *base;
    struct pps_kernel kernel;
    struct pps_column columns[PPS_LET_ALL_COLUMNS];
    struct let *list[PPS_LET_COLUMNS];
    int n;
};

enum pps_status pps_let_columns_open(struct pps_let_columns **lets,
                                     const struct pps_kernel *kernel, struct pps_error *err)
{
    struct pps_let_columns *l = calloc(1, sizeof *l);
    *lets = l;
    if (l == NULL)
        return pps_fail_memory(err, "the columns");
    l->base = kernel;
    l->kernel = *kernel;
    memcpy(l->columns, kernel->columns, (size_t)kernel->n_columns * sizeof *l->columns);
    l->kernel.columns = l->columns;
    return PPS_OK;
}

static void free_let(struct let *let)
{
    if (let == NULL)
        return;
    pps_expr_free(let->expr);
    free(let->text);
    free(let);
}

void pps_let_columns_close(struct pps_let_columns *lets)
{
    if (lets == NULL)
        return;
    for (int i = 0; i < lets->n; i++)
        free_let(lets->list[i]);
    free(lets);
}

// ---- definitions ------------------------------------------------------------------------------

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_name(const char *text)
{
    const size_t n = strlen(text);
    bool good = n > 0 && n < PPS_LET_NAME && !isdigit((unsigned char)text[0]);
    for (size_t i = 0; good && i < n; i++)
        good = is_letter(text[i]);
    return good;
}

static bool is_known(const struct let *let, const char *name, size_t n)
{
    for (int i = 0; i < let->n_scope; i++)
        if (strlen(let->scope[i].name) == n && memcmp(let->scope[i].name, name, n) == 0)
            return true;
    return false;
}

static void add_name(struct let *let, const struct pps_param *param, int p, int c)
{
    let->scope[let->n_scope] = *param;
    let->param[let->n_scope] = p;
    let->column[let->n_scope++] = c;
}

static void add_word(struct let *let, const struct pps_kernel *kernel, const char *word,
                     size_t n)
{
    const int p = pps_param_find(kernel, word, n);
    const int c = pps_column_find(kernel, word, n);
    if (is_known(let, word, n) || let->n_scope == PPS_MAX_PARAMS)
        return;
    if (p >= 0)
        add_name(let, &kernel->params[p], p, -1);
    else if (c >= 0 && kernel->columns[c].kind != PPS_COLUMN_TEXT)
        add_name(let,
                 &(struct pps_param){.name = kernel->columns[c].name,
                                     .unit = "",
                                     .summary = "",
                                     .kind = PPS_REAL,
                                     .min = -HUGE_VAL,
                                     .max = HUGE_VAL},
                 -1, c);
}

// Collects the parameters and results that the text names.
static void find_scope(struct let *let, const struct pps_kernel *kernel)
{
    for (const char *at = let->text; *at != '\0';) {
        size_t n = 0;
        while (is_letter(at[n]))
            n++;
        if (n > 0)
            add_word(let, kernel, at, n);
        at += n > 0 ? n : 1;
    }
}

static enum pps_status read_let(struct let *let, const struct pps_kernel *kernel,
                                struct pps_error *err)
{
    struct pps_expr_fault fault = {.text = ""};
    find_scope(let, kernel);
    const struct pps_expr_scope scope = {let->scope, let->n_scope, "parameter or result"};
    let->expr = pps_expr_parse(let->text, &scope, &fault);
    if (let->expr == NULL)
        return pps_fail(err, PPS_E_INPUT, "%s: %s", let->name, fault.text);
    const enum pps_expr_shape shape = pps_expr_shape(let->expr);
    if (shape != PPS_EXPR_NUMBER && shape != PPS_EXPR_TRUTH)
        return pps_fail(err, PPS_E_INPUT, "%s: expected one value, not a list", let->name);
    return PPS_OK;
}

static enum pps_status check_name(const struct pps_let_columns *lets, const char *name,
                                  const char *text, struct pps_error *err)
{
    const struct pps_kernel *kernel = &lets->kernel;
    const size_t n = strlen(name);
    if (!is_name(name) || strlen(text) > PPS_LET_TEXT)
        return pps_fail(err, PPS_E_INPUT,
                        "%.64s: expected NAME=EXPRESSION, as in gain=1-total_time/ideal_time",
                        name);
    if (pps_param_find(kernel, name, n) >= 0 || pps_column_find(kernel, name, n) >= 0 ||
        strcmp(name, "status") == 0)
        return pps_fail(err, PPS_E_INPUT, "%s: this name is a parameter or a column already",
                        name);
    if (lets->n == PPS_LET_COLUMNS || kernel->n_columns == PPS_LET_ALL_COLUMNS)
        return pps_fail(err, PPS_E_INPUT, "%s: more than %d computed columns", name, lets->n);
    return PPS_OK;
}

enum pps_status pps_let_columns_add(struct pps_let_columns *lets, const char *name,
                                    const char *expression, struct pps_error *err)
{
    enum pps_status status = check_name(lets, name, expression, err);
    if (status != PPS_OK)
        return status;
    struct let *let = calloc(1, sizeof *let);
    if (let != NULL)
        let->text = strdup(expression);
    if (let == NULL || let->text == NULL) {
        free_let(let);
        return pps_fail_memory(err, "the columns");
    }
    snprintf(let->name, sizeof let->name, "%s", name);
    status = read_let(let, &lets->kernel, err);
    if (status != PPS_OK) {
        free_let(let);
        return status;
    }
    const bool is_truth = pps_expr_shape(let->expr) == PPS_EXPR_TRUTH; // 0 or 1
    lets->list[lets->n++] = let;
    lets->columns[lets->kernel.n_columns++] =
        (struct pps_column){.name = let->name,
                            .unit = "",
                            .summary = let->text,
                            .kind = is_truth ? PPS_COLUMN_INTEGER : PPS_COLUMN_REAL,
                            .decimals = is_truth ? 0 : DECIMALS,
                            .may_be_empty = true};
    return PPS_OK;
}

// ---- use --------------------------------------------------------------------------------------

const struct pps_kernel *pps_let_columns_kernel(const struct pps_let_columns *lets)
{
    return &lets->kernel;
}

int pps_let_columns_count(const struct pps_let_columns *lets)
{
    return lets == NULL ? 0 : lets->n;
}

const char *pps_let_columns_name(const struct pps_let_columns *lets, int i)
{
    return lets->list[i]->name;
}

const char *pps_let_columns_text(const struct pps_let_columns *lets, int i)
{
    return lets->list[i]->text;
}

void pps_let_columns_need(const struct pps_let_columns *lets, bool *wanted)
{
    for (int i = 0; i < pps_let_columns_count(lets); i++)
        for (int s = 0; s < lets->list[i]->n_scope; s++)
            if (lets->list[i]->column[s] >= 0)
                wanted[lets->list[i]->column[s]] = true;
}

static double value_at(const struct let *let, const struct pps_batch *batch, size_t i)
{
    double point[PPS_MAX_PARAMS];
    for (int s = 0; s < let->n_scope; s++) {
        const int c = let->column[s];
        if (c < 0)
            point[s] = batch->param[let->param[s]][i];
        else
            point[s] = batch->column[c] != NULL ? batch->column[c][i] : (double)NAN;
    }
    return pps_expr_value(let->expr, point);
}

void pps_let_columns_compute(const struct pps_let_columns *lets, const struct pps_batch *batch)
{
    for (int k = 0; k < pps_let_columns_count(lets); k++) {
        double *column = batch->column[lets->base->n_columns + k];
        for (size_t i = 0; column != NULL && i < batch->n_points; i++)
            column[i] = value_at(lets->list[k], batch, i);
    }
}
