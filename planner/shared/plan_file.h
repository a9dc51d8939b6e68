// SPDX-License-Identifier: Apache-2.0
// Reads a plan from any file that says what a training step is: a plan, or a training (the configuration of a
// framework, a run document), which is evaluated.
#ifndef PPS_PLANNER_SHARED_PLAN_FILE_H
#define PPS_PLANNER_SHARED_PLAN_FILE_H

#include "base/document/json.h"
#include "kernels/common/plan/plan.h"

// Reads a file ("-": a plan from standard input). cluster: a file or a name, which prices a training, also that of a
// plan, on other devices; NULL: the plan as it is, and for a training the devices that it names, else H100. The
// caller frees the plan with plan_free and the document of a plan with pps_json_free; after an error there is
// nothing to free. *json is empty for a training.
PPS_MUST_CHECK enum pps_status plan_file_read(struct plan **plan,
                                              struct pps_json *json,
                                              const char *path,
                                              const char *cluster,
                                              struct pps_error *err);

#endif
