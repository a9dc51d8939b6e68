// SPDX-License-Identifier: Apache-2.0
// Finds the Pareto front of two columns of a result, overall or of every group, and writes the
// front as a table or as points that a plot script draws. Streams the result.
#pragma once

#include "base/text/status.h"
#include "engine/best/pareto_front.h"
#include "engine/picture/pictures.h"
#include "engine/picture/thinned_points.h"
#include "engine/read/constant_columns.h"
#include "engine/read/grouping.h"
#include "engine/read/view.h"
#include "engine/slice/scale.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pps_pareto_ask {
    struct pps_view_ask view;
    const char
        *columns;   // "a,b": two columns of numbers; the prefix min: or max: sets the better
                    // direction, else the column's goal (lower for no goal)
    const char *by; // as pps_grouping_open takes it: a front of every group
    enum pps_scale_kind scale;
    bool cloud; // keep points of all rows, for a picture
};

struct pps_pareto_axis {
    int column;
    bool higher; // larger values are better
    bool said;   // by min: or max:
};

struct pps_pareto {
    struct pps_view view;
    enum pps_scale_kind scale;
    struct pps_pareto_axis x, y;
    struct pps_grouping grouping;
    struct pps_constant_columns constants;
    struct pps_pareto_front *fronts; // one a group
    size_t n_fronts, fronts_room;
    struct pps_thinned_points cloud;
    struct text_buffer row;
    uint64_t rows;   // read, and passed the filters
    uint64_t valued; // of these rows, rows with numbers in both columns
    uint64_t kept;   // rows of the fronts
    uint64_t equal;  // rows with the same values as a row of a front
};

// Reads the result. After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status pps_pareto_open(struct pps_pareto *pareto,
                                               const struct pps_pareto_ask *ask,
                                               struct pps_error *err);
void pps_pareto_close(struct pps_pareto *pareto);

// Writes the rows of the fronts under the header of the result, group by group, the best by the
// first column first; as aligned columns where `table`. Whether the writing worked is for the
// owner of `out` to see.
PPS_MUST_CHECK enum pps_status pps_pareto_write(struct pps_pareto *pareto, FILE *out,
                                                bool table, struct pps_error *err);

// Writes what pareto.gp reads: comment lines "# key value", the points of all rows, thinned out,
// then the rows of each front. Opened with `cloud`; at least one row has both values.
PPS_MUST_CHECK enum pps_status pps_pareto_slice(struct pps_pareto *pareto, FILE *out,
                                                struct pps_error *err);

// Draws <stem>-pareto-<x>-<y>.png and .svg.
PPS_MUST_CHECK enum pps_status pps_pareto_plot(const struct pps_pareto_ask *ask,
                                               const struct pps_picture_ask *pictures,
                                               struct pps_error *err);
