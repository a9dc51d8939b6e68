// SPDX-License-Identifier: Apache-2.0
// Types of which some layers have another mixer than attention.
#include "kernels/common/types/model_types_private.h"

#include <stddef.h>

// clang-format off
// Mamba-2 of Nemotron-H, whose key `expand` is not used.
static const struct modeltype_key nemotron_h_keys[] = {
    {"mamba_num_heads", KEY_SCAN_HEADS, NULL}, {"mamba_head_dim", KEY_SCAN_HEAD_DIM, NULL},
    {"n_groups", KEY_SCAN_GROUPS, NULL}, {"ssm_state_size", KEY_SCAN_STATE, NULL},
    {"conv_kernel", KEY_SCAN_CONV, NULL}, {"use_conv_bias", KEY_SCAN_CONV_BIAS, NULL},
    {"use_bias", KEY_SCAN_BIAS, NULL}, {"mamba_proj_bias", TYPE_UNUSED, NULL},
    {"attention_head_dim", KEY_HEAD_DIM, NULL}, {"expand", TYPE_UNUSED, NULL}, {"chunk_size", TYPE_UNUSED, NULL},
    {"mamba_hidden_act", TYPE_UNUSED, NULL}, {"mlp_hidden_act", TYPE_UNUSED, NULL},
    {"residual_in_fp32", TYPE_UNUSED, NULL}, {"rescale_prenorm_residual", TYPE_UNUSED, NULL},
    {"num_logits_to_keep", TYPE_UNUSED, NULL}, {"time_step_min", TYPE_UNUSED, NULL},
    {"time_step_max", TYPE_UNUSED, NULL}, {"time_step_limit", TYPE_UNUSED, NULL},
    {"time_step_floor", TYPE_UNUSED, NULL}, {"time_step_rank", TYPE_UNUSED, NULL},
    {"mamba_ssm_cache_dtype", TYPE_UNUSED, NULL}, {"moe_latent_size", KEY_MOE_LATENT, NULL},
    {"num_nextn_predict_layers", KEY_MTP_DEPTH, NULL}, {"mtp_hybrid_override_pattern", TYPE_MTP_BLOCKS, NULL},
    {"mtp_layers_block_type", TYPE_MTP_BLOCKS, NULL}, {"keep_mtp_spec_in_bf16", TYPE_UNUSED, NULL}, {"use_mamba_kernels", TYPE_UNUSED, NULL},
    {"moe_shared_expert_intermediate_size", KEY_SHARED_FFN, NULL}, {"n_routed_experts", KEY_EXPERTS, NULL},
    {"n_shared_experts", TYPE_UNUSED, NULL}, {"num_experts_per_tok", KEY_TOPK, NULL},
    {"moe_intermediate_size", KEY_MOE_FFN, NULL}, {"moe_shared_expert_overlap", TYPE_UNUSED, NULL},
    {"n_group", KEY_EXPERT_GROUPS, NULL}, {"topk_group", KEY_ROUTED_GROUPS, NULL},
    {"hybrid_override_pattern", TYPE_LAYERS, NULL}, {"layers_block_type", TYPE_LAYERS, NULL}, {NULL, 0, NULL},
};

