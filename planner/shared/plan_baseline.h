// SPDX-License-Identifier: Apache-2.0
// Completes the strategy that a document sets, when the number of devices is known.
#ifndef PPS_PLANNER_SHARED_PLAN_BASELINE_H
#define PPS_PLANNER_SHARED_PLAN_BASELINE_H

#include "planner/shared/plan_run.h"

// Adds dp and op to a baseline with dp_replicate, and sets the global batch from replica_batch and the sequence
// length of the model from seq_length, as framework_file describes them. A number of devices that is
// not a multiple of the degrees becomes cannot_run of the document.
PPS_MUST_CHECK enum pps_status plan_baseline_complete(struct plan_run *run,
                                                      struct pps_error *err);

#endif
