// SPDX-License-Identifier: Apache-2.0
// The words of model documents: which keys and aliases there are, what a Hugging Face model type
// says without a key, and which keys of one speak of shapes that a modeldesc cannot have.
#ifndef PPS_MODELKEYS_H
#define PPS_MODELKEYS_H

#include "docfields.h"
#include "modeldesc.h"

#include <stdbool.h>

// A model and what only its making needs.
struct modelkeys_record {
    struct modeldesc model;
    bool grouped, compressed; // group_query_attention, multi_latent_attention
    int64_t padded_vocab;
    int64_t shared_experts;
    int64_t max_positions;
    int64_t multiple_of;
    double ffn_multiplier;
};

// Numbers of the fields that a reader asks for by itself.
enum modelkeys_field {
    KEY_NUM_LAYERS,
    KEY_MTP_DEPTH,
    KEY_HIDDEN,
    KEY_HEADS,
    KEY_QUERY_GROUPS,
    KEY_GROUPED,
    KEY_HEAD_DIM,
    KEY_FFN,
    KEY_GATED,
    KEY_FFN_MULTIPLIER,
    KEY_MULTIPLE_OF,
    KEY_VOCAB,
    KEY_PADDED_VOCAB,
    KEY_SEQ_LENGTH,
    KEY_TIED,
    KEY_ATTENTION,
    KEY_COMPRESSED,
    KEY_Q_RANK,
    KEY_KV_RANK,
    KEY_QK_NOPE,
    KEY_QK_ROPE,
    KEY_V_DIM,
    KEY_EXPERTS,
    KEY_TOPK,
    KEY_MOE_FFN,
    KEY_SHARED_FFN,
    KEY_SHARED_EXPERTS,
    KEY_DENSE_LAYERS,
    KEY_ROUTER_BIAS,
    KEY_QK_NORM,
    KEY_ATTENTION_BIAS,
    KEY_OUTPUT_BIAS,
    KEY_LINEAR_BIAS,
    KEY_NORM,
    KEY_LEARNED,
    KEY_MAX_POSITIONS,
    KEY_NAME,
    KEY_HIDDEN_ACT, // from here on: Hugging Face only
    KEY_MODEL_TYPE,
    N_MODEL_KEYS
};

extern const struct docfields modelkeys_own;     // documents of our own
extern const struct docfields modelkeys_hugging; // config.json

// What models of a type have though their config.json has no key for it.
struct modelkeys_type {
    const char *name; // model_type
    bool qkv_bias;    // attention_bias is true unless said otherwise
    bool output_bias; // attention_bias speaks of the output too
    bool linear_bias; // on all linear layers
    bool layer_norm;  // not RMS
    bool learned;     // positions
    bool tied;        // unless said otherwise
    bool gated;       // whatever the activation is called
    bool qk_norm;     // of queries and keys
    bool router_bias; // one number an expert
};

// Never NULL: of an unknown type, or none (NULL), nothing is assumed.
const struct modelkeys_type *modelkeys_type_of(const char *model_type);

// Keys of a config.json that make layers differ in ways a modeldesc cannot say, with the one value
// at which they do not: 1 (or an empty list).
extern const char *const modelkeys_uniform[];
extern const int modelkeys_n_uniform;

// The part of a config.json that describes the transformer: all of it, or what is below text_config.
const struct cJSON *modelconfig_text(const struct cJSON *object);

// Refuses a config.json whose layers differ.
bool modelconfig_check(const struct cJSON *object, struct docfault *fault);

#endif
