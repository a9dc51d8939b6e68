// SPDX-License-Identifier: Apache-2.0
// Keys that types of several tables read.
#include "kernels/common/types/model_types_private.h"

#include <stddef.h>

// clang-format off
const struct modeltype_key modeltype_modern[] = {
    {"num_key_value_heads", KEY_QUERY_GROUPS, NULL}, {"head_dim", KEY_HEAD_DIM, NULL},
    {"intermediate_size", KEY_FFN, NULL}, {NULL, 0, NULL},
};

// Of all layers; types whose layers differ in windows do not read the key.
const struct modeltype_key modeltype_window[] = {{"sliding_window", KEY_WINDOW, NULL}, {NULL, 0, NULL}};

// Of some layers.
const struct modeltype_key modeltype_windows[] = {
    {"sliding_window", KEY_WINDOW, NULL}, {"sliding_window_pattern", TYPE_LAYERS, NULL},
    {"_sliding_window_pattern", TYPE_LAYERS, NULL}, {"layer_types", TYPE_LAYERS, NULL}, {NULL, 0, NULL},
};

const struct modeltype_key modeltype_late_windows[] = {
    {"sliding_window", KEY_WINDOW, NULL}, {"max_window_layers", TYPE_LAYERS, NULL},
    {"use_sliding_window", TYPE_LAYERS, NULL}, {"layer_types", TYPE_LAYERS, NULL}, {NULL, 0, NULL},
};

const struct modeltype_key modeltype_bias_of_qkv[] = {{"attention_bias", KEY_ATTENTION_BIAS, NULL}, {NULL, 0, NULL}};

const struct modeltype_key modeltype_bias_of_attention[] = {
    {"attention_bias", KEY_ATTENTION_BIAS, NULL}, {"attention_bias", KEY_OUTPUT_BIAS, NULL}, {NULL, 0, NULL},
};

const struct modeltype_key modeltype_bias_of_mlp[] = {{"mlp_bias", KEY_FFN_BIAS, NULL}, {NULL, 0, NULL}};

const struct modeltype_key modeltype_bias_of_all[] = {{"use_bias", KEY_LINEAR_BIAS, NULL}, {NULL, 0, NULL}};

const struct modeltype_key modeltype_routed[] = {
    {"num_local_experts", KEY_EXPERTS, NULL}, {"num_experts", KEY_EXPERTS, NULL},
    {"num_experts_per_tok", KEY_TOPK, NULL}, {NULL, 0, NULL},
};

const struct modeltype_key modeltype_qwen_experts[] = {
    {"num_experts", KEY_EXPERTS, NULL}, {"num_local_experts", KEY_EXPERTS, NULL}, {"num_experts_per_tok", KEY_TOPK, NULL},
    {"moe_intermediate_size", KEY_MOE_FFN, NULL}, {"decoder_sparse_step", TYPE_MOE_EVERY, NULL},
    {"mlp_only_layers", TYPE_DENSE_LAYERS, NULL}, {NULL, 0, NULL},
};

const struct modeltype_key modeltype_deepseek_experts[] = {
    {"n_routed_experts", KEY_EXPERTS, NULL}, {"num_experts", KEY_EXPERTS, NULL},
    {"num_local_experts", KEY_EXPERTS, NULL}, {"n_shared_experts", KEY_SHARED_EXPERTS, NULL},
    {"num_experts_per_tok", KEY_TOPK, NULL}, {"moe_intermediate_size", KEY_MOE_FFN, NULL},
    {"first_k_dense_replace", KEY_DENSE_LAYERS, NULL}, {"n_group", KEY_EXPERT_GROUPS, NULL},
    {"topk_group", KEY_ROUTED_GROUPS, NULL}, {"moe_layer_freq", TYPE_MOE_PATTERN, NULL},
    {"num_nextn_predict_layers", KEY_MTP_DEPTH, NULL}, {NULL, 0, NULL},
};

const struct modeltype_key modeltype_latent[] = {
    {"q_lora_rank", KEY_Q_RANK, NULL}, {"kv_lora_rank", KEY_KV_RANK, NULL}, {"qk_nope_head_dim", KEY_QK_NOPE, NULL},
    {"qk_rope_head_dim", KEY_QK_ROPE, NULL}, {"v_head_dim", KEY_V_DIM, NULL}, {"intermediate_size", KEY_FFN, NULL},
    {"num_key_value_heads", TYPE_UNUSED, NULL}, {"head_dim", TYPE_UNUSED, NULL}, {"qk_head_dim", TYPE_UNUSED, NULL},
    {NULL, 0, NULL},
};

const struct modeltype_key modeltype_granite_shared_keys[] = {
    {"shared_intermediate_size", KEY_SHARED_FFN, NULL}, {NULL, 0, NULL},
};

const struct modeltype_key modeltype_hunyuan_keys[] = {
    {"use_qk_norm", TYPE_ONLY, "true"}, {"use_cla", TYPE_ONLY, "false"}, {"cla_share_factor", TYPE_UNUSED, NULL},
    {"org_vocab_size", TYPE_UNUSED, NULL}, {"mlp_bias", TYPE_ONLY, "false"},
    {"attention_head_dim", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};
// clang-format on
