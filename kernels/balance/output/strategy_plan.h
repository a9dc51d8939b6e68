// SPDX-License-Identifier: Apache-2.0
// Writes a strategy with its order as a plan (kernels/common/plan/plan_json.h), as other commands read it.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/balance/model/replay.h"
#include "kernels/common/plan/plan.h"

struct balance_plan {
    const struct balance_layers *layers;
    const struct balance_shape *shape;
    const struct balance_strategy *strategy;
    const struct balance_replay *replay; // of the shape and open: the order
    double limit_mb;                     // of a stage; INFINITY: none
    double seconds;         // of a unit of time of the layers: 0.001 for milliseconds
    const char *by;         // who found the strategy: "balance", "naive"
    double makespan, bound; // of the order, in the unit of the layers; NAN: not known
};

// Returns the plan, which the caller frees with plan_free; NULL: out of memory. Stages are those of the model: stage
// k is chunk k / P of pipeline stage k mod P, its micro-batches are the pieces. The backward of the weights takes
// as long as the forward, but no longer than the backward; the backward of the input takes the rest, with what it
// computes again. All activations stay until the end of the backward of the weights.
struct plan *balance_plan_of(const struct balance_plan *of);

// Appends the plan as JSON. Returns false if memory runs out.
bool balance_plan_write(const struct balance_plan *of, struct text_buffer *text);
