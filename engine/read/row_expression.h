// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions over the columns of a result: rules of filters, and derived columns.
#ifndef PPS_ENGINE_READ_ROW_EXPRESSION_H
#define PPS_ENGINE_READ_ROW_EXPRESSION_H

#include "engine/expression/expression.h"
#include "engine/read/result.h"

struct pps_view;

struct pps_row_expression {
    struct pps_expr *expr;   // NULL: not read
    struct pps_param *cells; // what the columns hold
};

// Parses text over the first PPS_MAX_PARAMS columns of the view. Returns false and fills *fault if
// the text is no expression, or if memory runs out. The caller frees the expression in every case.
bool pps_row_expression_read(struct pps_row_expression *expression,
                             const struct pps_view *view,
                             const char *text,
                             struct pps_expr_fault *fault);
void pps_row_expression_free(struct pps_row_expression *expression); // a zeroed one is fine

// Returns the value at a row: NAN if a cell that it needs holds no value.
double pps_row_expression_value(const struct pps_row_expression *expression,
                                const struct pps_cell *cells);

#endif
