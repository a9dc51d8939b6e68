// SPDX-License-Identifier: Apache-2.0
// A modeldesc holds the shape of a transformer; this module also counts its parameters exactly.
//
// A model is a list of layers. A layer is a mixer, which lets tokens see each other, and a
// feed-forward network, either of which may be missing. The fields below describe both; a model
// whose layers differ otherwise than by leading dense layers has a table of kinds and the kind of
// every layer.
//
// "Parameters" are the numbers of all stored matrices of the language model, each counted once: a
// matrix that is both embedding and head counts once, MTP modules and towers for images or sound do
// not count. "Active" are those that one token is multiplied with: without the experts that it does
// not choose and without the embedding, with the head.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum modeldesc_attention {
    MODELDESC_GQA, // also MHA (query_groups == heads) and MQA
    MODELDESC_MLA, // compressed keys and values
};

// What lets tokens see each other. I: width of the values, heads times head_dim; K: convolution.
enum modeldesc_mixer {
    MODELDESC_ATTENTION, // as `attention` says
    MODELDESC_MAMBA2,    // state-space dual (Dao and Gu 2024)
    MODELDESC_MAMBA1,    // selective scan (Gu and Dao 2023)
    MODELDESC_DELTA,     // Gated DeltaNet (Yang, Kautz and Hatamizadeh 2024)
    MODELDESC_KDA,       // Kimi Delta Attention (Kimi Team 2025)
    MODELDESC_LIGHTNING, // lightning attention (Qin et al. 2024)
    MODELDESC_CONV,      // gated short convolution (LFM2)
    MODELDESC_NO_MIXER,
    MODELDESC_MIXERS
};

enum modeldesc_network {
    MODELDESC_DENSE,
    MODELDESC_EXPERTS,
    MODELDESC_NO_NETWORK,
    MODELDESC_NETWORKS
};

// A kind of layer. Widths, heads and norms that are 0 are those of the model.
struct modeldesc_kind {
    enum modeldesc_mixer mixer;
    enum modeldesc_network network;
    int64_t window; // as the field of the model
    bool chunked;
    int64_t heads, query_groups, head_dim, v_dim; // of attention
    int64_t ffn;                                  // of a dense network
    int64_t layer_norms;
    bool
        attention_beside; // attention beside another mixer: both see the same input, their outputs are added
    bool keys_as_values; // values are made of the projection of keys
    bool no_sinks;       // although the model has attention sinks
    bool shares_index;   // attends to the tokens that the indexer of an earlier layer chose
};

// The scan of all mixers that are no attention. Heads of keys share those of values in groups.
struct modeldesc_scan {
    int64_t heads, head_dim; // of values
    int64_t groups, state;   // of keys: heads and their width; Mamba: groups of B and C, N
    int64_t conv;            // K; 0: no convolution
    int64_t rank;            // Mamba-1: of the step sizes
    bool bias, conv_bias;    // of the projections, of the convolution
    bool norms;              // Mamba-1: norms of step sizes, B and C
    bool plain;              // Mamba-2: no norm of the output
};

enum { MODELDESC_KINDS = 16, MODELDESC_PATTERN = 512 };

enum modeldesc_norm {
    MODELDESC_RMS,
    MODELDESC_LAYER,         // with bias
    MODELDESC_LAYER_NO_BIAS, // layer norm without bias
    MODELDESC_FIXED,         // layer norm without parameters
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
    int64_t zero_experts;      // Z: choices beside the experts that return a token as it is
    int64_t moe_latent;        // l: experts see tokens of this width; 0: h
    int64_t expert_groups;     // groups of experts, which are placed on nodes; 0: no groups
    int64_t routed_groups;     // groups among which a token chooses its experts
    int64_t moe_ffn;           // m
    int64_t shared_ffn;        // msh: width of all shared experts together
    int64_t dense_layers;      // kd: leading dense layers; all layers of a dense model
    bool router_bias, qk_norm; // extra parameters
    bool router_scale;         // one number for each of h inputs and E outputs of the router
    bool qk_norm_full;         // qk_norm has a weight for each number of all heads, not of one
    bool attention_bias;       // bias on q, k, v; MLA: on the compressing projections
    bool output_bias;          // bias on the output projection of attention
    bool ffn_bias;             // bias on feed-forward networks, experts included
    bool linear_bias;          // bias on all linear layers of a layer, without the router
    bool head_bias;            // bias on the output head
    bool attention_sinks;      // one number per head
    bool shared_gate;          // the output of shared experts is scaled by a gate, h wide
    enum modeldesc_norm norm;
    int64_t layer_norms; // norms of a layer, each h wide
    bool embedding_norm; // a norm follows the embedding
    int64_t positions;   // learned positions, each h wide; 0: none
    int64_t window;      // latest tokens that a token attends to, with itself; 0: all before it
    bool chunked;        // tokens attend within chunks of `window` tokens
    bool attention_gate; // the output of attention is scaled by a gate, as wide as the queries
    bool head_gate;      // the output of each head is scaled by one number
    // An indexer chooses the tokens that a token attends to; of MLA only. index_heads 0: none.
    int64_t index_heads, index_dim, index_topk;
    bool no_network;                       // of a view: layers have no feed-forward network
    bool attention_beside, keys_as_values; // of a view: as the fields of its kind
    enum modeldesc_mixer mixer;            // of a view, or of all layers
    struct modeldesc_scan scan;
    // Kinds of layers; 0: dense_layers dense ones, then, if the model has experts, layers with experts.
    int32_t n_kinds;
    struct modeldesc_kind kinds[MODELDESC_KINDS];
    uint8_t pattern[MODELDESC_PATTERN]; // the kind of each layer, MTP layers last
    // Values of the document, -1 where it has none. Published tools then assume m for the shared
    // width and 0 for the dense layers.
    int64_t shared_given, dense_given;
    bool seq_given; // seq_length comes from the document
        // Parameters of towers for images and sound with their projectors, which are neither counted nor priced with
    // the language model; 0: none is known.
    int64_t image_tower, audio_tower;
};

