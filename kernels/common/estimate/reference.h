// SPDX-License-Identifier: Apache-2.0
// Computes the estimate directly from its definition, stage by stage, chunk by chunk and task by
// task, for any split of layers and any choice of recomputed layers. Tests compare estimate.h with
// this reference; reports of single strategies use it.
#ifndef PPS_COMMON_ESTIMATE_REFERENCE_H
#define PPS_COMMON_ESTIMATE_REFERENCE_H

#include "kernels/common/estimate/estimate.h"

// Of one virtual chunk. Leading layers are dense.
struct nd_chunk {
    int32_t dense, moe; // layers
    // of these, the ones that are made again in the backward pass
    int32_t dense_select, dense_full, moe_select, moe_full;
};

struct nd_stage {
    int32_t dense, moe;    // layers
    double common, routed; // parameters of one device
    double parameters, gradients, optimizer;
    double in_flight; // micro-batches at the peak: the sum over all chunks, divided by vp
    double activations, transient, reserve, total;
    double forward, backward; // one micro-batch, all chunks, head included
};

// Fills chunk[v * pp + i] with the layers of the default split and the recompute of the strategy.
void nd_reference_split(const struct nd_estimate *e,
                        const struct nd_point *point,
                        struct nd_chunk *chunk);

// stage[pp] from chunk[vp * pp]; memory and time of the whole (either may be NULL).
void nd_reference(const struct nd_estimate *e,
                  const struct nd_point *point,
                  const struct nd_chunk *chunk,
                  struct nd_stage *stage,
                  struct nd_memory *memory,
                  struct nd_time *time);

#endif
