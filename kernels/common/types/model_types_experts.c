// SPDX-License-Identifier: Apache-2.0
// Types with experts whose layers all have attention.
#include "kernels/common/types/model_types_private.h"

#include <stddef.h>

// clang-format off
static const struct modeltype_key indexer_keys[] = {
    {"index_n_heads", KEY_INDEX_HEADS, NULL}, {"index_head_dim", KEY_INDEX_DIM, NULL},
    {"index_topk", KEY_INDEX_TOPK, NULL}, {NULL, 0, NULL},
};

// Layers may attend to the tokens that an earlier layer chose.
static const struct modeltype_key glm_moe_dsa_keys[] = {
    {"indexer_types", TYPE_LAYERS, NULL}, {"index_topk_freq", TYPE_INDEX_EVERY, NULL},
    {"index_topk_pattern", TYPE_ONLY, "null"}, {"index_skip_topk_offset", TYPE_UNUSED, NULL},
    {"layer_types", TYPE_ONLY, "deepseek_sparse_attention"}, {"mlp_layer_types", TYPE_MOE_PATTERN, NULL},
    {"mlp_bias", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

// Heads differ by the kind of layer; only layers with windows have sinks.
static const struct modeltype_key mimo_v2_keys[] = {
    {"sliding_window", KEY_WINDOW, NULL}, {"hybrid_layer_pattern", TYPE_LAYERS, NULL},
    {"layer_types", TYPE_LAYERS, NULL}, {"v_head_dim", TYPE_LAYERS, NULL},
    {"swa_num_attention_heads", TYPE_LAYERS, NULL}, {"swa_num_key_value_heads", TYPE_LAYERS, NULL},
    {"swa_head_dim", TYPE_LAYERS, NULL}, {"swa_v_head_dim", TYPE_LAYERS, NULL},
    {"mlp_layer_types", TYPE_MOE_PATTERN, NULL}, {"add_swa_attention_sink_bias", KEY_SINKS, NULL},
    {"add_full_attention_sink_bias", TYPE_ONLY, "false"}, {"sliding_window_size", TYPE_UNUSED, NULL},
    {"hybrid_block_size", TYPE_ONLY, "null"}, {"attention_chunk_size", TYPE_UNUSED, NULL},
    {"attention_value_scale", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key qwen3_moe_keys[] = {
    {"shared_expert_intermediate_size", TYPE_UNUSED, NULL}, {"use_qk_norm", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key qwen2_moe_keys[] = {
    {"qkv_bias", KEY_ATTENTION_BIAS, NULL}, {"shared_expert_intermediate_size", KEY_SHARED_FFN, NULL},
    {NULL, 0, NULL},
};

static const struct modeltype_key glm4_moe_keys[] = {{"use_qk_norm", KEY_QK_NORM, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key dbrx_keys[] = {
    {"n_layers", KEY_NUM_LAYERS, NULL}, {"d_model", KEY_HIDDEN, NULL}, {"n_heads", KEY_HEADS, NULL},
    {"attn_config.kv_n_heads", KEY_QUERY_GROUPS, NULL}, {"ffn_config.ffn_hidden_size", KEY_MOE_FFN, NULL},
    {"ffn_config.moe_num_experts", KEY_EXPERTS, NULL}, {"ffn_config.moe_top_k", KEY_TOPK, NULL},
    {"ffn_config.ffn_act_fn", TYPE_UNUSED, NULL}, {"ffn_config.moe_loss_weight", TYPE_UNUSED, NULL},
    {"ffn_config.moe_normalize_expert_weights", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key phimoe_keys[] = {{"lm_head_bias", KEY_HEAD_BIAS, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key ernie_experts[] = {
    {"moe_num_experts", KEY_EXPERTS, NULL}, {"num_experts", KEY_EXPERTS, NULL}, {"moe_k", KEY_TOPK, NULL},
    {"num_experts_per_tok", KEY_TOPK, NULL}, {"moe_intermediate_size", KEY_MOE_FFN, NULL},
    {"moe_num_shared_experts", KEY_SHARED_EXPERTS, NULL}, {"moe_layer_start_index", KEY_DENSE_LAYERS, NULL},
    {"moe_layer_end_index", TYPE_LAST_MOE_LAYER, NULL}, {"moe_layer_interval", TYPE_MOE_EVERY, NULL},
    {"num_nextn_predict_layers", KEY_MTP_DEPTH, NULL}, {"moe_use_aux_free", TYPE_UNUSED, NULL},
    {"moe_capacity", TYPE_UNUSED, NULL}, {"moe_norm_min", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key hunyuan_experts[] = {
    {"num_experts", KEY_EXPERTS, NULL}, {"moe_topk", KEY_TOPK, NULL}, {"moe_intermediate_size", TYPE_UNUSED, NULL},
    {"num_shared_expert", TYPE_ONLY, "1"}, {"use_mixed_mlp_moe", TYPE_ONLY, "true"},
    {"moe_layer_num_skipped", TYPE_ONLY, "0"}, {"moe_drop_tokens", TYPE_UNUSED, NULL},
    {"use_mla", TYPE_ONLY, "false"}, {"q_lora_rank", TYPE_UNUSED, NULL}, {"kv_lora_rank", TYPE_UNUSED, NULL},
    {"qk_nope_head_dim", TYPE_UNUSED, NULL}, {"qk_rope_head_dim", TYPE_UNUSED, NULL},
    {"v_head_dim", TYPE_UNUSED, NULL}, {"moe_random_routing_dropped_token", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key llama4_keys[] = {
    {"num_key_value_heads", KEY_QUERY_GROUPS, NULL}, {"head_dim", KEY_HEAD_DIM, NULL},
    {"intermediate_size", KEY_MOE_FFN, NULL}, {"intermediate_size", KEY_SHARED_FFN, NULL},
    {"intermediate_size_mlp", KEY_FFN, NULL}, {"use_qk_norm", TYPE_UNUSED, NULL}, // a norm without weights
    {"interleave_moe_layer_step", TYPE_MOE_EVERY, NULL}, {"moe_layers", TYPE_MOE_LAYERS, NULL},
    {"attention_chunk_size", KEY_WINDOW, NULL}, {"no_rope_layers", TYPE_LAYERS, NULL},
    {"no_rope_layer_interval", TYPE_LAYERS, NULL}, {"layer_types", TYPE_LAYERS, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key minimax_m2_keys[] = {
    {"use_qk_norm", TYPE_ONLY, "true"}, {"use_routing_bias", TYPE_ONLY, "true"}, {"attn_type_list", TYPE_ONLY, "1"},
    {"shared_intermediate_size", TYPE_ONLY, "0"}, {"rotary_dim", TYPE_UNUSED, NULL},
    {"mtp_transformer_layers", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

// Heads differ by the kind of layer; the last kinds of layer_types are those of MTP layers.
static const struct modeltype_key step3p5_keys[] = {
    {"num_attention_groups", KEY_QUERY_GROUPS, NULL}, {"head_dim", KEY_HEAD_DIM, NULL},
    {"intermediate_size", KEY_FFN, NULL}, {"moe_num_experts", KEY_EXPERTS, NULL}, {"moe_top_k", KEY_TOPK, NULL},
    {"moe_intermediate_size", KEY_MOE_FFN, NULL}, {"share_expert_dim", KEY_SHARED_FFN, NULL},
    {"num_key_value_heads", KEY_QUERY_GROUPS, NULL}, {"num_experts", KEY_EXPERTS, NULL}, {"num_experts_per_tok", KEY_TOPK, NULL},
    {"share_expert_dims", KEY_SHARED_FFN, NULL}, {"moe_layers_enum", TYPE_MOE_LAYERS, NULL},
    {"use_moe_router_bias", KEY_ROUTER_BIAS, NULL}, {"use_head_wise_attn_gate", KEY_HEAD_GATE, NULL},
    {"num_nextn_predict_layers", KEY_MTP_DEPTH, NULL}, {"layer_types", TYPE_LAYERS, NULL},
    {"sliding_window", KEY_WINDOW, NULL}, {"attention_other_setting.num_attention_heads", TYPE_LAYERS, NULL},
    {"attention_other_setting.num_attention_groups", TYPE_LAYERS, NULL},
    {"attention_other_setting.head_dim", TYPE_LAYERS, NULL},
    {"attention_other_setting.attention_type", TYPE_ONLY, "sliding_attention"},
    {"attention_other_setting.true_head_dim", TYPE_UNUSED, NULL}, {"use_moe", TYPE_ONLY, "true"},
    {"use_qk_norm", TYPE_ONLY, "true"}, {"sink", TYPE_ONLY, "false"}, {"att_impl_type", TYPE_ONLY, "GQA"},
    {"use_mfa", TYPE_ONLY, "false"}, {"moe_every_n_layer", TYPE_UNUSED, NULL}, {"moe_layer_offset", TYPE_UNUSED, NULL},
    {"norm_expert_weight", TYPE_UNUSED, NULL}, {"moe_router_activation", TYPE_UNUSED, NULL},
    {"moe_router_scaling_factor", TYPE_UNUSED, NULL}, {"need_fp32_gate", TYPE_UNUSED, NULL},
    {"partial_rotary_factors", TYPE_UNUSED, NULL}, {"swiglu_limits", TYPE_UNUSED, NULL},
    {"swiglu_limits_shared", TYPE_UNUSED, NULL}, {"use_rope_layers", TYPE_UNUSED, NULL},
    {"yarn_only_types", TYPE_UNUSED, NULL}, {"zero_centered", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key glm4_moe_lite_keys[] = {{"mlp_layer_types", TYPE_MOE_PATTERN, NULL}, {NULL, 0, NULL}};

// The width of a shared expert is that of the others, whatever its own key says.
static const struct modeltype_key bailing_keys[] = {
    {"num_shared_experts", KEY_SHARED_EXPERTS, NULL}, {"use_bias", TYPE_ONLY, "false"},
    {"use_qkv_bias", KEY_ATTENTION_BIAS, NULL}, {"use_qk_norm", KEY_QK_NORM, NULL},
    {"moe_router_enable_expert_bias", KEY_ROUTER_BIAS, NULL}, {"moe_router_enable_shared_expert", TYPE_ONLY, "true"},
    {"moe_shared_expert_intermediate_size", TYPE_MOE_AGAIN, NULL}, {"multi_gate", TYPE_ONLY, "false"},
    {"norm_head", TYPE_UNUSED, NULL}, {"norm_softmax", TYPE_UNUSED, NULL},
    {"moe_router_enable_routed_scaling", TYPE_UNUSED, NULL}, {"moe_router_topk_scaling_factor", TYPE_UNUSED, NULL},
    {"rotary_dim", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key afmoe_keys[] = {
    {"num_experts", KEY_EXPERTS, NULL}, {"num_experts_per_tok", KEY_TOPK, NULL}, {"moe_intermediate_size", KEY_MOE_FFN, NULL},
    {"num_shared_experts", KEY_SHARED_EXPERTS, NULL}, {"num_dense_layers", KEY_DENSE_LAYERS, NULL},
    {"n_group", KEY_EXPERT_GROUPS, NULL}, {"topk_group", KEY_ROUTED_GROUPS, NULL}, {"sliding_window", KEY_WINDOW, NULL},
    {"layer_types", TYPE_LAYERS, NULL}, {"global_attn_every_n_layers", TYPE_LAYERS, NULL},
    {"num_expert_groups", TYPE_UNUSED, NULL}, {"num_limited_groups", TYPE_UNUSED, NULL}, {"mup_enabled", TYPE_UNUSED, NULL}, {"use_grouped_mm", TYPE_UNUSED, NULL}, {"route_norm", TYPE_UNUSED, NULL},
    {NULL, 0, NULL},
};

static const struct modeltype_key exaone_moe_keys[] = {
    {"is_moe_layer", TYPE_MOE_PATTERN, NULL}, {"mlp_layer_types", TYPE_MOE_PATTERN, NULL},
    {"num_shared_experts", KEY_SHARED_EXPERTS, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key longcat_keys[] = {
    {"num_layers", TYPE_PAIRS, NULL}, {"ffn_hidden_size", KEY_FFN, NULL}, {"moe_topk", KEY_TOPK, NULL},
    {"n_routed_experts", KEY_EXPERTS, NULL}, {"expert_ffn_hidden_size", KEY_MOE_FFN, NULL},
    {"zero_expert_num", KEY_ZERO_EXPERTS, NULL}, {"zero_expert_type", TYPE_ONLY, "identity"},
    {"router_bias", TYPE_ONLY, "false"}, {"attention_method", TYPE_ONLY, "MLA"},
    {"num_nextn_predict_layers", TYPE_ONLY, "0"}, {"mla_scale_q_lora", TYPE_UNUSED, NULL},
    {"mla_scale_kv_lora", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

// Layers with full attention have wider heads, and may make values of the projection of keys.
static const struct modeltype_key gemma4_keys[] = {
    {"sliding_window", KEY_WINDOW, NULL}, {"layer_types", TYPE_LAYERS, NULL}, {"global_head_dim", TYPE_LAYERS, NULL}, {"num_global_key_value_heads", TYPE_LAYERS, NULL},
    {"attention_k_eq_v", TYPE_LAYERS, NULL}, {"enable_moe_block", TYPE_EXPERTS_TOO, NULL},
    {"num_experts", KEY_EXPERTS, NULL}, {"top_k_experts", KEY_TOPK, NULL},
    {"moe_intermediate_size", KEY_MOE_FFN, NULL}, {"hidden_size_per_layer_input", TYPE_ONLY, "0"},
    {"num_kv_shared_layers", TYPE_ONLY, "0"}, {"vocab_size_per_layer_input", TYPE_UNUSED, NULL},
    {"use_double_wide_mlp", TYPE_UNUSED, NULL}, {"use_bidirectional_attention", TYPE_ONLY, "vision"}, {NULL, 0, NULL},
};

static const struct modeltype types[] = {
    {.name = "mixtral", .silent = {SHAPE(32, 4096, 32, 8, 0, 14336, 32000), GATED, EXPERTS(8, 2, 0)}, .keys = {modeltype_modern, modeltype_window, modeltype_routed}},
    {.name = "llama4_text", .silent = {SHAPE(48, 5120, 40, 8, 128, 16384, 202048), GATED, EXPERTS(16, 1, 8192), .model.shared_ffn = 8192,
                          .model.window = 8192, .model.chunked = true},
     .keys = {llama4_keys, modeltype_bias_of_attention, modeltype_routed},
     .layers = {.kinds = true, .flags = "no_rope_layers", .every_key = "no_rope_layer_interval", .every = 4}},
    {.name = "qwen2_moe", .silent = {SHAPE(24, 2048, 16, 16, 0, 5632, 151936), .model.window = 4096, GATED, QKV_BIAS, EXPERTS(60, 4, 1408),
                   .model.shared_ffn = 5632, .model.shared_gate = true},
     .keys = {modeltype_modern, modeltype_qwen_experts, qwen2_moe_keys, modeltype_late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen3_moe", .silent = {SHAPE(24, 2048, 32, 4, 0, 6144, 151936), .model.window = 4096, GATED, QK_NORM, EXPERTS(128, 8, 768)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_qwen_experts, qwen3_moe_keys, modeltype_late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen3_vl_moe_text", .silent = {SHAPE(24, 2048, 16, 16, 0, 5632, 151936), GATED, QK_NORM,
                                             EXPERTS(60, 4, 1408)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_qwen_experts, qwen3_moe_keys}},
    {.name = "phimoe", .silent = {SHAPE(32, 4096, 32, 8, 0, 6400, 32064), LAYER_NORM, GATED, EXPERTS(16, 2, 0)},
     .keys = {modeltype_modern, modeltype_window, modeltype_bias_of_attention, modeltype_routed, phimoe_keys}},
    {.name = "dbrx", .silent = {SHAPE(24, 2048, 16, 1, 0, 0, 32000), NO_BIAS, GATED, EXPERTS(4, 1, 3584)}, .keys = {dbrx_keys}},
    {.name = "olmoe", .silent = {SHAPE(16, 2048, 16, 0, 0, 2048, 50304), GATED, QK_NORM, QK_FULL, EXPERTS(64, 8, 0)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_routed}},
    {.name = "deepseek_v2", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED, LATENT(1536), EXPERTS(64, 0, 1407),
                     .shared_experts = 2}, .keys = {modeltype_latent, modeltype_bias_of_attention, modeltype_bias_of_mlp, modeltype_deepseek_experts}},
    {.name = "deepseek_v3", .silent = {SHAPE(61, 7168, 128, 0, 0, 18432, 129280), GATED, LATENT(1536), EXPERTS(256, 8, 2048),
                     .model.expert_groups = 8, .model.routed_groups = 4, .model.dense_layers = 3,
                     .model.router_bias = true, .shared_experts = 1}, .keys = {modeltype_latent, modeltype_bias_of_attention, modeltype_deepseek_experts}},
    {.name = "deepseek_v32", .silent = {SHAPE(61, 7168, 128, 0, 0, 18432, 129280), GATED, LATENT(1536), EXPERTS(256, 8, 2048),
                      .model.expert_groups = 8, .model.routed_groups = 4, .model.dense_layers = 3,
                      .model.router_bias = true, .shared_experts = 1, INDEXER(64)},
     .keys = {modeltype_latent, modeltype_bias_of_attention, modeltype_deepseek_experts, indexer_keys}},
    {.name = "glm_moe_dsa", .silent = {SHAPE(78, 6144, 64, 0, 0, 12288, 154880), GATED, EXPERTS(256, 8, 2048),
                     .model.q_rank = 2048, .model.kv_rank = 512, .model.qk_nope = 192, .model.qk_rope = 64, .model.v_dim = 256,
                     .model.expert_groups = 1, .model.routed_groups = 1, .model.dense_layers = 3,
                     .model.router_bias = true, .shared_experts = 1, INDEXER(32)},
     .keys = {modeltype_latent, modeltype_bias_of_attention, modeltype_deepseek_experts, indexer_keys, glm_moe_dsa_keys},
     .layers = {.kinds = true, .every = 1, .indexers = "indexer_types"}},
    {.name = "glm4_moe_lite", .silent = {SHAPE(47, 2048, 20, 0, 0, 10240, 154880), GATED, EXPERTS(64, 4, 1536),
                       .model.q_rank = 768, .model.kv_rank = 512, .model.qk_nope = 192, .model.qk_rope = 64, .model.v_dim = 256,
                       .model.expert_groups = 1, .model.routed_groups = 1, .model.dense_layers = 1,
                       .model.router_bias = true, .shared_experts = 1},
     .keys = {modeltype_latent, modeltype_bias_of_attention, modeltype_deepseek_experts, glm4_moe_lite_keys}},
    {.name = "solar_open", .silent = {SHAPE(48, 4096, 64, 8, 128, 10240, 196608), GATED, EXPERTS(128, 8, 1280),
                    .model.expert_groups = 1, .model.routed_groups = 1, .model.router_bias = true, .shared_experts = 1},
     .keys = {modeltype_modern, modeltype_bias_of_qkv, modeltype_deepseek_experts, glm4_moe_keys}},
    {.name = "bailing_moe", .silent = {SHAPE(24, 1024, 16, 0, 0, 0, 30592), GATED, EXPERTS(0, 2, 0)},
     .keys = {modeltype_modern, modeltype_deepseek_experts, bailing_keys}, .required = "num_shared_experts"},
    {.name = "bailing_moe_v2", .silent = {SHAPE(28, 2048, 16, 0, 0, 5120, 157184), GATED, QK_NORM, EXPERTS(16, 2, 0),
                        .model.router_bias = true},
     .keys = {modeltype_modern, modeltype_deepseek_experts, bailing_keys}, .required = "num_shared_experts"},
    {.name = "afmoe", .silent = {SHAPE(32, 2048, 16, 0, 128, 6144, 200192), GATED, QK_NORM, EXPERTS(64, 6, 1408), .model.layer_norms = 4,
               .model.attention_gate = true, .model.router_bias = true, .model.dense_layers = 1, .shared_experts = 2, .model.window = 1024},
     .keys = {modeltype_modern, afmoe_keys}, .layers = {.kinds = true, .every_key = "global_attn_every_n_layers", .every = 4}},
    {.name = "exaone_moe", .silent = {SHAPE(32, 4096, 32, 32, 0, 16384, 102400), GATED, QK_NORM, EXPERTS(64, 8, 1024),
                    .model.expert_groups = 1, .model.routed_groups = 1, .model.dense_layers = 1, .model.router_bias = true,
                    .shared_experts = 1, WINDOWS(4096, 4)},
     .keys = {modeltype_modern, modeltype_deepseek_experts, exaone_moe_keys, modeltype_windows}},
    {.name = "kimi_k2", .silent = {SHAPE(61, 7168, 128, 0, 0, 18432, 129280), GATED, LATENT(1536), EXPERTS(256, 8, 2048),
                 .model.expert_groups = 8, .model.routed_groups = 4, .model.dense_layers = 3,
                 .model.router_bias = true, .shared_experts = 1}, .keys = {modeltype_latent, modeltype_bias_of_attention, modeltype_deepseek_experts}},
    {.name = "dots1", .silent = {SHAPE(62, 4608, 32, 32, 0, 10944, 152064), GATED, QK_NORM, EXPERTS(0, 0, 1408),
               .model.expert_groups = 1, .model.routed_groups = 1, .model.router_bias = true},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_deepseek_experts}},
    {.name = "glm4_moe", .silent = {SHAPE(46, 4096, 96, 8, 128, 10944, 151552), GATED, EXPERTS(128, 8, 1408),
                  .model.expert_groups = 1, .model.routed_groups = 1, .model.dense_layers = 1,
                  .model.router_bias = true, .shared_experts = 1},
     .keys = {modeltype_modern, modeltype_bias_of_qkv, modeltype_deepseek_experts, glm4_moe_keys}},
    {.name = "granitemoe", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED, EXPERTS(8, 2, 0)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_routed}},
    {.name = "granitemoeshared", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED, EXPERTS(8, 2, 0)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_routed, modeltype_granite_shared_keys}},
    {.name = "ernie4_5_moe", .silent = {SHAPE(28, 2560, 20, 4, 0, 12288, 103424), GATED, TIED, EXPERTS(64, 6, 1536),
                      .model.dense_layers = 1, .model.router_bias = true, .shared_experts = 2},
     .keys = {modeltype_modern, modeltype_bias_of_all, ernie_experts}},
    {.name = "hunyuan_v1_moe", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 290943), GATED, QK_NORM, EXPERTS(1, 1, 0),
                        .shared_experts = 1}, .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_hunyuan_keys, hunyuan_experts}},
    {.name = "gpt_oss", .silent = {SHAPE(36, 2880, 64, 8, 64, 2880, 201088), GATED, QKV_BIAS, EXPERTS(128, 4, 0),
                 .model.output_bias = true, .model.ffn_bias = true, .model.router_bias = true,
                 .model.attention_sinks = true, WINDOWS(128, 2)}, .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_routed, modeltype_windows}},
    {.name = "minimax_m2", .silent = {SHAPE(62, 3072, 48, 8, 128, 1536, 200064), GATED, QK_NORM, QK_FULL, EXPERTS(256, 8, 0),
                    .model.router_bias = true}, .keys = {modeltype_modern, modeltype_routed, minimax_m2_keys}},
    {.name = "step3p5", .silent = {SHAPE(45, 4096, 64, 8, 128, 11264, 128896), GATED, QK_NORM, EXPERTS(288, 8, 1280), .model.shared_ffn = 1280,
                 .model.window = 512},
     .keys = {step3p5_keys}, .required = "moe_layers_enum",
     .layers = {.kinds = true, .words = true, .mtp_listed = true,
                .rest = {.heads = "attention_other_setting.num_attention_heads",
                         .groups = "attention_other_setting.num_attention_groups",
                         .head_dim = "attention_other_setting.head_dim"}}},
    {.name = "longcat_flash", .silent = {SHAPE(56, 6144, 64, 0, 0, 12288, 131072), GATED, LATENT(1536), EXPERTS(512, 12, 2048),
                       .model.zero_experts = 256, .model.router_bias = true},
     .keys = {modeltype_latent, modeltype_bias_of_attention, longcat_keys}, .paired = true},
    {.name = "gemma4_text", .silent = {SHAPE(30, 2304, 8, 4, 256, 9216, 262144), GATED, TIED, QK_NORM, .model.layer_norms = 4, .model.window = 512},
     .keys = {modeltype_modern, modeltype_bias_of_attention, gemma4_keys}, .required = "hidden_size_per_layer_input",
     .layers = {.kinds = true, .every = 6, .last_full = true,
                .full = {.groups = "num_global_key_value_heads", .head_dim = "global_head_dim", .silent_dim = 512,
                         .groups_if = "attention_k_eq_v", .keys_only_if = "attention_k_eq_v"}}},
    {.name = "mimo_v2_flash", .silent = {SHAPE(48, 4096, 64, 4, 192, 16384, 152576), GATED, EXPERTS(256, 8, 2048), .model.window = 128,
                       .model.expert_groups = 1, .model.routed_groups = 1, .model.dense_layers = 1, .model.router_bias = true},
     .keys = {modeltype_modern, modeltype_bias_of_qkv, modeltype_deepseek_experts, mimo_v2_keys},
     .layers = {.kinds = true, .flags = "hybrid_layer_pattern", .full_flag = 0, .every = 6, .first_full = true, .own_sinks = true,
                .full = {.v_dim = "v_head_dim"},
                .rest = {.heads = "swa_num_attention_heads", .groups = "swa_num_key_value_heads", .head_dim = "swa_head_dim", .v_dim = "swa_v_head_dim"}, .v_dim = 128}},
};
// clang-format on

const struct modeltype_table modeltype_experts = {types, (int)(sizeof types / sizeof *types)};
