// SPDX-License-Identifier: Apache-2.0
// What one layer of a transformer, its output head, and the exchanges around them cost one device:
// time of a forward and a backward pass of one micro-batch, bytes that stay for the backward pass,
// parameters. All of it is fixed by the model, the device and (tp, cp, ep, mbs, sp); depth of the
// pipeline, data parallelism and schedule do not enter.
//
// Operations follow Korthikanti et al., "Reducing Activation Recomputation in Large Transformer
// Models" (2022), sections 4 and 5, and Narayanan et al., "Efficient Large-Scale Language Model
// Training on GPU Clusters" (2021), section 3, extended by grouped queries, compressed keys and
// values (DeepSeek-AI, DeepSeek-V2, 2024) and routed experts (Rajbhandari et al., DeepSpeed-MoE,
// 2022). Times in s, sizes in bytes, activations two bytes an element.
#ifndef PPS_LAYERCOST_H
#define PPS_LAYERCOST_H

#include "hardware.h"
#include "modeldesc.h"
#include "training.h"

#include <stdbool.h>
#include <stdint.h>

enum layercost_recompute {
    LAYERCOST_NONE, // everything stays
    LAYERCOST_SELECT, // cheap parts are made again: the attention scores without a flash kernel; with
                      // it, outputs of norms and of the activation
    LAYERCOST_FULL, // only the layer's input stays
};
enum { LAYERCOST_MODES = 3 };

// Every degree >= 1.
struct layercost_shape {
    int64_t tp, cp, ep; // tensor, context, expert
    int64_t mbs;        // sequences a micro-batch
    int64_t seq_length;
    bool sp; // sequence parallel
};

// Forward parts of a layer, s.
struct layercost_parts {
    double gemm, attention, memory; // matrix products, attention kernel, memory traffic
    double tp, ep, cp;              // exchanges
};

struct layercost {
    struct layercost_parts parts;
    double forward;
    double backward[LAYERCOST_MODES]; // the forward that is done again is part of it
    double stored[LAYERCOST_MODES]; // bytes of one micro-batch from its forward to its backward
    double parameters;              // of one device without routed experts
    double routed;                  // of one device, routed experts
    double matrices; // parameters of one device's feed-forward matrices, one of each shape
};

struct layercost_head {
    double forward, backward;
    double logits;     // bytes, transient
    double parameters; // of the table on one device
};

// What does not depend on the shape, worked out once.
struct layercost_model {
    struct modeldesc model;
    struct modeldesc_counts counts;
    struct hardware hardware;
    double tp_exposed, ep_exposed; // fractions of these exchanges that nothing hides, 0 ... 1
    bool flash;                    // attention kernel that never writes scores
    bool fused_ce;                 // fused cross-entropy
    bool expert_tensor_parallel;   // experts are split over tp too
};

// All of it for one shape.
struct layercost_set {
    struct layercost dense, moe; // the one that the model has not is all zero
    struct layercost_head head;
    double attention_matrices; // the same of its matrices in attention
    double embedding;          // parameters of the input table on one device
    double mtp_parameters;     // of one MTP module beyond its layer, on one device
    double mtp_forward;        // its projection; its pass through the head is that of `head`
    double p2p_intra;          // both ways across one pipeline boundary, within a node
    double p2p_inter;          // across nodes
};

void layercost_open(struct layercost_model *m,
                    const struct modeldesc *model,
                    const struct hardware *hardware,
                    const struct training *training);

void layercost_of(const struct layercost_model *m,
                  const struct layercost_shape *shape,
                  struct layercost_set *set);

#endif
