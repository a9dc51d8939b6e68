// SPDX-License-Identifier: Apache-2.0
// A scatter picture of a result has one panel for each parameter that varies; every row is a
// point in each panel. It suits samples and lists of points, whose rows share no grid. The
// result is streamed.
#pragma once

#include "base/text/status.h"
#include "base/text/string_pool.h"
#include "engine/best/best.h"
#include "engine/picture/pictures.h"
#include "engine/picture/thinned_points.h"
#include "engine/read/constant_columns.h"
#include "engine/read/row_text.h"
#include "engine/read/view.h"
#include "engine/slice/scale.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pps_scatter_ask {
    struct pps_view_ask view;
    const char *value; // a column of numbers; NULL: as in a heatmap
    enum pps_scale_kind scale;
};

// One panel. Numbers are drawn at their value; names (such as the tier `a`) are drawn behind
// the numbers, in order.
struct pps_scatter_axis {
    int column;
    struct pps_thinned_points numbers, named; // named: x is the number of the name
    struct pps_string_pool names;
};

struct pps_scatter {
    struct pps_view view;
    const struct pps_scatter_ask *ask;
    int value;
    struct pps_scatter_axis *axes; // one per parameter
    int n_axes;
    struct pps_constant_columns constants;
    struct text_buffer row;
    struct pps_best best; // the best row
    uint64_t read, valued;
    double min, max; // of the values
};

// Returns whether rows of this result share no grid: its manifest has a sample or a list of
// points.
bool pps_scatter_suits(const char *path);

// Reads the result. Rows without a value are skipped. Returns PPS_E_INPUT if no row remains.
// ask must stay valid until pps_scatter_close. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_scatter_open(struct pps_scatter *scatter,
                                                const struct pps_scatter_ask *ask,
                                                struct pps_error *err);
void pps_scatter_close(struct pps_scatter *scatter);

// Draws <stem>-scatter.png and .svg. The input of scatter.gp: comment lines "# key value", then one block
// per panel with a thinned selection of its points (x, value, row). PPS_E_INPUT if no parameter varies.
PPS_MUST_CHECK enum pps_status pps_scatter_plot(const struct pps_scatter_ask *ask,
                                                const struct pps_picture_ask *pictures,
                                                struct pps_error *err);
