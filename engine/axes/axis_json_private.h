// SPDX-License-Identifier: Apache-2.0
// Declares structs and functions of the files that read an axis: axis_json.c reads values and
// lists, axis_range.c reads ranges, axis_expression.c reads expressions. Private to these
// files.
#pragma once

#include "engine/axes/axis_json.h"

// The entry of one parameter and its context.
struct pps_axis_source {
    const struct pps_kernel *kernel;
    const struct pps_param *param;
    int p;
    const struct pps_json *json;
    struct pps_error *err;
    // values are paired with values of other parameters: keep repeated values
    bool keep_repeated;
};

struct pps_axis_range {
    double start, stop, step;
    uint64_t n;
};

// Removes repeated values and keeps the order. Returns the number of values that remain, or 0
// if memory runs out.
uint64_t pps_axis_drop_repeated(const struct pps_param *param, double *values, uint64_t n);

// Builds the axis of an object {start, stop, step}.
PPS_MUST_CHECK enum pps_status pps_axis_from_range(struct pps_axis *axis,
                                                   const struct pps_axis_source *s,
                                                   const cJSON *object);
// Builds the axis of a valid range: a table, or a PPS_AXIS_RANGE if the range is long.
PPS_MUST_CHECK enum pps_status pps_axis_make_range(struct pps_axis *axis,
                                                   const struct pps_axis_source *s,
                                                   const struct pps_axis_range *range);
// Returns PPS_E_INPUT if stop is not a whole number of steps from start. The message gives the
// nearest valid stops; `which` follows the parameter's name in it.
PPS_MUST_CHECK enum pps_status pps_axis_check_steps(const struct pps_axis_source *s,
                                                    const cJSON *place, const char *which,
                                                    const struct pps_axis_range *range);
// Returns PPS_E_INPUT if the parameter cannot take this value.
PPS_MUST_CHECK enum pps_status pps_axis_check_value(const struct pps_axis_source *s,
                                                    const cJSON *item, double value,
                                                    const char *which);

// Builds the axis of an expression: a table if the expression depends on no other parameter.
PPS_MUST_CHECK enum pps_status pps_axis_from_expression(struct pps_axis *axis,
                                                        const struct pps_axis_source *s,
                                                        const cJSON *item);
