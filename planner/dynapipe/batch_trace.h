// SPDX-License-Identifier: Apache-2.0
// Writes the timeline of a plan.
#pragma once

#include "engine/trace/trace_write.h"
#include "planner/dynapipe/plan_batch.h"

// Writes the timeline of the slowest replica of the batch with this name.
PPS_MUST_CHECK enum pps_status batch_trace_write(const struct dynaplan_request *request,
                                                 const struct planned *planned,
                                                 const char *name, const char *path,
                                                 enum pps_trace_form form,
                                                 const struct pps_gate *gate,
                                                 struct pps_error *err);
