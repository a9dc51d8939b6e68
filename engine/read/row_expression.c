// SPDX-License-Identifier: Apache-2.0
// Turns cells into the values of an expression's parameters.
#include "engine/read/row_expression.h"

#include "engine/read/view.h"
#include "engine/space/axis.h"
#include "engine/space/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool pps_row_expression_read(struct pps_row_expression *expression,
                             const struct pps_view *view,
                             const char *text,
                             struct pps_expr_fault *fault)
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
