// SPDX-License-Identifier: Apache-2.0
// The best rows of a result as stacked bars: a bar a row, whose parts are columns that add up to
// something. Streams the result; memory grows with the rows that are shown.
#ifndef PPS_BARS_H
#define PPS_BARS_H

#include "best.h"
#include "constants.h"
#include "picture.h"
#include "rowtext.h"
#include "status.h"
#include "view.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    PPS_BARS_PARTS = 12, // colours that a script has
    PPS_BARS_USUAL = 10, // rows shown unless told otherwise
    PPS_BARS_ROWS = 100, // more are no picture
};

struct pps_bars_ask {
    struct pps_view_ask view;
    const char *stack;     // "a,b,c": columns of one unit; or the name of a stack of the kernel
    const char *objective; // as of struct pps_top_ask
    enum pps_goal goal;    // likewise
    uint64_t k;            // rows to show, at most PPS_BARS_ROWS
    bool has_limit;
    double limit; // a line across all bars
};

struct pps_bars {
    const struct pps_bars_ask *ask;
    struct pps_view view;
    int *parts;
    int n_parts;
    const char *stack; // the name of the kernel's stack; NULL: columns were named
    int objective;
    struct pps_rowtext row;
    struct pps_best best;
    const struct pps_best_row *rows; // best first
    size_t n_rows;
    struct pps_constants constants; // of all rows shown
    uint64_t read, valued;          // rows that passed the filters; with all values
};

// Reads the result. Rows without a value of the objective or of a part are skipped. PPS_E_INPUT
// where no row is left, where parts differ in their units, or one of a row is negative.
// pps_bars_close in every case.
PPS_MUST_CHECK enum pps_status pps_bars_open(struct pps_bars *bars,
                                             const struct pps_bars_ask *ask,
                                             struct pps_error *err);
void pps_bars_close(struct pps_bars *bars);

// Writes what bars.gp reads: comment lines "# key value", then a line a row: its number, the
// parameters that vary among the rows, the parts, the objective.
PPS_MUST_CHECK enum pps_status pps_bars_slice(struct pps_bars *bars,
                                              FILE *out,
                                              struct pps_error *err);

// Draws <stem>-stack-<name>.png and .svg.
PPS_MUST_CHECK enum pps_status pps_bars_plot(const struct pps_bars_ask *ask,
                                             const struct pps_picture_ask *pictures,
                                             struct pps_error *err);

#endif
