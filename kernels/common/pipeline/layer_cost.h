// SPDX-License-Identifier: Apache-2.0
// Computes the cost per device of one transformer layer, the output head, and the exchanges around
// them: time of a forward and a backward pass of one micro-batch, bytes stored for the backward
// pass, parameters. The cost depends on the model, the device and (tp, cp, ep, mbs, sp) only, not on
// pipeline depth, data parallelism or schedule.
//
// Operations follow Korthikanti et al., "Reducing Activation Recomputation in Large Transformer
// Models" (2022), sections 4 and 5, and Narayanan et al., "Efficient Large-Scale Language Model
// Training on GPU Clusters" (2021), section 3, extended by grouped queries, compressed keys and
// values (DeepSeek-AI, DeepSeek-V2, 2024) and routed experts (Rajbhandari et al., DeepSpeed-MoE,
// 2022). Times in s, sizes in bytes, activations two bytes an element.
#pragma once

#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"

#include <stdbool.h>
#include <stdint.h>

enum layercost_recompute {
    LAYERCOST_NONE, // all activations are stored
    LAYERCOST_SELECT, // cheap parts are recomputed: the attention scores without a flash kernel; with
                      // it, outputs of norms and of the activation
    LAYERCOST_FULL, // only the input of the layer is stored
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
    double backward[LAYERCOST_MODES];    // with the recomputed forward
    struct layercost_parts select_again; // exchanges that mode select repeats
    double weights; // part of each backward that only the weights' gradients need
    // Bytes, of those stored without recompute and of gradients that take their place, that stay from
    // the backward of the layer's input to the gradients of its weights, if these come later.
    double kept_for_weights;
    double stored[LAYERCOST_MODES]; // bytes of one micro-batch from its forward to its backward
    double
        working; // bytes that a forward stores without recompute, before any of them leave the device
    double
        buffers; // bytes beside what is stored: while the layer computes its attention, and on the way to the host
    double parameters; // per device, without routed experts
    double routed;     // per device, routed experts
    double
        matrices; // per device, parameters of the feed-forward matrices, one of each shape; with a
                  // table of kinds also those of the mixer
};

struct layercost_head {
    double forward, backward;
    double weights;    // part of the backward
    double logits;     // bytes, transient
    double parameters; // per device, of the output table
};

// Values that do not depend on the shape, computed once.
struct layercost_model {
    struct modeldesc model;
    struct modeldesc_counts counts;
    struct hardware hardware; // with the factors of the stack
    struct stack stack;
    bool fp8;             // linear layers multiply 8-bit numbers
    bool kept_8bit;       // their inputs are stored in 8 bits
    unsigned modules;     // that mode select makes again; 0: as the stack does
    bool dropout;         // masks of dropout are stored
    bool frozen;          // only adapters have gradients
    int64_t adapter_rank; // 0: there are none
    unsigned adapters;    // matrices that have them
    bool flash;           // attention kernel that never writes scores
    bool fused_ce;        // fused cross-entropy
    double loss_chunks;   // only one of so many pieces of the logits exists at a time
    double offloaded
        [LAYERCOST_MODES];       // share of what is stored that waits in the memory of the host
    bool expert_tensor_parallel; // experts are split over tp too
};

// All costs of one shape.
struct layercost_set {
    struct layercost_head head;
    double
        attention_matrices; // per device, parameters of the attention matrices; 0 with a table of
                            // kinds, whose matrices have them
    double embedding;       // per device, parameters of the input table
    double mtp_parameters; // per device, of one MTP module without its layer
    double mtp_forward;    // the projection of a module; its head costs as much as `head`
    double mtp_weights;    // part of its backward, as long again: frozen weights have none
    double p2p_intra;      // both directions over one pipeline boundary, within a node
    double p2p_inter;      // the same, across nodes
    union {
        struct {
            struct layercost dense, moe; // all zero for a kind that the model does not have
        };
        struct layercost kind[MODELDESC_KINDS]; // of the table of kinds; the rest is not set
    };
};

// Returns the kinds of layers of a model: two without a table.
static inline int layercost_kinds(const struct layercost_model *m)
{
    return m->model.n_kinds > 0 ? m->model.n_kinds : 2;
}

// Returns the FLOPs of the scan of a mixer that is no attention, per token, forward.
double layercost_scan_flops(const struct modeldesc *view);

void layercost_open(struct layercost_model *m, const struct modeldesc *model,
                    const struct hardware *hardware, const struct training *training);

// Returns the parameters of the adapters of a layer of a kind, on all devices together, of so many experts each.
double layercost_adapters(const struct layercost_model *m, int kind, double experts);

// Returns what the price of the training's adapters lacks for a model; NULL: nothing.
const char *layercost_adapters_lack(const struct modeldesc *model,
                                    const struct training *training);

void layercost_of(const struct layercost_model *m, const struct layercost_shape *shape,
                  struct layercost_set *set);
