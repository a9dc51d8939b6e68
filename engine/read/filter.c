// SPDX-License-Identifier: Apache-2.0
// Reads filters and decides which rows pass.
#include "engine/read/filter.h"

#include "base/text/grow_list.h"
#include "engine/read/view.h"
#include "engine/space/axis.h"
#include "engine/space/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- row expression -----------------------------------------------------------------------------

// Describes the values of a column: a parameter of the kernel, or plain numbers.
static struct pps_param describe(const struct pps_view *view, int column)
{
    const char *name = view->columns[column].name;
    const int p = view->kernel != NULL ? pps_param_find(view->kernel, name, strlen(name)) : -1;
    if (p >= 0)
        return view->kernel->params[p];
    return (struct pps_param){.name = name,
                              .unit = "",
                              .summary = "",
                              .kind = PPS_REAL,
                              .min = -HUGE_VAL,
                              .max = HUGE_VAL};
}

bool pps_row_expression_read(struct pps_row_expression *expression, const struct pps_view *view,
                             const char *text, struct pps_expr_fault *fault)
{
    const int n = view->n_columns < PPS_MAX_PARAMS ? view->n_columns : PPS_MAX_PARAMS;
    *expression =
        (struct pps_row_expression){.cells = calloc(PPS_MAX_PARAMS, sizeof(struct pps_param))};
    if (expression->cells == NULL) {
        *fault = (struct pps_expr_fault){.byte = 0};
        snprintf(fault->text, sizeof fault->text, "out of memory");
        return false;
    }
    for (int c = 0; c < n; c++)
        expression->cells[c] = describe(view, c);
    const struct pps_expr_scope scope = {expression->cells, n, "column"};
    expression->expr = pps_expr_parse(text, &scope, fault);
    return expression->expr != NULL;
}

void pps_row_expression_free(struct pps_row_expression *expression)
{
    pps_expr_free(expression->expr);
    free(expression->cells);
    *expression = (struct pps_row_expression){.expr = NULL};
}

double pps_row_expression_value(const struct pps_row_expression *expression,
                                const struct pps_cell *cells)
{
    const uint64_t uses = pps_expr_uses(expression->expr);
    double point[PPS_MAX_PARAMS];
    char why[PPS_WHY];
    for (int c = 0; c < PPS_MAX_PARAMS; c++)
        if ((uses >> c & 1) != 0 && !pps_cell_number(cells[c], &point[c]) &&
            !pps_value_parse(&expression->cells[c], cells[c].text, cells[c].n, &point[c], why))
            point[c] = (double)NAN;
    return pps_expr_value(expression->expr, point);
}

// ---- lists of values --------------------------------------------------------------------------

static bool in_range(const struct pps_filter_value *range, double value)
{
    if (value < range->start || value > range->stop)
        return false;
    const double steps = range->step != 0 ? (value - range->start) / range->step : 0;
    return fabs(steps - nearbyint(steps)) <= 1e-9;
}

static bool cell_is(struct pps_cell cell, const struct pps_filter_value *value)
{
    double number;
    if (cell.n == value->n && memcmp(cell.text, value->text, cell.n) == 0)
        return true;
    if ((!value->is_number && !value->is_range) || !pps_cell_number(cell, &number))
        return false;
    return value->is_range ? in_range(value, number) : number == value->start;
}

static bool is_listed(const struct pps_filter *filter, struct pps_cell cell)
{
    for (size_t i = 0; i < filter->n_list; i++)
        if (cell_is(cell, &filter->list[i]))
            return true;
    return false;
}

