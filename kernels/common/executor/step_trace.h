// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of a step that was run: operations, messages and the memory of every device.
#pragma once

#include "kernels/common/executor/executor_times.h"
#include "ppsweep/kernel.h"

extern const struct pps_trace_names step_trace_names;    // of times and memory without a unit
extern const struct pps_trace_names step_trace_names_us; // in us and GiB

struct step_trace {
    const struct pipeline *pipeline;
    const struct order *order;
    const double *starts, *ends;        // [order_at]
    const struct executor_times *times; // of lane 0; NULL: the nominal times
    double time, memory;                // what times and memory are multiplied by; 0: 1
};

// Returns PPS_NO_MEMORY if memory runs out.
enum pps_outcome step_trace_send(const struct step_trace *step,
                                 const struct pps_trace_sink *sink);
