// SPDX-License-Identifier: Apache-2.0
// Sends executed schedules as timelines: the compute lane and the send lane of every device, and its memory.
#pragma once

#include "kernels/dynapipe/methods/lanes.h"
#include "ppsweep/kernel.h"

extern const struct pps_trace_names timeline_names;

// A schedule. ordered: the micro-batches by position; order: position -> micro-batch, which names the pieces.
struct timeline {
    const struct dynapipe_pipeline *pipeline;
    const struct micro_batches *ordered;
    const struct lanes *lanes;
    const struct lanes_times *times;
    const int32_t *order;
    const uint8_t *recompute; // [micro_batch * stages + stage]
};

// Returns false if memory runs out.
bool timeline_send(const struct timeline *timeline, const struct pps_trace_sink *sink);
