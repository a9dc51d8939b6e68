// SPDX-License-Identifier: Apache-2.0
// Sends the timeline of a replayed strategy: the blocks of every stage, and its memory over time.
#pragma once

#include "kernels/balance/model/replay.h"
#include "ppsweep/kernel.h"

// Groups are stages; the counter is the memory in MiB.
extern const struct pps_trace_names balance_trace_names;

// Sends the blocks of the last replay, in order of their start, with the memory of the strategy. Memory changes at the end
// of a block. limit_mb: of every stage; INFINITY: none. Returns false if memory runs out.
bool balance_send_timeline(const struct balance_replay *replay,
                           const struct balance_layers *layers,
                           const struct balance_shape *shape,
                           const struct balance_strategy *strategy, double limit_mb,
                           const struct pps_trace_sink *sink);
