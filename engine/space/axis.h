// SPDX-License-Identifier: Apache-2.0
// An axis of a grid has a number of values, each of which sets one or more parameters. An axis
// is const after it is built, so any number of threads may read it.
#pragma once

#include "base/text/status.h"
#include "engine/expression/expression.h"
#include "engine/space/value.h"
#include "ppsweep/kernel.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_MAX_PARAMS = 64 };

enum pps_axis_kind {
    PPS_AXIS_TABLE,      // listed values: a list, paired lists, a file of points
    PPS_AXIS_RANGE,      // start + i*step, too many values to list
    PPS_AXIS_DEPENDENT,  // expression over earlier axes
    PPS_AXIS_COMPOSITE,  // axis of the kernel; short axes keep a list of their values
    PPS_AXIS_CONTINUOUS, // any number from start to stop: for samples only, never scanned
};

// A parameter of a table. Each distinct value is stored once, with its cell.
struct pps_axis_member {
    int param;
    uint32_t n_values;
    double *values;
    struct pps_axis_cell *cells;
    uint32_t *entries; // entry i of the table has value entries[i]; NULL: value i
};

struct pps_axis {
    enum pps_axis_kind kind;
    uint64_t count; // number of values; 0 if dependent (evaluated at each point) or continuous
    uint64_t sets;  // bit p: the axis sets parameter p
    // PPS_AXIS_TABLE, and PPS_AXIS_COMPOSITE with few values
    int n_members;
    struct pps_axis_member *members;
    // PPS_AXIS_RANGE, PPS_AXIS_CONTINUOUS, PPS_AXIS_DEPENDENT
    int param;
    double start, step;
    double stop;  // of a continuous axis
    int decimals; // decimals of the values; negative: multiples of that power of ten
    struct pps_expr *expr;
    char *text;   // text of the expression
    bool of_slot; // table of documents: the document's number and the parameters it sets
    // PPS_AXIS_COMPOSITE
    const struct pps_composite *composite;
    struct pps_option_value *options;
};

// The values of an axis at a point. The point's earlier axes are set.
struct pps_axis_values {
    uint64_t count;
    struct pps_expr_list list; // of a dependent axis
};

void pps_axis_free(struct pps_axis *axis); // frees the contents of the axis

// Returns true if the axis has exactly one value, which is the same at all points.
bool pps_axis_is_constant(const struct pps_axis *axis);

// Fills *values with the values of the axis. point[p] is the value of parameter p and must be
// set for all parameters of earlier axes.
void pps_axis_values(const struct pps_axis *axis, const double *point,
                     struct pps_axis_values *values);

// Cells by parameter. of[p] points to the cell of a table, or to made[p] if the cell is
// computed.
struct pps_axis_cells {
    const struct pps_axis_cell *of[PPS_MAX_PARAMS];
    struct pps_axis_cell made[PPS_MAX_PARAMS];
};

// Sets the parameters of the axis to value i: point[p], and the cell of p unless cells is NULL.
// Returns false if a dependent axis gives a value that its parameter cannot take. In that case
// point[p] is set and the cell is not.
bool pps_axis_place(const struct pps_axis *axis, const struct pps_param *params,
                    const struct pps_axis_values *values, uint64_t i, double *point,
                    struct pps_axis_cells *cells);

// Returns the largest value of parameter p on the axis. For a composite axis it is the
// parameter's own maximum. For a dependent axis it is -INFINITY, because the values depend on
// the point.
double pps_axis_highest(const struct pps_axis *axis, const struct pps_param *params, int p);
