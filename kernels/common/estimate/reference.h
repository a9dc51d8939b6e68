// SPDX-License-Identifier: Apache-2.0
// Computes the estimate directly from its definition, stage by stage, chunk by chunk and task by
// task, for any split of layers and any choice of recomputed layers. Tests compare estimate.h with
// this reference; reports of single strategies use it.
#pragma once

#include "kernels/common/estimate/estimate.h"

// Layers by kind.
union nd_layers {
    struct {
        int32_t dense, moe; // without a table of kinds
    };
    int32_t of[MODELDESC_KINDS];
};

// Of one virtual chunk.
struct nd_chunk {
    union nd_layers layers;
    union nd_layers select, full; // of these, the ones that are made again in the backward pass
};

// Returns the layers of all kinds.
static inline int32_t nd_layers_all(const union nd_layers *layers)
{
    int32_t sum = 0;
    for (int k = 0; k < MODELDESC_KINDS; k++)
        sum += layers->of[k];
    return sum;
}

struct nd_stage {
    union nd_layers layers;
    double common, routed; // parameters of one device
    double parameters, gradients, optimizer;
    double in_flight; // micro-batches at the peak: the sum over all chunks, divided by vp
    double activations, transient, reserve, total;
    double forward, backward; // one micro-batch, all chunks, head included
};

// Fills chunk[v * pp + i] with the layers of the default split and the recompute of the strategy.
void nd_reference_split(const struct nd_estimate *e, const struct nd_point *point,
                        struct nd_chunk *chunk);

// stage[pp] from chunk[vp * pp]; memory and time of the whole (either may be NULL).
void nd_reference(const struct nd_estimate *e, const struct nd_point *point,
                  const struct nd_chunk *chunk, struct nd_stage *stage,
                  struct nd_memory *memory, struct nd_time *time);
