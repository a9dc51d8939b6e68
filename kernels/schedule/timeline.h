// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of an executed order: operations, messages and the memory of every device; writes the
// order with its pipeline as a plan.
#ifndef PPS_SCHEDULE_TIMELINE_H
#define PPS_SCHEDULE_TIMELINE_H

#include "base/text/text_buffer.h"
#include "kernels/schedule/point.h"
#include "ppsweep/kernel.h"

// Sends the timeline of the last order that was executed (schedule_evaluate, PPS_DONE). Returns
// PPS_NO_MEMORY if memory runs out.
enum pps_outcome schedule_send_timeline(const struct schedule_scratch *scratch,
                                        const struct pps_trace_sink *sink);

// Appends the pipeline and its executed order as a plan. false: out of memory.
bool schedule_write_plan(const struct schedule_scratch *scratch,
                         const struct schedule_point *point,
                         const struct schedule_figures *figures,
                         struct text_buffer *text);

#endif
