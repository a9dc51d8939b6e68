// SPDX-License-Identifier: Apache-2.0
// What the files that read an axis share: axisjson.c reads values and lists, axisrange.c ranges,
// axisexpr.c expressions. Private to these.
#ifndef PPS_AXISPARTS_H
#define PPS_AXISPARTS_H

#include "axisjson.h"

// What they work on.
struct pps_axis_source {
    const struct pps_kernel *kernel;
    const struct pps_param *param;
    int p;
    const struct pps_json *json;
    struct pps_error *err;
    bool keep_repeated; // values are paired with those of other parameters
};

struct pps_axis_range {
    double start, stop, step;
    uint64_t n;
};

// Keeps the first of equal values, in their order; returns how many are left. 0: no memory.
uint64_t pps_axis_drop_repeated(const struct pps_param *param, double *values, uint64_t n);

// The axis of {start, stop, step}.
PPS_MUST_CHECK enum pps_status pps_axis_from_range(struct pps_axis *axis,
                                                   const struct pps_axis_source *s,
                                                   const cJSON *object);
// The axis of a range that is known to be right: a table, or where it is long computed value by
// value.
PPS_MUST_CHECK enum pps_status pps_axis_make_range(struct pps_axis *axis,
                                                   const struct pps_axis_source *s,
                                                   const struct pps_axis_range *range);
// PPS_E_INPUT where stop is no whole number of steps away, with the nearest stops that are. `which`
// follows the parameter's name.
PPS_MUST_CHECK enum pps_status pps_axis_check_steps(const struct pps_axis_source *s,
                                                    const cJSON *place,
                                                    const char *which,
                                                    const struct pps_axis_range *range);
// PPS_E_INPUT where the parameter cannot have this value.
PPS_MUST_CHECK enum pps_status pps_axis_check_value(const struct pps_axis_source *s,
                                                    const cJSON *item,
                                                    double value,
                                                    const char *which);

// The axis of an expression: a table where it depends on nothing.
PPS_MUST_CHECK enum pps_status pps_axis_from_expression(struct pps_axis *axis,
                                                        const struct pps_axis_source *s,
                                                        const cJSON *item);

#endif
