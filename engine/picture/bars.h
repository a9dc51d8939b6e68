// SPDX-License-Identifier: Apache-2.0
// Draws the best rows of a result as stacked bars: one bar per row, whose segments are columns
// that add up to a total. The result is read as a stream; memory grows with the number of rows
// shown.
#pragma once

#include "base/text/status.h"
#include "engine/best/best.h"
#include "engine/picture/pictures.h"
#include "engine/read/constant_columns.h"
#include "engine/read/row_text.h"
#include "engine/read/view.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    PPS_BARS_PARTS = 12, // colours in bars.gp
    PPS_BARS_USUAL = 10, // default number of rows
    PPS_BARS_ROWS = 100, // largest number of rows that is readable in a picture
};

struct pps_bars_ask {
    struct pps_view_ask view;
    // "a,b,c": columns with the same unit; or the name of a stack of the kernel
    const char *stack;
    const char *objective; // as in struct pps_top_ask
    enum pps_goal goal;    // as in struct pps_top_ask
    uint64_t k;            // number of rows to show, at most PPS_BARS_ROWS
    bool has_limit;
    double limit; // value of a line across all bars
};

struct pps_bars {
    const struct pps_bars_ask *ask;
    struct pps_view view;
    int *parts;
    int n_parts;
    const char *stack; // name of the kernel's stack; NULL: the user named columns
    int objective;
    struct text_buffer row;
    struct pps_best best;
    const struct pps_best_row *rows; // best first
    size_t n_rows;
    struct pps_constant_columns constants; // columns with one value in all shown rows
    // rows that match the filters; rows of these with all values
    uint64_t read, valued;
};

// Reads the result. Rows without a value of the objective or of a segment are skipped. Returns
// PPS_E_INPUT if no row remains, if the segments have different units, or if a segment is
// negative. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_bars_open(struct pps_bars *bars,
                                             const struct pps_bars_ask *ask,
                                             struct pps_error *err);
void pps_bars_close(struct pps_bars *bars);

// Writes the input of bars.gp: comment lines "# key value", then one line per row with the
// row's number, the parameters that vary among the rows, the segments and the objective.
PPS_MUST_CHECK enum pps_status pps_bars_slice(struct pps_bars *bars, FILE *out,
                                              struct pps_error *err);

// Draws <stem>-stack-<name>.png and .svg.
PPS_MUST_CHECK enum pps_status pps_bars_plot(const struct pps_bars_ask *ask,
                                             const struct pps_picture_ask *pictures,
                                             struct pps_error *err);
