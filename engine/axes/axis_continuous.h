// SPDX-License-Identifier: Apache-2.0
// Builds the axis of a continuous range, {"start": 1, "stop": 3, "continuous": true}, which
// contains any number between start and stop and is for samples only. Values are short
// decimals, about a millionth of the range apart, unless "decimals" gives the number of
// decimals.
#pragma once

#include "base/document/json.h"
#include "engine/space/axis.h"

// Returns true if the entry of a parameter is a continuous range.
bool pps_is_continuous(const cJSON *item);

// Builds the axis of parameter p of the kernel. For an integer parameter the axis is the range
// of all integers. Errors carry the place of item.
PPS_MUST_CHECK enum pps_status pps_continuous_from_json(struct pps_axis *axis,
                                                        const struct pps_kernel *kernel, int p,
                                                        const struct pps_json *json,
                                                        const cJSON *item,
                                                        struct pps_error *err);

// Returns the range as an experiment writes it, or NULL if memory runs out. The caller deletes
// the result.
cJSON *pps_continuous_to_json(const struct pps_axis *axis);
