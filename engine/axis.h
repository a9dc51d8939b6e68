// SPDX-License-Identifier: Apache-2.0
// One axis of a grid: it has a number of values, and each value sets one parameter or several
// together. Built once, then const.
#ifndef PPS_AXIS_H
#define PPS_AXIS_H

#include "expr.h"
#include "kernel.h"
#include "status.h"
#include "value.h"

#include <stdbool.h>
#include <stdint.h>

enum { PPS_MAX_PARAMS = 64 };

enum pps_axis_kind {
    PPS_AXIS_TABLE,      // values written down: a list, lists in lockstep, a file of points
    PPS_AXIS_RANGE,      // start + i*step, too many to write down
    PPS_AXIS_DEPENDENT,  // an expression over earlier axes
    PPS_AXIS_COMPOSITE,  // the kernel's own; its members are written down where they are few
    PPS_AXIS_CONTINUOUS, // any number from start to stop: only for samples, never walked
};

// A parameter of a table. Its distinct values are kept once, with their cells.
struct pps_axis_member {
    int param;
    uint32_t n_values;
    double *values;
    struct pps_axis_cell *cells;
    uint32_t *entries; // entry i of the table has value entries[i]; NULL: value i
};

struct pps_axis {
    enum pps_axis_kind kind;
    uint64_t count; // of a dependent axis: 0, it is asked for at each point; continuous: 0
    uint64_t sets;  // bit p: parameter p
    // table, short composite
    int n_members;
    struct pps_axis_member *members;
    // range, continuous, dependent
    int param;
    double start, step;
    double stop;  // of a continuous axis
    int decimals; // of its values; below 0: a multiple of that power of ten
    struct pps_expr *expr;
    char *text;   // of the expression
    bool of_slot; // a table of documents: the number of one and what it says
    // composite
    const struct pps_composite *composite;
    struct pps_option_value *options;
};

// The values of an axis at a point whose earlier axes are set.
struct pps_axis_values {
    uint64_t count;
    struct pps_expr_list list; // of a dependent axis
};

void pps_axis_free(struct pps_axis *axis); // its contents

// Whether it has one value, the same at all points.
bool pps_axis_is_constant(const struct pps_axis *axis);

void pps_axis_values(const struct pps_axis *axis,
                     const double *point,
                     struct pps_axis_values *values);

// Cells by parameter: those of tables stay where they are, others are made.
struct pps_axis_cells {
    const struct pps_axis_cell *of[PPS_MAX_PARAMS];
    struct pps_axis_cell made[PPS_MAX_PARAMS];
};

// Sets point[p], and the cell of p unless cells is NULL, of the axis's parameters to value i.
// Returns false where a dependent axis gives a value that its parameter cannot take; point[p]
// holds it all the same, the cell does not.
bool pps_axis_place(const struct pps_axis *axis,
                    const struct pps_param *params,
                    const struct pps_axis_values *values,
                    uint64_t i,
                    double *point,
                    struct pps_axis_cells *cells);

// The number of the value that sets these parameters as point has them; false: there is none.
bool pps_axis_find(const struct pps_axis *axis,
                   const struct pps_param *params,
                   const struct pps_axis_values *values,
                   const double *point,
                   uint64_t *i);

// Greatest value of parameter p that the axis sets; of a composite the parameter's own maximum,
// of a dependent axis -INFINITY (it depends on the point).
double pps_axis_highest(const struct pps_axis *axis, const struct pps_param *params, int p);

#endif
