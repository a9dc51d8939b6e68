// SPDX-License-Identifier: Apache-2.0
// A scatter picture of a result: a panel for each parameter that varies, in which every row is a
// point. For samples and lists of points, whose rows share no grid. Streams the result.
#ifndef PPS_SCATTER_H
#define PPS_SCATTER_H

#include "best.h"
#include "cloud.h"
#include "constants.h"
#include "names.h"
#include "picture.h"
#include "rowtext.h"
#include "scale.h"
#include "status.h"
#include "view.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pps_scatter_ask {
    struct pps_view_ask view;
    const char *value; // a column of numbers; NULL: as a heatmap's
    enum pps_scale_kind scale;
};

// A panel. Numbers stand at their value; names (such as the tier `a`) behind them in order.
struct pps_scatter_axis {
    int column;
    struct pps_cloud numbers, named; // named: x is the number of the name
    struct pps_names names;
};

struct pps_scatter {
    struct pps_view view;
    const struct pps_scatter_ask *ask;
    int value;
    struct pps_scatter_axis *axes; // one a parameter
    int n_axes;
    struct pps_constants constants;
    struct pps_rowtext row;
    struct pps_best best; // the best row
    uint64_t read, valued;
    double min, max; // of the values
};

// Whether rows of this result share no grid: its manifest has a sample or a list of points.
bool pps_scatter_suits(const char *path);

// Reads the result. Rows without a value are skipped. PPS_E_INPUT where no row is left.
// pps_scatter_close in every case; ask must stay valid until then.
PPS_MUST_CHECK enum pps_status pps_scatter_open(struct pps_scatter *scatter,
                                                const struct pps_scatter_ask *ask,
                                                struct pps_error *err);
void pps_scatter_close(struct pps_scatter *scatter);

// Writes what scatter.gp reads: comment lines "# key value", then the points of each panel (x,
// value, row) as a block of their own, thinned out. PPS_E_INPUT where no parameter varies.
PPS_MUST_CHECK enum pps_status pps_scatter_slice(struct pps_scatter *scatter,
                                                 FILE *out,
                                                 struct pps_error *err);

// Draws <stem>-scatter.png and .svg.
PPS_MUST_CHECK enum pps_status pps_scatter_plot(const struct pps_scatter_ask *ask,
                                                const struct pps_picture_ask *pictures,
                                                struct pps_error *err);

#endif
