// SPDX-License-Identifier: Apache-2.0
// Builds an axis from the entry of a parameter in an experiment: a value, a list, {start, stop,
// step}, a continuous range or an expression.
#pragma once

#include "base/document/json.h"
#include "engine/space/axis.h"

// Longest range that is stored as a table. The values of a longer range are computed one by
// one.
enum { PPS_TABLE_MAX = 4096 };

// Builds the axis of parameter p of the kernel from item. Unless keep_repeated is set, repeated
// values are removed and *n_repeated is their number. Errors carry the place of item. The
// caller frees the axis with pps_axis_free.
PPS_MUST_CHECK enum pps_status pps_axis_from_json(struct pps_axis *axis,
                                                  const struct pps_kernel *kernel, int p,
                                                  const struct pps_json *json,
                                                  const cJSON *item, bool keep_repeated,
                                                  uint64_t *n_repeated, struct pps_error *err);

// Returns the next unused member of the axis, set to this parameter and with room for
// axis->count values. Returns NULL and fills err if memory runs out.
struct pps_axis_member *pps_axis_add_member(struct pps_axis *axis, int param,
                                            struct pps_error *err);

// Builds a table of parameter p from n values in the encoding of kernel.h. Repeated values are
// kept.
PPS_MUST_CHECK enum pps_status pps_axis_table(struct pps_axis *axis,
                                              const struct pps_kernel *kernel, int p,
                                              const double *values, uint64_t n,
                                              struct pps_error *err);

// Returns the axis as an experiment writes it (list of values, range, expression), or NULL if
// memory runs out. The caller deletes the result. The axis must set one parameter and must not
// have entries.
cJSON *pps_axis_to_json(const struct pps_axis *axis, const struct pps_param *params);
