// SPDX-License-Identifier: Apache-2.0
// A modeldesc holds the shape of a transformer, read from a model document; this module also counts
// its parameters exactly.
#ifndef PPS_COMMON_DESCRIPTION_MODEL_H
#define PPS_COMMON_DESCRIPTION_MODEL_H

#include "base/document/fault.h"

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
    int64_t vocab;        // V, padded if the document gives a padded size
    int64_t seq_length;   // s
    bool tied;            // one matrix for embedding and head
    enum modeldesc_attention attention;
    int64_t q_rank;            // r; 0: queries are not compressed
    int64_t kv_rank;           // c; MLA only
    int64_t qk_nope, qk_rope;  // dn, dr; MLA only
    int64_t v_dim;             // dv; MLA only
    int64_t experts;           // E; 0: dense
    int64_t topk;              // k
    int64_t expert_groups;     // groups of experts, which are placed on nodes; 0: no groups
    int64_t routed_groups;     // groups among which a token chooses its experts
    int64_t moe_ffn;           // m
    int64_t shared_ffn;        // msh: width of all shared experts together
    int64_t dense_layers;      // kd: leading dense layers; all layers of a dense model
    bool router_bias, qk_norm; // extra parameters
    bool attention_bias;       // bias on q, k, v; MLA: on the compressing projections
    bool output_bias;          // bias on the output projection of attention
    bool linear_bias;          // bias on all linear layers
    enum modeldesc_norm norm;
    int64_t positions; // learned positions, each h wide; 0: none
    int64_t window;    // latest tokens that a token attends to, with itself; 0: all before it
    // Values of the document, -1 where it has none. Published tools then assume m for the shared
    // width and 0 for the dense layers.
    int64_t shared_given, dense_given;
    bool seq_given; // seq_length comes from the document
};

// Parameter counts of a layer, its parts, and the model.
struct modeldesc_counts {
    int64_t attention;   // of one layer, with qk_norm and biases
    int64_t norms;       // both norms of a layer
    int64_t dense_layer; // counted even if the model has no dense layer
    int64_t router;      // of a MoE layer; this and the next three are 0 for a dense model
    int64_t shared;
    int64_t routed; // all experts together
    int64_t moe_layer;
    int64_t embedding; // V h + positions h
    int64_t head;      // 0 where tied
    int64_t final_norm;
    int64_t
        mtp_module; // of one module: layer, projection and norms; 0: dense model without MTP
    int64_t total;  // of the model, without MTP modules
    int64_t active; // used by one token: k experts instead of E
};

struct cJSON;
struct docfields;

// Reads a model document: our own keys with their published aliases, or a Hugging Face config.json.
// The keys "architectures", "model_type" or "num_hidden_layers" identify a config.json; its keys
// that do not describe the shape are ignored. In any other document an unknown key is refused and
// the nearest known key suggested. false: `fault` describes the error.
//
// Defaults: query_groups = heads, head_dim = hidden / heads, ffn = 4 hidden, gated unless the model
// is dense with norm "layer", seq_length 4096, expert width = ffn, no shared experts, no dense
// layers before MoE layers. All layers of a dense model are dense, also if the document gives
// another number. learned_positions is a number of positions, or true for max_position_embeddings
// positions (seq_length positions if that key is missing).
bool modeldesc_read(struct modeldesc *model,
                    const struct cJSON *document,
                    struct pps_fault *fault);

// Returns the model as a document that modeldesc_read reads as the same model; NULL: out of memory. The caller
// frees it.
struct cJSON *modeldesc_document(const struct modeldesc *model);

// Keys of our own documents, for readers that sort keys of several kinds.
const struct docfields *modeldesc_keys(void);

// Returns whether a document is a Hugging Face config.json.
bool modeldesc_is_config(const struct cJSON *document);

// Returns the number of keys of a Hugging Face config.json that modeldesc_read ignores, and stores
// the first `max` keys, which point into the document. Returns 0 for other documents.
int modeldesc_ignored(const struct cJSON *document, const char **keys, int max);

// Returns the share of all pairs of positions of a sequence that causal attention multiplies.
static inline double modeldesc_seen(const struct modeldesc *model, double seq_length)
{
    const double share = (double)model->window / seq_length;
    return model->window > 0 && share < 1 ? share * (1 - 0.5 * share) : 0.5;
}

// Returns num_layers + mtp_depth.
int64_t modeldesc_layers(const struct modeldesc *model);

void modeldesc_count(const struct modeldesc *model, struct modeldesc_counts *counts);

#endif