// Mamba-2 of Bamba and Granite 4.
static const struct modeltype_key mamba2_keys[] = {
    {"mamba_n_heads", KEY_SCAN_HEADS, NULL}, {"mamba_d_head", KEY_SCAN_HEAD_DIM, NULL},
    {"mamba_n_groups", KEY_SCAN_GROUPS, NULL}, {"mamba_d_state", KEY_SCAN_STATE, NULL},
    {"mamba_d_conv", KEY_SCAN_CONV, NULL}, {"mamba_conv_bias", KEY_SCAN_CONV_BIAS, NULL},
    {"mamba_proj_bias", KEY_SCAN_BIAS, NULL}, {"mamba_expand", TYPE_EXPAND, NULL},
    {"mamba_chunk_size", TYPE_UNUSED, NULL}, {"time_step_min", TYPE_UNUSED, NULL},
    {"time_step_max", TYPE_UNUSED, NULL}, {"time_step_limit", TYPE_UNUSED, NULL},
    {"num_logits_to_keep", TYPE_UNUSED, NULL}, {"layer_types", TYPE_LAYERS, NULL},
    {"layers_block_type", TYPE_LAYERS, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key bamba_keys[] = {{"attn_layer_indices", TYPE_LAYERS, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key jamba_keys[] = {
    {"mamba_d_state", KEY_SCAN_STATE, NULL}, {"mamba_d_conv", KEY_SCAN_CONV, NULL},
    {"mamba_dt_rank", KEY_SCAN_RANK, NULL}, {"mamba_conv_bias", KEY_SCAN_CONV_BIAS, NULL},
    {"mamba_proj_bias", KEY_SCAN_BIAS, NULL}, {"mamba_expand", TYPE_EXPAND, NULL},
    {"use_mamba_kernels", TYPE_UNUSED, NULL}, {"num_logits_to_keep", TYPE_UNUSED, NULL},
    {"attn_layer_period", TYPE_LAYERS, NULL}, {"attn_layer_offset", TYPE_LAYERS, NULL},
    {"expert_layer_period", TYPE_MOE_EVERY, NULL}, {"expert_layer_offset", TYPE_MOE_OFFSET, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key delta_keys[] = {
    {"linear_num_value_heads", KEY_SCAN_HEADS, NULL}, {"linear_value_head_dim", KEY_SCAN_HEAD_DIM, NULL},
    {"linear_num_key_heads", KEY_SCAN_GROUPS, NULL}, {"linear_key_head_dim", KEY_SCAN_STATE, NULL},
    {"linear_conv_kernel_dim", KEY_SCAN_CONV, NULL}, {"full_attention_interval", TYPE_LAYERS, NULL},
    {"layer_types", TYPE_LAYERS, NULL}, {"attn_output_gate", KEY_ATTENTION_GATE, NULL},
    {"mamba_ssm_dtype", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key qwen3_next_keys[] = {
    {"shared_expert_intermediate_size", KEY_SHARED_FFN, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key kimi_linear_keys[] = {
    {"linear_attn_config.num_heads", KEY_SCAN_HEADS, NULL}, {"linear_attn_config.num_heads", KEY_SCAN_GROUPS, NULL},
    {"linear_attn_config.head_dim", KEY_SCAN_HEAD_DIM, NULL}, {"linear_attn_config.head_dim", KEY_SCAN_STATE, NULL},
    {"linear_attn_config.short_conv_kernel_size", KEY_SCAN_CONV, NULL},
    {"linear_attn_config.full_attn_layers", TYPE_LAYERS, NULL}, {"linear_attn_config.kda_layers", TYPE_UNUSED, NULL},
    {"num_experts_per_token", KEY_TOPK, NULL}, {"num_shared_experts", KEY_SHARED_EXPERTS, NULL},
    {"num_expert_group", KEY_EXPERT_GROUPS, NULL}, {"mla_use_nope", TYPE_UNUSED, NULL},
    {"moe_router_activation_func", TYPE_UNUSED, NULL}, {"moe_renormalize", TYPE_UNUSED, NULL},
    {"use_grouped_topk", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key minimax_keys[] = {
    {"attn_type_list", TYPE_LAYERS, NULL}, {"layer_types", TYPE_LAYERS, NULL},
    {"shared_intermediate_size", TYPE_ONLY, "0"}, {"rotary_dim", TYPE_UNUSED, NULL}, {"postnorm", TYPE_UNUSED, NULL},
    {"shared_moe_mode", TYPE_UNUSED, NULL}, {"block_size", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key lfm2_keys[] = {
    {"conv_L_cache", KEY_SCAN_CONV, NULL}, {"conv_bias", KEY_SCAN_CONV_BIAS, NULL},
    {"block_auto_adjust_ff_dim", TYPE_FFN_ROUNDED, NULL}, {"block_multiple_of", KEY_MULTIPLE_OF, NULL},
    {"block_ff_dim", KEY_FFN, NULL}, {"block_ffn_dim_multiplier", TYPE_ONLY, "1"},
    {"block_dim", TYPE_HIDDEN_AGAIN, NULL}, {"conv_dim", TYPE_HIDDEN_AGAIN, NULL},
    {"conv_dim_out", TYPE_HIDDEN_AGAIN, NULL}, {"num_heads", TYPE_UNUSED, NULL},
    {"block_mlp_init_scale", TYPE_UNUSED, NULL}, {"block_out_init_scale", TYPE_UNUSED, NULL},
    {"block_norm_eps", TYPE_UNUSED, NULL}, {"block_use_swiglu", TYPE_UNUSED, NULL},
    {"block_use_xavier_init", TYPE_UNUSED, NULL}, {"conv_use_xavier_init", TYPE_UNUSED, NULL},
    {"use_pos_enc", TYPE_UNUSED, NULL}, {"full_attn_idxs", TYPE_LAYERS, NULL}, {"layer_types", TYPE_LAYERS, NULL},
    {"tie_embedding", KEY_TIED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key lfm2_moe_keys[] = {
    {"num_experts", KEY_EXPERTS, NULL}, {"num_experts_per_tok", KEY_TOPK, NULL},
    {"moe_intermediate_size", KEY_MOE_FFN, NULL}, {"num_dense_layers", KEY_DENSE_LAYERS, NULL},
    {"use_expert_bias", KEY_ROUTER_BIAS, NULL}, {"conv_L_cache", KEY_SCAN_CONV, NULL},
    {"conv_bias", KEY_SCAN_CONV_BIAS, NULL}, {"layer_types", TYPE_LAYERS, NULL},
    {"tie_embedding", KEY_TIED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key qwen3_5_keys[] = {
    {"mtp_num_hidden_layers", KEY_MTP_DEPTH, NULL}, {"mtp_use_dedicated_embeddings", TYPE_ONLY, "false"},
    {"output_gate_type", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key qwen3_5_experts[] = {
    {"num_experts", KEY_EXPERTS, NULL}, {"num_local_experts", KEY_EXPERTS, NULL}, {"num_experts_per_tok", KEY_TOPK, NULL},
    {"moe_intermediate_size", KEY_MOE_FFN, NULL}, {"shared_expert_intermediate_size", KEY_SHARED_FFN, NULL},
    {NULL, 0, NULL},
};

// Multipliers of muP change no shape.
static const struct modeltype_key falcon_h1_keys[] = {
    {"mamba_n_heads", KEY_SCAN_HEADS, NULL}, {"mamba_d_head", KEY_SCAN_HEAD_DIM, NULL},
    {"mamba_d_ssm", TYPE_INNER, NULL}, {"mamba_expand", TYPE_EXPAND, NULL},
    {"mamba_n_groups", KEY_SCAN_GROUPS, NULL}, {"mamba_d_state", KEY_SCAN_STATE, NULL},
    {"mamba_d_conv", KEY_SCAN_CONV, NULL}, {"mamba_conv_bias", KEY_SCAN_CONV_BIAS, NULL},
    {"mamba_rms_norm", TYPE_SCAN_NORM, NULL}, {"mamba_proj_bias", TYPE_ONLY, "false"},
    {"projectors_bias", TYPE_ONLY, "false"}, {"layers_block_type", TYPE_LAYERS, NULL},
    {"layer_types", TYPE_LAYERS, NULL}, {"mamba_norm_before_gate", TYPE_UNUSED, NULL},
    {"mamba_chunk_size", TYPE_UNUSED, NULL}, {"mamba_use_mlp", TYPE_ONLY, "true"},
    {"time_step_min", TYPE_UNUSED, NULL}, {"time_step_max", TYPE_UNUSED, NULL},
    {"time_step_limit", TYPE_UNUSED, NULL}, {"time_step_floor", TYPE_UNUSED, NULL},
    {"num_logits_to_keep", TYPE_UNUSED, NULL}, {"attn_layer_indices", TYPE_ONLY, "null"},
    {"mlp_expansion_factor", TYPE_UNUSED, NULL}, {"lm_head_multiplier", TYPE_UNUSED, NULL},
    {"mlp_multipliers", TYPE_UNUSED, NULL}, {"key_multiplier", TYPE_UNUSED, NULL},
    {"attention_out_multiplier", TYPE_UNUSED, NULL}, {"attention_in_multiplier", TYPE_UNUSED, NULL},
    {"ssm_multipliers", TYPE_UNUSED, NULL}, {"ssm_in_multiplier", TYPE_UNUSED, NULL},
    {"ssm_out_multiplier", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype types[] = {
    {.name = "nemotron_h", .silent = {SHAPE(52, 4096, 32, 8, 128, 21504, 131072), SCAN(128, 64, 8, 128, 4),
                    .model.scan.conv_bias = true, EXPERTS(8, 2, 7688), .model.shared_ffn = 7688, .model.router_bias = true},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_bias_of_mlp, nemotron_h_keys},
     .layers = {.kinds = true, .blocks = true, .other = MODELDESC_MAMBA2}},
    {.name = "granitemoehybrid", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED, EXPERTS(8, 2, 0), .model.shared_ffn = 1024,
                          SCAN(128, 0, 1, 256, 4), .model.scan.conv_bias = true},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_routed, modeltype_granite_shared_keys, mamba2_keys}, .shared_alone = true,
     .layers = {.kinds = true, .other = MODELDESC_MAMBA2, .all_other = true}},
    {.name = "bamba", .silent = {SHAPE(32, 4096, 32, 8, 0, 14336, 128000), GATED, SCAN(128, 0, 1, 256, 4), .model.scan.conv_bias = true},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_bias_of_mlp, mamba2_keys, bamba_keys},
     .layers = {.kinds = true, .other = MODELDESC_MAMBA2, .full_list = "attn_layer_indices", .all_other = true}},
    {.name = "jamba", .silent = {SHAPE(32, 4096, 32, 8, 0, 14336, 65536), GATED, EXPERTS(16, 2, 0), SCAN(0, 0, 1, 16, 4),
               .model.scan.conv_bias = true, .model.scan.norms = true},
     .keys = {modeltype_modern, modeltype_routed, jamba_keys},
     .layers = {.kinds = true, .other = MODELDESC_MAMBA1, .every_key = "attn_layer_period", .every = 8,
                .offset_key = "attn_layer_offset", .offset = 4}, .moe_every = 2},
    {.name = "falcon_h1", .silent = {SHAPE(32, 4096, 32, 8, 0, 14336, 128000), GATED, SCAN(128, 0, 1, 256, 4),
                   .model.scan.conv_bias = true, .model.scan.plain = true},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_bias_of_mlp, falcon_h1_keys}, .required = "mamba_d_ssm",
     .layers = {.kinds = true, .other = MODELDESC_MAMBA2, .all_other = true, .beside = true}},
    {.name = "qwen3_next", .silent = {SHAPE(48, 2048, 16, 2, 256, 5632, 151936), GATED, QK_NORM, EXPERTS(512, 10, 512),
                    .model.shared_ffn = 512, .model.shared_gate = true, .model.attention_gate = true, SCAN(32, 128, 16, 128, 4)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_qwen_experts, delta_keys, qwen3_next_keys},
     .layers = {.kinds = true, .other = MODELDESC_DELTA, .every_key = "full_attention_interval", .every = 4}},
    {.name = "qwen3_5_text", .silent = {SHAPE(32, 4096, 16, 4, 256, 12288, 248320), GATED, QK_NORM, .model.attention_gate = true,
                      SCAN(32, 128, 16, 128, 4)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, delta_keys, qwen3_5_keys},
     .layers = {.kinds = true, .other = MODELDESC_DELTA, .every_key = "full_attention_interval", .every = 4}},
    {.name = "qwen3_5_moe_text", .silent = {SHAPE(40, 2048, 16, 2, 256, 512, 248320), GATED, QK_NORM, EXPERTS(256, 8, 512),
                          .model.shared_ffn = 512, .model.shared_gate = true, .model.attention_gate = true, SCAN(32, 128, 16, 128, 4)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, qwen3_5_experts, delta_keys, qwen3_5_keys},
     .layers = {.kinds = true, .other = MODELDESC_DELTA, .every_key = "full_attention_interval", .every = 4}},
    {.name = "kimi_linear", .silent = {SHAPE(27, 2304, 32, 0, 0, 9216, 163840), GATED, LATENT(0), EXPERTS(256, 8, 1024),
                     .model.dense_layers = 1, .model.router_bias = true, .shared_experts = 1, SCAN(32, 128, 32, 128, 4)},
     .keys = {modeltype_latent, modeltype_deepseek_experts, kimi_linear_keys},
     .layers = {.kinds = true, .other = MODELDESC_KDA, .full_list = "linear_attn_config.full_attn_layers", .first = 1}},
    {.name = "minimax_text_01", .silent = {SHAPE(80, 6144, 64, 8, 128, 9216, 200064), GATED, EXPERTS(32, 2, 0)},
     .keys = {modeltype_modern, modeltype_routed, minimax_keys},
     .layers = {.kinds = true, .other = MODELDESC_LIGHTNING, .flags = "attn_type_list", .full_flag = 1, .every = 8}},
    {.name = "lfm2", .silent = {SHAPE(32, 2560, 32, 8, 0, 12288, 65536), GATED, TIED, QK_NORM, SCAN(0, 0, 0, 0, 3)},
     .keys = {modeltype_modern, lfm2_keys},
     .layers = {.kinds = true, .other = MODELDESC_CONV, .full_list = "full_attn_idxs"}},
    {.name = "lfm2_moe", .silent = {SHAPE(32, 2048, 32, 8, 0, 7168, 65536), GATED, TIED, QK_NORM, EXPERTS(32, 4, 1792),
                  .model.dense_layers = 2, .model.router_bias = true, SCAN(0, 0, 0, 0, 3)},
     .keys = {modeltype_modern, lfm2_moe_keys}, .layers = {.kinds = true, .other = MODELDESC_CONV, .words = true}},
};
// clang-format on

const struct modeltype_table modeltype_mixers = {types, (int)(sizeof types / sizeof *types)};
