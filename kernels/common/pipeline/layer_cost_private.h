// SPDX-License-Identifier: Apache-2.0
// Declares what the files of the cost of a layer share: the values of one shape, and the parts of a
// layer that depend on them.
#pragma once

#include "kernels/common/pipeline/layer_cost.h"

#define ELEMENT 2.0 // bytes of an activation
#define INDEX   4.0 // bytes of a number kept in fp32: log-sum-exp, router scores

// Trained matrices beside frozen ones.
struct layer_adapters {
    double gemm;    // s, forward
    double kept;    // bytes: the numbers between their two matrices
    double traffic; // bytes, forward
};

// Rows that a matrix multiplies.
struct layer_rows {
    double n;
    double ranks; // that the matrix is split over
    double times; // so many such matrices
    double width; // of the feed-forward network
};

// Values of a kind of layer, for one shape.
struct layer_setting {
    const struct layercost_model *m;
    const struct modeldesc *d;             // the model, or a view of one of its kinds of layers
    const struct modeldesc_counts *counts; // of d
    double blocks; // parts of a layer that add to the residual stream: mixer and network
    const struct hardware *hw;
    const struct stack *stack;
    double tokens;                    // T: per micro-batch and cp rank
    double seq, t, u;                 // s; tp; tp where sequence parallel, else 1
    double cp;                        // ranks
    int64_t tp, ep;                   // ranks
    double h, matrices;               // hidden; matrices of a feed-forward network, 3 gated
    double heads;                     // A / t
    double dq, dv;                    // widths of a head
    double scores;                    // A b s^2 / (cp t): numbers in the attention scores
    struct layercost_parts attention; // of the attention block: matrices and kernel
    double gathers;                   // all-gathers of the mixer
    double gather;         // s, one all-gather of the layer's activations among tp ranks
    double cp_gather;      // s, of keys and values among cp ranks
    double context_bytes;  // of these keys and values; 0 without context ranks
    double attention_kept; // bytes
    double attention_ends; // numbers per token: inputs and outputs of the matrices
    double attention_made; // numbers per token: outputs of the matrices
    struct layer_adapters adapters; // of the attention block
};

// The cost of the feed-forward part of a layer.
struct layer_feed_forward {
    double gemm;
    double last;        // s, part of `gemm`: the products whose outputs are the layer's
    double traffic;     // bytes of memory-bound operations
    double gathers;     // among tp ranks, of the layer's activations
    double exchange;    // s, further exchanges among tp ranks
    double ep;          // s, among ep ranks
    double kept;        // bytes
    double ends;        // numbers: inputs and outputs of the matrices
    double made;        // numbers: outputs of the matrices, without those of routed experts
    double grouped;     // s, part of `gemm`: products of routed experts
    double shared;      // s, part of `gemm`: products of shared experts
    double kept_shared; // part of `kept`: all of the shared experts but their input
    double sent;        // numbers: tokens that came to experts and came back, of several ranks
    double remade;      // part of `kept` that mode select recomputes with a flash kernel
    double inputs;      // part of `kept`, inputs of products besides these
    bool routed;        // to experts
    struct layer_adapters adapters;
};

// The time of a product of a linear layer: the operands have 8 bits where the training says so.
double layer_product(const struct layer_setting *s, double m, double n, double k);

// Parameters of the attention matrices, per device.
double layer_projections(const struct layer_setting *s);

// The time of the products that expand compressed queries, keys and values; 0 without compression.
double layer_up_products(const struct layer_setting *s);

// Adds the adapters of these matrices of the training.
void layer_add_adapters(const struct layer_setting *s, unsigned modules,
                        const struct layer_rows *rows, struct layer_adapters *sum);

// Returns whether the input of one of these matrices is stored: its own gradient needs it, or that of its adapter.
static inline bool layer_stores_input(const struct layer_setting *s, unsigned modules)
{
    return !s->m->frozen || (s->m->adapters & modules) != 0;
}

// Sets what the setting has of the mixer and of exchanges among tp and cp ranks.
void layer_add_attention(struct layer_setting *s, const struct layercost_shape *shape);

// The same of a mixer that is no attention: its products, its scan, what it stores.
void layer_add_scan(struct layer_setting *s, const struct layercost_shape *shape);

// Adds attention beside such a mixer.
void layer_add_beside(struct layer_setting *s, const struct layercost_shape *shape);

// Parameters of the matrices of such a mixer, per device.
double layer_scan_matrices(const struct layer_setting *s);

// Memory traffic of the residual stream and of norms, bytes.
double layer_residual_traffic(const struct layer_setting *s);
double layer_score_traffic(const struct layer_setting *s);

struct layer_feed_forward layer_dense_network(const struct layer_setting *s);
struct layer_feed_forward layer_routed_network(const struct layer_setting *s);

// Sets forward, backward and weights of a layer whose parts are known.
void layer_pass_times(const struct layer_setting *s, const struct layer_feed_forward *f,
                      struct layercost *layer);

// Sets stored and kept_for_weights of a layer whose parts are known.
void layer_stored_bytes(const struct layer_setting *s, const struct layer_feed_forward *f,
                        struct layercost *layer);
