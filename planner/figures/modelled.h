// SPDX-License-Identifier: Apache-2.0
// Computes the analytic figures of a strategy for the pipeline program: seconds and bytes of one
// layer of each type, of the head, and of the parts of a step outside the pipeline. Equations and
// sources: model.md.
#ifndef PPS_PLANNER_FIGURES_MODELLED_H
#define PPS_PLANNER_FIGURES_MODELLED_H

#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"
#include "kernels/common/estimate/replicas.h"
#include "kernels/common/estimate/strategy.h"

#include <stdint.h>

struct nd_analytic_layer {
    double forward, backward;              // s; nothing recomputed
    double backward_select, backward_full; // s
    double weights;                        // s, of each backward: gradients of the weights
    double kept_for_weights;   // bytes of a micro-batch between the two parts of a backward
    double none, select, full; // bytes that a micro-batch stores, by recompute
    double held;               // bytes of parameters, gradients, optimizer state
};

struct nd_analytic {
    struct nd_analytic_layer
        dense; // type 1: leading dense layers; all zero for a model without any
    struct nd_analytic_layer usual;     // type 2: all others
    double head_forward, head_backward; // s, with the passes of MTP modules through the head
    double hop;                         // s, a transfer between neighbouring stages, one way
    double embedding,
        head;       // bytes held on the first and the last stage; one stage: both together
    double logits;  // temporary bytes, on the last stage
    double working; // temporary bytes, on any stage: the layer that is recomputed, buffers
    double reserve; // bytes of framework and communication
    struct nd_exchanges dp; // s: between replicas, hidden or not
    double optimizer;       // s per step
    double embedding_time;  // s per step: memory traffic of the embedding
};

struct nd_analytic_model; // one thread at a time

// Returns NULL when out of memory. Copies the descriptions.
struct nd_analytic_model *nd_analytic_open(const struct modeldesc *model,
                                           const struct cluster *cluster,
                                           const struct training *training);
void nd_analytic_free(struct nd_analytic_model *model); // NULL is fine

// Computes the figures of a strategy; its numbers of chunks and its recompute do not matter.
void nd_analytic_of(struct nd_analytic_model *model,
                    const struct nd_strategy *strategy,
                    int64_t seq_length,
                    int64_t gbs,
                    struct nd_analytic *figures);

#endif
