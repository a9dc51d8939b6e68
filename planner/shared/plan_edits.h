// SPDX-License-Identifier: Apache-2.0
// Applies the options --at, --layers and --recompute to the strategy of a document.
#ifndef PPS_PLANNER_SHARED_PLAN_EDITS_H
#define PPS_PLANNER_SHARED_PLAN_EDITS_H

#include "engine/command/command.h"

#include <cjson/cJSON.h>

// Edits the strategy, an object as kernels/configuration reads it. A change of the stages or chunks removes
// the lists of layers, a change of other degrees the number of replicas, unless options set them. What is removed
// moves to the list `removed`, so that no later item takes its place in the text.
PPS_MUST_CHECK enum pps_status plan_edits_apply(cJSON *strategy,
                                                cJSON *removed,
                                                const struct pps_args *args,
                                                struct pps_error *err);

#endif
