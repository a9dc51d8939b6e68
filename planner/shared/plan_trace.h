// SPDX-License-Identifier: Apache-2.0
// Writes the timeline of an executed step to a file.
#pragma once

#include "base/text/status.h"
#include "base/write/gate.h"
#include "kernels/common/executor/step_trace.h"
#include "kernels/configuration/step.h"

// Refuses a name without the ending of a timeline, and a file that cannot be written.
PPS_MUST_CHECK enum pps_status plan_trace_check(const char *path, const struct pps_gate *gate,
                                                struct pps_error *err);

// Returns the timeline of an evaluated training, in us and GiB.
struct step_trace plan_trace_of(const struct configuration_step *step);

// Names a training above its picture: "llama3-8b on 16 H100: dp=4 tp=1 cp=1 pp=4 ep=1 vp=1".
void plan_trace_name(char *title, size_t size, const struct modeldesc *model,
                     const struct cluster *cluster, const struct nd_strategy *strategy,
                     int64_t vp);

// time_unit: of a timeline that is not in us; or NULL. until: the end of what is written, in its unit; INFINITY: all.
PPS_MUST_CHECK enum pps_status plan_trace_write(const char *path, const struct pps_gate *gate,
                                                const char *title,
                                                const struct step_trace *trace,
                                                const char *time_unit, double until,
                                                struct pps_error *err);
