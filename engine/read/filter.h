// SPDX-License-Identifier: Apache-2.0
// Selects rows of a result: `column=value[,value...]`, where a value may be a range a..b or
// a..b step c, or a rule as experiments have them (`n <= 16`, `2*sync_freq < n && gpus == 4`).
#pragma once

#include "base/text/status.h"
#include "engine/expression/expression.h"
#include "engine/read/result.h"

#include <stdbool.h>

// ---- row expression -----------------------------------------------------------------------------

struct pps_view;

struct pps_row_expression {
    struct pps_expr *expr;   // NULL: not read
    struct pps_param *cells; // what the columns hold
};

// Parses text over the first PPS_MAX_PARAMS columns of the view. Returns false and fills *fault if
// the text is no expression, or if memory runs out. The caller frees the expression in every case.
bool pps_row_expression_read(struct pps_row_expression *expression, const struct pps_view *view,
                             const char *text, struct pps_expr_fault *fault);
void pps_row_expression_free(struct pps_row_expression *expression); // a zeroed one is fine

// Returns the value at a row: NAN if a cell that it needs holds no value.
double pps_row_expression_value(const struct pps_row_expression *expression,
                                const struct pps_cell *cells);

// ---- filter -------------------------------------------------------------------------------------

struct pps_view;

// One value of a list.
struct pps_filter_value {
    const char *text; // n characters of the word
    size_t n;
    bool is_number, is_range;
    double start, stop; // of a range; start alone is the number
    double step;        // 0: all numbers between start and stop
};

struct pps_filter {
    const char *word;
    int column;                    // of column=values; -1: a rule
    const char *values;            // their text, with commas between
    struct pps_filter_value *list; // n_list values, read once
    size_t n_list;
    struct pps_row_expression rule; // over the columns
};

// Reads a word of the command line, which must stay. pps_filter_free in every case.
PPS_MUST_CHECK enum pps_status pps_filter_read(struct pps_filter *filter,
                                               const struct pps_view *view, const char *word,
                                               struct pps_error *err);
void pps_filter_free(struct pps_filter *filter); // a zeroed one is fine

bool pps_filter_passes(const struct pps_filter *filter, const struct pps_cell *cells);

// The columns that it looks at, of the first 64.
uint64_t pps_filter_uses(const struct pps_filter *filter);