// Parameter counts of a layer, its parts, and the model. n is the size of a norm: h, with bias 2 h,
// or 0 without parameters; g is 3 matrices of a gated network, otherwise 2.
struct modeldesc_counts {
    // h A d + 2 h G d + A d h, with bias A d + 2 G d + h; qk_norm 2 d, or A d + G d if full; sinks
    // A; head_gate h A. MLA: h r + r + r A (dn + dr), or h A (dn + dr) if queries are not compressed, and
    // h (c + dr) + c + c A (dn + dv) + A dv h; an indexer r AI dI + h dI + 2 dI + h AI.
    // Other mixers: model_scan.c.
    int64_t attention;
    int64_t norms; // layer_norms n
    int64_t
        dense_layer; // attention + norms + g h f, with bias (g - 1) f + h; also without such layers
    // Of a MoE layer: h (E + Z), with bias E + Z, with router_scale h + E, with shared_gate h, with
    // moe_latent 2 h l; 0 for a dense model.
    int64_t router;
    int64_t shared;    // g h msh, with bias; 0 for a dense model
    int64_t routed;    // all experts together: E g h m, l for h, with bias; 0 for a dense model
    int64_t moe_layer; // attention + norms + router + shared + routed
    int64_t embedding; // V h + positions h, with embedding_norm n
    int64_t head;      // V h, or 0 where tied; with head_bias V
    int64_t final_norm; // n
    int64_t mtp_module; // of one module: layer, projection 2 h h and 3 n; 0: dense without MTP
    int64_t total;      // parameters: all layers + embedding + head + final_norm
    // Of one token: k experts instead of E, no embedding unless it is the head. With Z a token has k E / (E + Z)
    // experts on average, as if all choices were equally frequent.
    int64_t active;
};

struct cJSON;

// Returns the model as a document that modeldesc_read reads as the same model; NULL: out of memory. The caller
// frees it.
struct cJSON *modeldesc_document(const struct modeldesc *model);

// Returns the share of all pairs of positions of a sequence that causal attention multiplies.
static inline double modeldesc_seen_of(int64_t window, bool chunked, double seq_length)
{
    const double share = (double)window / seq_length;
    if (window == 0 || share >= 1)
        return 0.5;
    return chunked ? 0.5 * share : share * (1 - 0.5 * share);
}

static inline double modeldesc_seen(const struct modeldesc *model, double seq_length)
{
    const double seen = modeldesc_seen_of(model->window, model->chunked, seq_length);
    const double chosen = modeldesc_seen_of(model->index_topk, false, seq_length);
    return chosen < seen ? chosen : seen;
}

// Sets *view to a model all of whose layers are of a kind of this model, MTP layers included.
void modeldesc_view(const struct modeldesc *model, int kind, struct modeldesc *view);

// Sets n[MODELDESC_KINDS] to the layers of each kind among `layers` layers from `begin`. Without a
// table kind 0 is dense and kind 1 has experts.
void modeldesc_kinds_of(const struct modeldesc *model, int64_t begin, int64_t layers,
                        int64_t n[MODELDESC_KINDS]);

// Sets the kind of a layer, which the table of kinds then holds. Returns false where the table is full.
bool modeldesc_set_kind(struct modeldesc *model, int64_t layer,
                        const struct modeldesc_kind *kind);

// Drops a table that the fields of the model describe as well: layers that differ in nothing but
// dense networks first and experts after them.
void modeldesc_simplify(struct modeldesc *model);

// As documents name them.
extern const char *const modeldesc_mixer_words[MODELDESC_MIXERS];
extern const char *const modeldesc_network_words[MODELDESC_NETWORKS];

// Writes what a kind is, "mamba2 with experts".
enum { MODELDESC_KIND_TEXT = 96 };
void modeldesc_kind_text(const struct modeldesc *model, int kind,
                         char text[MODELDESC_KIND_TEXT]);

// Returns the width of a value of attention over groups of queries.
static inline int64_t modeldesc_value_dim(const struct modeldesc *model)
{
    return model->attention == MODELDESC_GQA && model->v_dim > 0 ? model->v_dim
                                                                 : model->head_dim;
}

// Returns the experts that a token has on average.
static inline double modeldesc_chosen(const struct modeldesc *model)
{
    const double experts = (double)model->experts;
    return model->zero_experts > 0
               ? (double)model->topk * experts / (experts + (double)model->zero_experts)
               : (double)model->topk;
}

// Returns the width of the tokens that experts see.
static inline int64_t modeldesc_expert_input(const struct modeldesc *model)
{
    return model->moe_latent > 0 ? model->moe_latent : model->hidden;
}

// Returns the parameters of a mixer that is no attention.
int64_t modeldesc_scan_parameters(const struct modeldesc *view);

// Returns num_layers + mtp_depth.
int64_t modeldesc_layers(const struct modeldesc *model);

void modeldesc_count(const struct modeldesc *model, struct modeldesc_counts *counts);
