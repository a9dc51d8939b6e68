// SPDX-License-Identifier: Apache-2.0
// The timeline of an executed order; writes the order with its pipeline as a plan.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/common/executor/step_trace.h"
#include "kernels/schedule/point.h"

// Returns the timeline of the last order that was executed (schedule_evaluate, PPS_DONE).
struct step_trace schedule_timeline(const struct schedule_scratch *scratch);

// Appends the pipeline and its executed order as a plan. false: out of memory.
bool schedule_write_plan(const struct schedule_scratch *scratch,
                         const struct schedule_point *point,
                         const struct schedule_figures *figures, struct text_buffer *text);
