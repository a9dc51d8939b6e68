// SPDX-License-Identifier: Apache-2.0
// The key tables of model documents list keys, aliases and the values that a document may leave to
// its reader.
#pragma once

#include "base/document/fields.h"
#include "kernels/common/shape/model.h"

#include <stdbool.h>

enum { MODELKEYS_LAYER_NORMS = 2 }; // norms of a layer if a document gives no number

// A model, and values that only its reader needs. 0 stands for a width or a number that the reader
// derives from others.
struct modelkeys_record {
    struct modeldesc model;
    bool grouped, compressed; // group_query_attention, multi_latent_attention
    int64_t padded_vocab;
    int64_t shared_experts;
    int64_t max_positions;
    int64_t multiple_of;
    double ffn_multiplier;
    bool mixed;                     // layers with experts lie between dense layers:
    bool sparse[MODELDESC_PATTERN]; // which they are
};

// Reads the keys layer_kinds and layer_pattern of our own documents, either NULL. The other fields
// of the model are set. Returns false with a fault.
bool modelkeys_read_layers(struct modeldesc *model, const struct cJSON *kinds,
                           const struct cJSON *pattern, struct pps_fault *fault);

// Adds these keys to a document. Returns false when out of memory.
bool modelkeys_add_layers(const struct modeldesc *model, struct cJSON *object);

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
    KEY_ZERO_EXPERTS,
    KEY_MOE_LATENT,
    KEY_EXPERT_GROUPS,
    KEY_ROUTED_GROUPS,
    KEY_MOE_FFN,
    KEY_SHARED_FFN,
    KEY_SHARED_EXPERTS,
    KEY_SHARED_GATE,
    KEY_DENSE_LAYERS,
    KEY_ROUTER_BIAS,
    KEY_ROUTER_SCALE,
    KEY_QK_NORM,
    KEY_QK_NORM_FULL,
    KEY_ATTENTION_BIAS,
    KEY_OUTPUT_BIAS,
    KEY_FFN_BIAS,
    KEY_LINEAR_BIAS,
    KEY_HEAD_BIAS,
    KEY_SINKS,
    KEY_NORM,
    KEY_LAYER_NORMS,
    KEY_EMBEDDING_NORM,
    KEY_LEARNED,
    KEY_WINDOW,
    KEY_CHUNKED,
    KEY_ATTENTION_GATE,
    KEY_HEAD_GATE,
    KEY_INDEX_HEADS,
    KEY_INDEX_DIM,
    KEY_INDEX_TOPK,
    KEY_SCAN_HEADS,
    KEY_SCAN_HEAD_DIM,
    KEY_SCAN_GROUPS,
    KEY_SCAN_STATE,
    KEY_SCAN_CONV,
    KEY_SCAN_RANK,
    KEY_SCAN_BIAS,
    KEY_SCAN_CONV_BIAS,
    KEY_SCAN_NORMS,
    KEY_SCAN_PLAIN,
    KEY_IMAGE_TOWER,
    KEY_AUDIO_TOWER,
    KEY_LAYER_KINDS,
    KEY_LAYER_PATTERN,
    KEY_MAX_POSITIONS,
    KEY_NAME,
    N_MODEL_KEYS
};

extern const struct docfields modelkeys_own; // our own documents