// Reads the range in the value's text. A range without a step holds all numbers between its ends.
static enum pps_status read_range(struct pps_filter_value *value, const char *word,
                                  struct pps_error *err)
{
    const struct pps_expr_scope none = {NULL, 0, NULL};
    struct pps_expr_fault fault;
    struct pps_expr_list list;
    char range[128];
    snprintf(range, sizeof range, "%.*s", (int)(value->n < 127 ? value->n : 127), value->text);
    struct pps_expr *expr = pps_expr_parse(range, &none, &fault);
    if (expr == NULL)
        return pps_fail(err, PPS_E_INPUT, "%s: %s; write a range as 8..16 or 8..16 step 4",
                        word, fault.text);
    value->is_range = pps_expr_shape(expr) == PPS_EXPR_RANGE;
    if (value->is_range) {
        pps_expr_list(expr, NULL, &list);
        value->start = list.start;
        value->stop = list.stop;
        value->step = strstr(range, "step") != NULL ? list.step : 0;
    }
    pps_expr_free(expr);
    return PPS_OK;
}

// Reads all values once; rows are compared with what was read.
static enum pps_status read_values(struct pps_filter *filter, struct pps_error *err)
{
    size_t room = 0;
    enum pps_status status = PPS_OK;
    for (const char *at = filter->values; status == PPS_OK; at++) {
        struct pps_filter_value value = {.text = at, .n = strcspn(at, ",")};
        struct pps_filter_value *values =
            pps_grow(filter->list, &room, filter->n_list + 1, sizeof *values);
        if (values == NULL)
            return pps_fail_memory(err, "%s", filter->word);
        filter->list = values;
        value.is_number = pps_cell_number((struct pps_cell){at, value.n}, &value.start) != 0;
        if (memmem(at, value.n, "..", 2) != NULL)
            status = read_range(&value, filter->word, err);
        filter->list[filter->n_list++] = value;
        at += value.n;
        if (*at == '\0')
            break;
    }
    return status;
}

// ---- rules ------------------------------------------------------------------------------------

static enum pps_status read_rule(struct pps_filter *filter, const struct pps_view *view,
                                 struct pps_error *err)
{
    struct pps_expr_fault fault = {.text = ""};
    const bool compares = strpbrk(filter->word, "<>=!") != NULL;
    const bool read =
        compares && pps_row_expression_read(&filter->rule, view, filter->word, &fault);
    if (!read && access(filter->word, F_OK) == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "%s is a file; name one result (diff: two), and then filters such as "
                        "n=8 or \"n <= 16\"",
                        filter->word);
    if (!read || pps_expr_shape(filter->rule.expr) != PPS_EXPR_TRUTH)
        return pps_fail(
            err, PPS_E_INPUT,
            "%s: %s%swrite a filter as column=value[,value...] or as a rule, \"n <= "
            "16\"",
            filter->word, fault.text, fault.text[0] != '\0' ? "; " : "");
    return PPS_OK;
}

// ---- both -------------------------------------------------------------------------------------

// The first `=` of column=values; NULL: the word is no list of values.
static const char *find_equals(const char *word)
{
    const char *at = strpbrk(word, "=<>!");
    return at != NULL && at > word && at[0] == '=' && at[1] != '=' ? at : NULL;
}

enum pps_status pps_filter_read(struct pps_filter *filter, const struct pps_view *view,
                                const char *word, struct pps_error *err)
{
    const char *equals = find_equals(word);
    char name[128];
    *filter = (struct pps_filter){.word = word, .column = -1};
    if (equals == NULL)
        return read_rule(filter, view, err);
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    filter->values = equals + 1;
    enum pps_status status = pps_view_column(view, word, name, &filter->column, err);
    return status == PPS_OK ? read_values(filter, err) : status;
}

void pps_filter_free(struct pps_filter *filter)
{
    pps_row_expression_free(&filter->rule);
    free(filter->list);
    *filter = (struct pps_filter){.column = -1};
}

bool pps_filter_passes(const struct pps_filter *filter, const struct pps_cell *cells)
{
    return filter->rule.expr != NULL ? pps_row_expression_value(&filter->rule, cells) != 0
                                     : is_listed(filter, cells[filter->column]);
}

uint64_t pps_filter_uses(const struct pps_filter *filter)
{
    if (filter->rule.expr != NULL)
        return pps_expr_uses(filter->rule.expr);
    return pps_column_bit(filter->column);
}
