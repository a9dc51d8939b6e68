// SPDX-License-Identifier: Apache-2.0
// The key tables of model documents list keys and aliases, the properties that a Hugging Face model
// type implies without a key, and the config.json keys of shapes that a modeldesc cannot hold.
#ifndef PPS_COMMON_DESCRIPTION_MODEL_KEYS_H
#define PPS_COMMON_DESCRIPTION_MODEL_KEYS_H

#include "base/document/fields.h"
#include "kernels/common/description/model.h"

#include <stdbool.h>

// A model, and values that only its reader needs.
struct modelkeys_record {
    struct modeldesc model;
    bool grouped, compressed; // group_query_attention, multi_latent_attention
    int64_t padded_vocab;
    int64_t shared_experts;
    int64_t max_positions;
    int64_t multiple_of;
    double ffn_multiplier;
};

// Numbers of the fields that a reader uses by name.
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
    KEY_EXPERT_GROUPS,
    KEY_ROUTED_GROUPS,
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
    KEY_WINDOW,
    KEY_MAX_POSITIONS,
    KEY_NAME,
    KEY_HIDDEN_ACT, // from here on: Hugging Face only
    KEY_MODEL_TYPE,
    N_MODEL_KEYS
};

extern const struct docfields modelkeys_own;     // our own documents
extern const struct docfields modelkeys_hugging; // config.json

// Properties of a model type for which config.json has no key.
struct modelkeys_type {
    const char *name; // model_type
    bool qkv_bias;    // attention_bias is true unless the document sets it
    bool output_bias; // attention_bias covers the output projection too
    bool linear_bias; // on all linear layers
    bool layer_norm;  // not RMS
    bool learned;     // positions
    bool tied;        // unless the document sets it
    bool gated;       // for any name of the activation
    bool qk_norm;     // of queries and keys
    bool router_bias; // one number per expert
};

// Never returns NULL: an unknown type, or NULL, implies nothing.
const struct modelkeys_type *modelkeys_type_of(const char *model_type);

// Keys of a config.json that make layers differ in ways that a modeldesc cannot hold. Their only
// accepted value is 1 (or an empty list): layers do not differ.
extern const char *const modelkeys_uniform[];
extern const int modelkeys_n_uniform;

// Returns the part of a config.json that describes the transformer: the object itself, or the value
// of text_config.
const struct cJSON *modelconfig_text(const struct cJSON *object);

// Refuses a config.json whose layers differ.
bool modelconfig_check(const struct cJSON *object, struct pps_fault *fault);

#endif
