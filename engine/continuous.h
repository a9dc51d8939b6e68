// SPDX-License-Identifier: Apache-2.0
// Ranges without steps, {"start": 1, "stop": 3, "continuous": true}: any number in between, for
// samples. Values are short decimals: about a millionth of the range apart, unless "decimals" says
// how many.
#ifndef PPS_CONTINUOUS_H
#define PPS_CONTINUOUS_H

#include "axis.h"
#include "jsonfile.h"

// Whether an experiment says of a parameter that its range is continuous.
bool pps_says_continuous(const cJSON *item);

// Builds the axis of parameter p of kernel. Of a parameter of whole numbers it is the range of
// all of them. Errors have a place.
PPS_MUST_CHECK enum pps_status pps_continuous_from_json(struct pps_axis *axis,
                                                        const struct pps_kernel *kernel,
                                                        int p,
                                                        const struct pps_json *json,
                                                        const cJSON *item,
                                                        struct pps_error *err);

// As an experiment could write it; NULL without memory.
cJSON *pps_continuous_to_json(const struct pps_axis *axis);

#endif
