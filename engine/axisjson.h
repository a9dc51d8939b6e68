// SPDX-License-Identifier: Apache-2.0
// An axis from what an experiment says of a parameter: a value, a list, {start, stop, step}, a
// continuous range or an expression.
#ifndef PPS_AXISJSON_H
#define PPS_AXISJSON_H

#include "axis.h"
#include "jsonfile.h"

// Longest range that is written down as a table; longer ones are computed value by value.
enum { PPS_TABLE_MAX = 4096 };

// Builds the axis of parameter p of kernel from item. Unless keep_repeated, values listed twice are
// used once and *n_repeated says how many were dropped. Errors have item's place.
PPS_MUST_CHECK enum pps_status pps_axis_from_json(struct pps_axis *axis,
                                                  const struct pps_kernel *kernel,
                                                  int p,
                                                  const struct pps_json *json,
                                                  const cJSON *item,
                                                  bool keep_repeated,
                                                  uint64_t *n_repeated,
                                                  struct pps_error *err);

// The next of the members that the axis has room for: a parameter, with room for `count` values of
// it. NULL: no memory, which err says.
struct pps_axis_member *pps_axis_add_member(struct pps_axis *axis,
                                            int param,
                                            struct pps_error *err);

// A table of one parameter from n values as they travel (repeated ones are the caller's
// business).
PPS_MUST_CHECK enum pps_status pps_axis_table(struct pps_axis *axis,
                                              const struct pps_kernel *kernel,
                                              int p,
                                              const double *values,
                                              uint64_t n,
                                              struct pps_error *err);

// The axis as an experiment could write it (lists of values, a range, an expression); NULL
// without memory. Only of axes that set one parameter and have no entries.
cJSON *pps_axis_to_json(const struct pps_axis *axis, const struct pps_param *params);

#endif
