// SPDX-License-Identifier: Apache-2.0
// A transformer: its shape, read from a model document, and exact parameter counts.
#ifndef PPS_MODELDESC_H
#define PPS_MODELDESC_H

#include "docfault.h"

#include <stdbool.h>
#include <stdint.h>

enum modeldesc_attention {
    MODELDESC_GQA, // also MHA (query_groups == heads) and MQA
    MODELDESC_MLA, // compressed keys and values
};

enum modeldesc_norm {
    MODELDESC_RMS,
    MODELDESC_LAYER, // with bias
};

struct modeldesc {
    char name[64];        // "name" of the document, or ""
    int64_t num_layers;   // without MTP layers
    int64_t mtp_depth;    // MTP layers, each counted as one more (MoE) layer at the end
    int64_t hidden;       // h
    int64_t heads;        // A
    int64_t query_groups; // G
    int64_t head_dim;     // d
    int64_t ffn;          // f, after ffn_dim_multiplier
    bool gated;           // three matrices a feed-forward network, not two
    int64_t vocab;        // V, padded where that is given
    int64_t seq_length;   // s
    bool tied;            // one matrix for embedding and head
    enum modeldesc_attention attention;
    int64_t q_rank;            // r; 0: queries are not compressed
    int64_t kv_rank;           // c; MLA only
    int64_t qk_nope, qk_rope;  // dn, dr; MLA only
    int64_t v_dim;             // dv; MLA only
    int64_t experts;           // E; 0: dense
    int64_t topk;              // k
    int64_t moe_ffn;           // m
    int64_t shared_ffn;        // msh: width of all shared experts together
    int64_t dense_layers;      // kd: leading dense layers; all layers of a dense model
    bool router_bias, qk_norm; // extra parameters
    bool attention_bias;       // bias on q, k, v; MLA: where these are compressed
    bool output_bias;          // bias on what attention puts out
    bool linear_bias;          // bias on all linear layers
    enum modeldesc_norm norm;
    int64_t positions; // learned positions, each h wide; 0: none
    // As the document has them, -1 where it is silent: published tools took m for the shared
    // width and 0 for the dense layers then.
    int64_t shared_given, dense_given;
    bool seq_given; // seq_length comes from the document
};

// What one layer and its parts hold, in parameters.
struct modeldesc_counts {
    int64_t attention;   // of one layer, its qk_norm and biases included
    int64_t norms;       // the two of a layer
    int64_t dense_layer; // whether or not the model has one
    int64_t router;      // of a MoE layer; 0 for a dense model, as are the next three
    int64_t shared;
    int64_t routed; // all experts together
    int64_t moe_layer;
    int64_t embedding; // V h + positions h
    int64_t head;      // 0 where tied
    int64_t final_norm;
    int64_t mtp_module; // one: its layer, projection and norms; 0: dense and without any
    int64_t total;      // of the model, without MTP modules
    int64_t active;     // a token uses: k experts in place of E
};

struct cJSON;
struct docfields;

// Reads a model document: our own names with their published aliases, or a Hugging Face
// config.json, which is told by its "architectures", "model_type" or "num_hidden_layers" and of
// which keys that say nothing of the shape are ignored. In any other document an unknown key is
// refused, with the nearest known one. false: fault says what is wrong.
//
// What is not said: query_groups = heads, head_dim = hidden / heads, ffn = 4 hidden, gated unless
// it is a dense model with norm "layer", seq_length 4096, expert width = ffn, no shared experts,
// no dense layers in front of MoE ones. All layers of a dense model are dense, whatever the
// document says. learned_positions is a number of positions, or true: max_position_embeddings of
// them, or seq_length where that is not given either.
bool modeldesc_read(struct modeldesc *model,
                    const struct cJSON *document,
                    struct docfault *fault);

// Keys of documents of our own, for those who sort keys of several kinds.
const struct docfields *modeldesc_keys(void);

// Whether a document is told to be a Hugging Face config.json.
bool modeldesc_is_config(const struct cJSON *document);

// Keys of a Hugging Face config.json that modeldesc_read passes over: their number, and the first
// `max` of them, which point into the document. 0 for other documents.
int modeldesc_ignored(const struct cJSON *document, const char **keys, int max);

// layers + mtp_depth
int64_t modeldesc_layers(const struct modeldesc *model);

void modeldesc_count(const struct modeldesc *model, struct modeldesc_counts *counts);

#endif
