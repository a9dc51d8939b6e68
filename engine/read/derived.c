// SPDX-License-Identifier: Apache-2.0
// Reads derived columns and writes their cells.
#include "engine/read/derived.h"

#include "base/text/decimal.h"
#include "engine/read/view.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_name(const char *text, size_t n)
{
    if (n == 0 || isdigit((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

static size_t write_cell(void *self, const struct pps_cell *cells, char *text)
{
    const struct pps_derived *derived = self;
    const double value = pps_row_expression_value(&derived->expression, cells);
    return isfinite(value) ? pps_decimal_meant(text, value, 0) : 0;
}

static enum pps_status read_name(struct pps_derived *derived,
                                 const struct pps_view *view,
                                 const char *word,
                                 const char *equals,
                                 struct pps_error *err)
{
    const size_t n = equals != NULL ? (size_t)(equals - word) : 0;
    if (!is_name(word, n) || n >= sizeof derived->name)
        return pps_fail(
            err, PPS_E_INPUT,
            "--let %s: expected NAME=EXPRESSION, as in gain=1-total_time/ideal_time", word);
    memcpy(derived->name, word, n);
    derived->name[n] = '\0';
    if (pps_result_find(view->result, derived->name) >= 0)
        return pps_fail(err, PPS_E_INPUT, "--let %s: %s is a column already", word,
                        derived->name);
    return PPS_OK;
}

enum pps_status pps_derived_add(struct pps_derived *derived,
                                struct pps_view *view,
                                const char *word,
                                struct pps_error *err)
{
    struct pps_expr_fault fault = {.text = ""};
    const char *equals = strchr(word, '=');
    *derived = (struct pps_derived){.name = ""};
    enum pps_status status = read_name(derived, view, word, equals, err);
    if (status != PPS_OK)
        return status;
    if (!pps_row_expression_read(&derived->expression, view, equals + 1, &fault))
        return pps_fail(err, PPS_E_INPUT, "--let %s: %s", word, fault.text);
    const enum pps_expr_shape shape = pps_expr_shape(derived->expression.expr);
    if (shape != PPS_EXPR_NUMBER && shape != PPS_EXPR_TRUTH)
        return pps_fail(err, PPS_E_INPUT, "--let %s: expected one value, not a list", word);
    const struct pps_result_derived cells = {derived->name, derived, write_cell};
    const struct pps_view_column column = {.name = derived->name, .role = PPS_ROLE_RESULT};
    return pps_view_add(view, &cells, &column, err);
}

void pps_derived_free(struct pps_derived *derived)
{
    pps_row_expression_free(&derived->expression);
}
