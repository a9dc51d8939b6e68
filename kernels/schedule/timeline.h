// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of an executed order: operations, messages and the memory of every device.
#ifndef PPS_SCHEDULE_TIMELINE_H
#define PPS_SCHEDULE_TIMELINE_H

#include "kernels/schedule/point.h"
#include "ppsweep/kernel.h"

extern const struct pps_trace_names schedule_trace_names;

// Sends the timeline of the last order that was executed (schedule_evaluate, SCHEDULE_DONE). Returns
// PPS_FAILED if memory runs out.
enum pps_outcome schedule_send_timeline(const struct schedule_scratch *scratch,
                                        const struct pps_trace_sink *sink);

#endif
