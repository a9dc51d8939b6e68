// SPDX-License-Identifier: Apache-2.0
// The types that can be read. `silent` of a row holds the values that its configuration class gives
// where a file has no value.
#include "kernels/common/description/model_types.h"

#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))

// ---- keys -----------------------------------------------------------------------------------

// clang-format off
static const struct modeltype_key common[] = {
    {"num_hidden_layers", KEY_NUM_LAYERS, NULL}, {"hidden_size", KEY_HIDDEN, NULL},
    {"num_attention_heads", KEY_HEADS, NULL}, {"vocab_size", KEY_VOCAB, NULL},
    {"tie_word_embeddings", KEY_TIED, NULL}, {"_name_or_path", KEY_NAME, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key modern[] = {
    {"num_key_value_heads", KEY_QUERY_GROUPS, NULL}, {"head_dim", KEY_HEAD_DIM, NULL},
    {"intermediate_size", KEY_FFN, NULL}, {NULL, 0, NULL},
};

// Of all layers; types whose layers differ in windows do not read the key.
static const struct modeltype_key window[] = {{"sliding_window", KEY_WINDOW, NULL}, {NULL, 0, NULL}};

// Of some layers.
static const struct modeltype_key windows[] = {
    {"sliding_window", KEY_WINDOW, NULL}, {"sliding_window_pattern", TYPE_LAYERS, NULL},
    {"_sliding_window_pattern", TYPE_LAYERS, NULL}, {"layer_types", TYPE_LAYERS, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key late_windows[] = {
    {"sliding_window", KEY_WINDOW, NULL}, {"max_window_layers", TYPE_LAYERS, NULL},
    {"use_sliding_window", TYPE_LAYERS, NULL}, {"layer_types", TYPE_LAYERS, NULL}, {NULL, 0, NULL},
};

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
    {"mamba_ssm_cache_dtype", TYPE_UNUSED, NULL}, {"moe_latent_size", TYPE_ONLY, "0"},
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
    {"num_experts", KEY_EXPERTS, NULL}, {"num_experts_per_tok", KEY_TOPK, NULL},
    {"moe_intermediate_size", KEY_MOE_FFN, NULL}, {"shared_expert_intermediate_size", KEY_SHARED_FFN, NULL},
    {NULL, 0, NULL},
};

static const struct modeltype_key indexer_keys[] = {
    {"index_n_heads", KEY_INDEX_HEADS, NULL}, {"index_head_dim", KEY_INDEX_DIM, NULL},
    {"index_topk", KEY_INDEX_TOPK, NULL}, {NULL, 0, NULL},
};

// Of layers that use the tokens that an earlier layer chose.
static const struct modeltype_key glm_moe_dsa_keys[] = {
    {"indexer_types", TYPE_ONLY, "full"}, {"index_topk_freq", TYPE_ONLY, "1"},
    {"index_topk_pattern", TYPE_ONLY, "null"}, {"index_skip_topk_offset", TYPE_UNUSED, NULL},
    {"layer_types", TYPE_ONLY, "deepseek_sparse_attention"}, {"mlp_layer_types", TYPE_MOE_PATTERN, NULL},
    {"mlp_bias", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

// Heads differ by the kind of layer; sinks, of layers with windows, are counted in all layers.
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

static const struct modeltype_key bias_of_qkv[] = {{"attention_bias", KEY_ATTENTION_BIAS, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key bias_of_attention[] = {
    {"attention_bias", KEY_ATTENTION_BIAS, NULL}, {"attention_bias", KEY_OUTPUT_BIAS, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key bias_of_mlp[] = {{"mlp_bias", KEY_FFN_BIAS, NULL}, {NULL, 0, NULL}};
static const struct modeltype_key bias_of_all[] = {{"use_bias", KEY_LINEAR_BIAS, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key routed[] = {
    {"num_local_experts", KEY_EXPERTS, NULL}, {"num_experts", KEY_EXPERTS, NULL},
    {"num_experts_per_tok", KEY_TOPK, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key qwen_experts[] = {
    {"num_experts", KEY_EXPERTS, NULL}, {"num_experts_per_tok", KEY_TOPK, NULL},
    {"moe_intermediate_size", KEY_MOE_FFN, NULL}, {"decoder_sparse_step", TYPE_MOE_EVERY, NULL},
    {"mlp_only_layers", TYPE_DENSE_LAYERS, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key qwen3_moe_keys[] = {
    {"shared_expert_intermediate_size", TYPE_UNUSED, NULL}, {"use_qk_norm", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key qwen2_moe_keys[] = {
    {"qkv_bias", KEY_ATTENTION_BIAS, NULL}, {"shared_expert_intermediate_size", KEY_SHARED_FFN, NULL},
    {NULL, 0, NULL},
};

static const struct modeltype_key deepseek_experts[] = {
    {"n_routed_experts", KEY_EXPERTS, NULL}, {"num_experts", KEY_EXPERTS, NULL},
    {"num_local_experts", KEY_EXPERTS, NULL}, {"n_shared_experts", KEY_SHARED_EXPERTS, NULL},
    {"num_experts_per_tok", KEY_TOPK, NULL}, {"moe_intermediate_size", KEY_MOE_FFN, NULL},
    {"first_k_dense_replace", KEY_DENSE_LAYERS, NULL}, {"n_group", KEY_EXPERT_GROUPS, NULL},
    {"topk_group", KEY_ROUTED_GROUPS, NULL}, {"moe_layer_freq", TYPE_MOE_PATTERN, NULL},
    {"num_nextn_predict_layers", KEY_MTP_DEPTH, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key latent[] = {
    {"q_lora_rank", KEY_Q_RANK, NULL}, {"kv_lora_rank", KEY_KV_RANK, NULL}, {"qk_nope_head_dim", KEY_QK_NOPE, NULL},
    {"qk_rope_head_dim", KEY_QK_ROPE, NULL}, {"v_head_dim", KEY_V_DIM, NULL}, {"intermediate_size", KEY_FFN, NULL},
    {"num_key_value_heads", TYPE_UNUSED, NULL}, {"head_dim", TYPE_UNUSED, NULL}, {"qk_head_dim", TYPE_UNUSED, NULL},
    {NULL, 0, NULL},
};

static const struct modeltype_key glm4_moe_keys[] = {{"use_qk_norm", KEY_QK_NORM, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key gpt[] = {
    {"n_layer", KEY_NUM_LAYERS, NULL}, {"n_embd", KEY_HIDDEN, NULL}, {"n_head", KEY_HEADS, NULL},
    {"n_inner", KEY_FFN, NULL}, {"n_ctx", TYPE_UNUSED, NULL}, {"add_cross_attention", TYPE_ONLY, "false"},
    {NULL, 0, NULL},
};

static const struct modeltype_key gpt_positions[] = {
    {"n_positions", KEY_MAX_POSITIONS, NULL}, {"max_position_embeddings", KEY_MAX_POSITIONS, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key gptj_keys[] = {{"n_positions", TYPE_UNUSED, NULL}, {NULL, 0, NULL}};
static const struct modeltype_key bigcode_keys[] = {{"multi_query", TYPE_MULTI_QUERY, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key gpt_neo_keys[] = {
    {"num_layers", KEY_NUM_LAYERS, NULL}, {"num_heads", KEY_HEADS, NULL}, {"intermediate_size", KEY_FFN, NULL},
    {"max_position_embeddings", KEY_MAX_POSITIONS, NULL}, {"attention_types", TYPE_UNUSED, NULL}, // windows
    {"attention_layers", TYPE_UNUSED, NULL}, {"window_size", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key neox_keys[] = {
    {"intermediate_size", KEY_FFN, NULL}, {"attention_bias", KEY_ATTENTION_BIAS, NULL},
    {"attention_bias", KEY_OUTPUT_BIAS, NULL}, {"use_parallel_residual", TYPE_BESIDE, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key falcon_keys[] = {
    {"n_layer", KEY_NUM_LAYERS, NULL}, {"n_head", KEY_HEADS, NULL}, {"n_embed", KEY_HIDDEN, NULL},
    {"ffn_hidden_size", KEY_FFN, NULL}, {"bias", KEY_LINEAR_BIAS, NULL}, {"multi_query", TYPE_MULTI_QUERY, NULL},
    {"new_decoder_architecture", TYPE_NEW_DECODER, NULL}, {"num_kv_heads", TYPE_DECODER_GROUPS, NULL},
    {"n_head_kv", TYPE_DECODER_GROUPS, NULL}, {"num_ln_in_parallel_attn", TYPE_DECODER_NORMS, NULL},
    {"parallel_attn", TYPE_BESIDE_ONE, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key opt_keys[] = {
    {"d_model", KEY_HIDDEN, NULL}, {"ffn_dim", KEY_FFN, NULL}, {"enable_bias", KEY_LINEAR_BIAS, NULL},
    {"max_position_embeddings", KEY_MAX_POSITIONS, NULL}, {"word_embed_proj_dim", TYPE_HIDDEN_AGAIN, NULL},
    {"do_layer_norm_before", TYPE_ONLY, "true"}, {"layer_norm_elementwise_affine", TYPE_ONLY, "true"},
    {"_remove_final_layer_norm", TYPE_ONLY, "false"}, {NULL, 0, NULL},
};

static const struct modeltype_key bloom_keys[] = {
    {"n_layer", KEY_NUM_LAYERS, NULL}, {"n_head", KEY_HEADS, NULL}, {"n_embed", KEY_HIDDEN, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key mpt_keys[] = {
    {"n_layers", KEY_NUM_LAYERS, NULL}, {"d_model", KEY_HIDDEN, NULL}, {"n_heads", KEY_HEADS, NULL},
    {"expansion_ratio", TYPE_EXPANSION, NULL}, {"no_bias", TYPE_ONLY, "true"}, {"learned_pos_emb", TYPE_UNUSED, NULL},
    {"attn_config.qk_ln", TYPE_ONLY, "false"}, {"attn_config.alibi", TYPE_ONLY, "true"},
    {"attn_config.attn_type", TYPE_ONLY, "multihead_attention"}, {"attn_config.alibi_bias_max", TYPE_UNUSED, NULL},
    {NULL, 0, NULL},
};

static const struct modeltype_key dbrx_keys[] = {
    {"n_layers", KEY_NUM_LAYERS, NULL}, {"d_model", KEY_HIDDEN, NULL}, {"n_heads", KEY_HEADS, NULL},
    {"attn_config.kv_n_heads", KEY_QUERY_GROUPS, NULL}, {"ffn_config.ffn_hidden_size", KEY_MOE_FFN, NULL},
    {"ffn_config.moe_num_experts", KEY_EXPERTS, NULL}, {"ffn_config.moe_top_k", KEY_TOPK, NULL},
    {"ffn_config.ffn_act_fn", TYPE_UNUSED, NULL}, {"ffn_config.moe_loss_weight", TYPE_UNUSED, NULL},
    {"ffn_config.moe_normalize_expert_weights", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key phi_keys[] = {{"qk_layernorm", TYPE_ONLY, "false"}, {NULL, 0, NULL}};

static const struct modeltype_key phi3_keys[] = {
    {"attention_bias", TYPE_UNUSED, NULL}, {"mlp_bias", TYPE_UNUSED, NULL}, {"lm_head_bias", TYPE_UNUSED, NULL},
    {NULL, 0, NULL},
};

static const struct modeltype_key phimoe_keys[] = {{"lm_head_bias", KEY_HEAD_BIAS, NULL}, {NULL, 0, NULL}};
static const struct modeltype_key cohere_keys[] = {{"use_qk_norm", KEY_QK_NORM, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key cohere2_keys[] = {
    {"use_parallel_block", TYPE_ONLY, "true"}, {"use_gated_activation", TYPE_ONLY, "true"},
    {"use_embedding_sharing", TYPE_UNUSED, NULL}, {"use_parallel_embedding", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key stablelm_keys[] = {
    {"use_qkv_bias", KEY_ATTENTION_BIAS, NULL}, {"qk_layernorm", KEY_QK_NORM, NULL},
    {"use_parallel_residual", TYPE_BESIDE_ONE, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key granite_shared_keys[] = {
    {"shared_intermediate_size", KEY_SHARED_FFN, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key apertus_keys[] = {
    {"qk_norm", TYPE_ONLY, "true"}, {"post_norm", TYPE_ONLY, "false"}, {"mlp_bias", TYPE_ONLY, "false"},
    {NULL, 0, NULL},
};

static const struct modeltype_key ernie_experts[] = {
    {"moe_num_experts", KEY_EXPERTS, NULL}, {"num_experts", KEY_EXPERTS, NULL}, {"moe_k", KEY_TOPK, NULL},
    {"num_experts_per_tok", KEY_TOPK, NULL}, {"moe_intermediate_size", KEY_MOE_FFN, NULL},
    {"moe_num_shared_experts", KEY_SHARED_EXPERTS, NULL}, {"moe_layer_start_index", KEY_DENSE_LAYERS, NULL},
    {"moe_layer_end_index", TYPE_LAST_MOE_LAYER, NULL}, {"moe_layer_interval", TYPE_MOE_EVERY, NULL},
    {"num_nextn_predict_layers", KEY_MTP_DEPTH, NULL}, {"moe_use_aux_free", TYPE_UNUSED, NULL},
    {"moe_capacity", TYPE_UNUSED, NULL}, {"moe_norm_min", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key hunyuan_keys[] = {
    {"use_qk_norm", TYPE_ONLY, "true"}, {"use_cla", TYPE_ONLY, "false"}, {"cla_share_factor", TYPE_UNUSED, NULL},
    {"org_vocab_size", TYPE_UNUSED, NULL}, {"mlp_bias", TYPE_ONLY, "false"},
    {"attention_head_dim", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
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

static const struct modeltype_key seed_oss_keys[] = {
    {"attention_bias", KEY_ATTENTION_BIAS, NULL}, {"attention_out_bias", KEY_OUTPUT_BIAS, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key internlm2_keys[] = {
    {"bias", KEY_ATTENTION_BIAS, NULL}, {"bias", KEY_OUTPUT_BIAS, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key chatglm_keys[] = {
    {"num_layers", KEY_NUM_LAYERS, NULL}, {"padded_vocab_size", KEY_VOCAB, NULL}, {"ffn_hidden_size", KEY_FFN, NULL},
    {"kv_channels", KEY_HEAD_DIM, NULL}, {"multi_query_attention", TYPE_MULTI_QUERY, NULL},
    {"multi_query_group_num", TYPE_MULTI_GROUPS, NULL}, {"add_bias_linear", KEY_LINEAR_BIAS, NULL},
    {"add_qkv_bias", KEY_ATTENTION_BIAS, NULL}, {"rmsnorm", TYPE_ONLY, "true"},
    {"post_layer_norm", TYPE_ONLY, "true"}, {"apply_query_key_layer_scaling", TYPE_UNUSED, NULL},
    {"apply_residual_connection_post_layernorm", TYPE_UNUSED, NULL}, {"bias_dropout_fusion", TYPE_UNUSED, NULL},
    {NULL, 0, NULL},
};
// clang-format on

// ---- types ----------------------------------------------------------------------------------

// Layers, hidden size, heads, groups of queries, width of a head, of a feed-forward network,
// vocabulary.
#define SHAPE(L, h, A, G, d, f, V)                                                             \
    .model.num_layers = L, .model.hidden = h, .model.heads = A, .model.query_groups = G,       \
    .model.head_dim = d, .model.ffn = f, .model.vocab = V
#define GATED            .model.gated = true
#define LAYER_NORM       .model.norm = MODELDESC_LAYER
#define NO_BIAS          .model.norm = MODELDESC_LAYER_NO_BIAS
#define TIED             .model.tied = true
#define QK_NORM          .model.qk_norm = true
#define QK_FULL          .model.qk_norm_full = true
#define QKV_BIAS         .model.attention_bias = true
#define LINEAR_BIAS      .model.linear_bias = true
#define EXPERTS(E, k, m) .model.experts = E, .model.topk = k, .model.moe_ffn = m
// The first n layers have full attention, the others see a window, if it is enabled.
#define AFTER(n) .layers = {.kinds = true, .after_key = "max_window_layers", .after = n}
// Every n-th layer has full attention, the others see a window.
#define WINDOWS(w, n)                                                                          \
    .model.window = w                                                                          \
    }                                                                                          \
    , .layers = {.kinds = true, .every_key = "sliding_window_pattern", .every = n
#define SCAN(H, P, G, N, K)                                                                    \
    .model.scan = {.heads = H, .head_dim = P, .groups = G, .state = N, .conv = K}
#define INDEXER(H) .model.index_heads = H, .model.index_dim = 128, .model.index_topk = 2048
#define LATENT(r)                                                                              \
    .model.q_rank = r, .model.kv_rank = 512, .model.qk_nope = 128, .model.qk_rope = 64,        \
    .model.v_dim = 128

// clang-format off
static const struct modeltype types[] = {
    {.name = "llama", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED}, .keys = {modern, bias_of_attention, bias_of_mlp}},
    {.name = "mistral", .silent = {SHAPE(32, 4096, 32, 8, 0, 14336, 32000), GATED, .model.window = 4096}, .keys = {modern, window}},
    {.name = "ministral3", .silent = {SHAPE(34, 4096, 32, 8, 128, 14336, 131072), GATED}, .keys = {modern, window}},
    {.name = "mixtral", .silent = {SHAPE(32, 4096, 32, 8, 0, 14336, 32000), GATED, EXPERTS(8, 2, 0)}, .keys = {modern, window, routed}},
    {.name = "smollm3", .silent = {SHAPE(36, 2048, 16, 4, 0, 11008, 128256), GATED, TIED},
     .keys = {modern, bias_of_attention, bias_of_mlp}, .windows_if_enabled = true},
    {.name = "arcee", .silent = {SHAPE(32, 2560, 32, 0, 0, 18432, 32000)}, .keys = {modern, bias_of_attention, bias_of_mlp}},
    {.name = "seed_oss", .silent = {SHAPE(64, 4096, 80, 8, 128, 27648, 155136), GATED, QKV_BIAS}, .keys = {modern, seed_oss_keys, bias_of_mlp}},
    {.name = "internlm2", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 103168), GATED, QKV_BIAS, .model.output_bias = true},
     .keys = {modern, internlm2_keys}},
    {.name = "llama4_text", .silent = {SHAPE(48, 5120, 40, 8, 128, 16384, 202048), GATED, EXPERTS(16, 1, 8192), .model.shared_ffn = 8192,
                          .model.window = 8192, .model.chunked = true},
     .keys = {llama4_keys, bias_of_attention, routed},
     .layers = {.kinds = true, .flags = "no_rope_layers", .every_key = "no_rope_layer_interval", .every = 4}},

    {.name = "qwen2", .silent = {SHAPE(32, 4096, 32, 32, 0, 22016, 151936), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modern, late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen2_moe", .silent = {SHAPE(24, 2048, 16, 16, 0, 5632, 151936), .model.window = 4096, GATED, QKV_BIAS, EXPERTS(60, 4, 1408),
                   .model.shared_ffn = 5632, .model.shared_gate = true},
     .keys = {modern, qwen_experts, qwen2_moe_keys, late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen3", .silent = {SHAPE(32, 4096, 32, 32, 128, 22016, 151936), .model.window = 4096, GATED, QK_NORM},
     .keys = {modern, bias_of_attention, late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen3_moe", .silent = {SHAPE(24, 2048, 32, 4, 0, 6144, 151936), .model.window = 4096, GATED, QK_NORM, EXPERTS(128, 8, 768)},
     .keys = {modern, bias_of_attention, qwen_experts, qwen3_moe_keys, late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen2_vl", .silent = {SHAPE(80, 8192, 64, 8, 0, 29568, 152064), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modern, late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen2_vl_text", .silent = {SHAPE(80, 8192, 64, 8, 0, 29568, 152064), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modern, late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen2_5_vl", .silent = {SHAPE(80, 8192, 64, 8, 0, 29568, 152064), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modern, late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen2_5_vl_text", .silent = {SHAPE(80, 8192, 64, 8, 0, 29568, 152064), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modern, late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen3_vl_text", .silent = {SHAPE(32, 4096, 32, 32, 128, 22016, 151936), GATED, QK_NORM}, .keys = {modern, bias_of_attention}},
    {.name = "qwen3_vl_moe_text", .silent = {SHAPE(24, 2048, 16, 16, 0, 5632, 151936), GATED, QK_NORM,
                                             EXPERTS(60, 4, 1408)},
     .keys = {modern, bias_of_attention, qwen_experts, qwen3_moe_keys}},

    {.name = "gemma", .silent = {SHAPE(28, 3072, 16, 16, 256, 24576, 256000), GATED, TIED}, .keys = {modern, bias_of_attention}},
    {.name = "gemma2", .silent = {SHAPE(26, 2304, 8, 4, 256, 9216, 256000), GATED, TIED, .model.layer_norms = 4, WINDOWS(4096, 2)},
     .keys = {modern, bias_of_attention, windows}},
    {.name = "gemma3_text", .silent = {SHAPE(26, 2304, 8, 4, 256, 9216, 262208), GATED, TIED, QK_NORM, .model.layer_norms = 4, WINDOWS(4096, 6)},
     .keys = {modern, bias_of_attention, windows}},

    {.name = "phi", .silent = {SHAPE(24, 2048, 32, 0, 0, 8192, 51200), LAYER_NORM, LINEAR_BIAS, .model.layer_norms = 1,
             .model.head_bias = true}, .keys = {modern, phi_keys}, .beside = true},
    {.name = "phi3", .silent = {SHAPE(32, 3072, 32, 0, 0, 8192, 32064), GATED}, .keys = {modern, window, phi3_keys}},
    {.name = "phimoe", .silent = {SHAPE(32, 4096, 32, 8, 0, 6400, 32064), LAYER_NORM, GATED, EXPERTS(16, 2, 0)},
     .keys = {modern, window, bias_of_attention, routed, phimoe_keys}},

    {.name = "gpt2", .silent = {SHAPE(12, 768, 12, 0, 0, 0, 50257), LAYER_NORM, LINEAR_BIAS, TIED, .model.positions = 1024},
     .keys = {gpt, gpt_positions}},
    {.name = "gpt_bigcode", .silent = {SHAPE(12, 768, 12, 1, 0, 0, 50257), LAYER_NORM, LINEAR_BIAS, TIED, .model.positions = 1024},
     .keys = {gpt, gpt_positions, bigcode_keys}},
    {.name = "gpt_neo", .silent = {SHAPE(24, 2048, 16, 0, 0, 0, 50257), LAYER_NORM, TIED, .model.output_bias = true,
                 .model.ffn_bias = true, .model.positions = 2048}, .keys = {gpt_neo_keys}, .windows = true},
    {.name = "gptj", .silent = {SHAPE(28, 4096, 16, 0, 0, 0, 50400), LAYER_NORM, .model.layer_norms = 1, .model.ffn_bias = true,
              .model.head_bias = true}, .keys = {gpt, gptj_keys}, .beside = true},
    {.name = "gpt_neox", .silent = {SHAPE(44, 6144, 64, 0, 0, 24576, 50432), LAYER_NORM, QKV_BIAS, .model.output_bias = true,
                  .model.ffn_bias = true}, .keys = {neox_keys}, .beside = true},
    {.name = "falcon", .silent = {SHAPE(32, 4544, 71, 1, 0, 0, 65024), LAYER_NORM, TIED, .model.layer_norms = 1},
     .keys = {falcon_keys}, .beside = true},
    {.name = "opt", .silent = {SHAPE(12, 768, 12, 0, 0, 3072, 50272), LAYER_NORM, LINEAR_BIAS, TIED, .model.positions = 2050},
     .keys = {opt_keys}, .more_positions = 2},
    {.name = "bloom", .silent = {SHAPE(2, 64, 8, 0, 0, 0, 250880), LAYER_NORM, LINEAR_BIAS, TIED, .model.embedding_norm = true},
     .keys = {bloom_keys}},
    {.name = "mpt", .silent = {SHAPE(24, 2048, 16, 0, 0, 0, 50368), NO_BIAS, TIED}, .keys = {mpt_keys}},
    {.name = "dbrx", .silent = {SHAPE(24, 2048, 16, 1, 0, 0, 32000), NO_BIAS, GATED, EXPERTS(4, 1, 3584)}, .keys = {dbrx_keys}},
    {.name = "starcoder2", .silent = {SHAPE(30, 3072, 24, 2, 0, 12288, 49152), LAYER_NORM, LINEAR_BIAS, TIED}, .keys = {modern, window, bias_of_all}},
    {.name = "stablelm", .silent = {SHAPE(32, 2560, 32, 32, 0, 6912, 50304), LAYER_NORM, GATED, QK_FULL}, .keys = {modern, stablelm_keys}},
    {.name = "nemotron", .silent = {SHAPE(32, 6144, 48, 0, 0, 24576, 256000), LAYER_NORM}, .keys = {modern, bias_of_attention, bias_of_mlp}},
    {.name = "cohere", .silent = {SHAPE(40, 8192, 64, 0, 0, 22528, 256000), NO_BIAS, GATED, TIED, QK_FULL, .model.layer_norms = 1},
     .keys = {modern, bias_of_attention, cohere_keys}, .beside = true},
    {.name = "cohere2", .silent = {SHAPE(40, 8192, 64, 0, 0, 22528, 256000), NO_BIAS, GATED, TIED, .model.layer_norms = 1, WINDOWS(4096, 4)},
     .keys = {modern, bias_of_attention, cohere2_keys, windows}, .beside = true},

    {.name = "olmo", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 50304), GATED, .model.norm = MODELDESC_FIXED},
     .keys = {modern, bias_of_attention}},
    {.name = "olmo2", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 50304), GATED, QK_NORM, QK_FULL}, .keys = {modern, bias_of_attention}},
    {.name = "olmo3", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 50304), GATED, QK_NORM, QK_FULL, WINDOWS(4096, 4)},
     .keys = {modern, bias_of_attention, windows}},
    {.name = "olmoe", .silent = {SHAPE(16, 2048, 16, 0, 0, 2048, 50304), GATED, QK_NORM, QK_FULL, EXPERTS(64, 8, 0)},
     .keys = {modern, bias_of_attention, routed}},

    {.name = "deepseek_v2", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED, LATENT(1536), EXPERTS(64, 0, 1407),
                     .shared_experts = 2}, .keys = {latent, bias_of_attention, bias_of_mlp, deepseek_experts}},
    {.name = "deepseek_v3", .silent = {SHAPE(61, 7168, 128, 0, 0, 18432, 129280), GATED, LATENT(1536), EXPERTS(256, 8, 2048),
                     .model.expert_groups = 8, .model.routed_groups = 4, .model.dense_layers = 3,
                     .model.router_bias = true, .shared_experts = 1}, .keys = {latent, bias_of_attention, deepseek_experts}},
    {.name = "deepseek_v32", .silent = {SHAPE(61, 7168, 128, 0, 0, 18432, 129280), GATED, LATENT(1536), EXPERTS(256, 8, 2048),
                      .model.expert_groups = 8, .model.routed_groups = 4, .model.dense_layers = 3,
                      .model.router_bias = true, .shared_experts = 1, INDEXER(64)},
     .keys = {latent, bias_of_attention, deepseek_experts, indexer_keys}},
    {.name = "glm_moe_dsa", .silent = {SHAPE(78, 6144, 64, 0, 0, 12288, 154880), GATED, EXPERTS(256, 8, 2048),
                     .model.q_rank = 2048, .model.kv_rank = 512, .model.qk_nope = 192, .model.qk_rope = 64, .model.v_dim = 256,
                     .model.expert_groups = 1, .model.routed_groups = 1, .model.dense_layers = 3,
                     .model.router_bias = true, .shared_experts = 1, INDEXER(32)},
     .keys = {latent, bias_of_attention, deepseek_experts, indexer_keys, glm_moe_dsa_keys}},
    {.name = "kimi_k2", .silent = {SHAPE(61, 7168, 128, 0, 0, 18432, 129280), GATED, LATENT(1536), EXPERTS(256, 8, 2048),
                 .model.expert_groups = 8, .model.routed_groups = 4, .model.dense_layers = 3,
                 .model.router_bias = true, .shared_experts = 1}, .keys = {latent, bias_of_attention, deepseek_experts}},
    {.name = "dots1", .silent = {SHAPE(62, 4608, 32, 32, 0, 10944, 152064), GATED, QK_NORM, EXPERTS(0, 0, 1408),
               .model.expert_groups = 1, .model.routed_groups = 1, .model.router_bias = true},
     .keys = {modern, bias_of_attention, deepseek_experts}},
    {.name = "glm", .silent = {SHAPE(40, 4096, 32, 2, 128, 13696, 151552), GATED, QKV_BIAS}, .keys = {modern, bias_of_qkv}},
    {.name = "glm4", .silent = {SHAPE(40, 4096, 32, 2, 128, 13696, 151552), GATED, QKV_BIAS, .model.layer_norms = 4},
     .keys = {modern, bias_of_qkv}},
    {.name = "glm4_moe", .silent = {SHAPE(46, 4096, 96, 8, 128, 10944, 151552), GATED, EXPERTS(128, 8, 1408),
                  .model.expert_groups = 1, .model.routed_groups = 1, .model.dense_layers = 1,
                  .model.router_bias = true, .shared_experts = 1},
     .keys = {modern, bias_of_qkv, deepseek_experts, glm4_moe_keys}},
    {.name = "chatglm", .silent = {SHAPE(28, 4096, 32, 0, 128, 13696, 65024), GATED, LINEAR_BIAS}, .keys = {chatglm_keys}},

    {.name = "granite", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED}, .keys = {modern, bias_of_attention, bias_of_mlp}},
    {.name = "granitemoe", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED, EXPERTS(8, 2, 0)},
     .keys = {modern, bias_of_attention, routed}},
    {.name = "granitemoeshared", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED, EXPERTS(8, 2, 0)},
     .keys = {modern, bias_of_attention, routed, granite_shared_keys}},
    // Without the two numbers of each activation function.
    {.name = "apertus", .silent = {SHAPE(32, 4096, 32, 0, 0, 14336, 131072), QK_NORM},
     .keys = {modern, bias_of_attention, apertus_keys}},
    {.name = "exaone4", .silent = {SHAPE(32, 4096, 32, 32, 0, 16384, 102400), GATED, QK_NORM, WINDOWS(4096, 4)}, .keys = {modern, windows}},
    {.name = "ernie4_5", .silent = {SHAPE(18, 1024, 16, 2, 128, 3072, 103424), GATED, TIED}, .keys = {modern, bias_of_all}},
    {.name = "ernie4_5_moe", .silent = {SHAPE(28, 2560, 20, 4, 0, 12288, 103424), GATED, TIED, EXPERTS(64, 6, 1536),
                      .model.dense_layers = 1, .model.router_bias = true, .shared_experts = 2},
     .keys = {modern, bias_of_all, ernie_experts}},
    {.name = "hunyuan_v1_dense", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 290943), GATED, QK_NORM},
     .keys = {modern, bias_of_attention, hunyuan_keys}},
    {.name = "hunyuan_v1_moe", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 290943), GATED, QK_NORM, EXPERTS(1, 1, 0),
                        .shared_experts = 1}, .keys = {modern, bias_of_attention, hunyuan_keys, hunyuan_experts}},
    {.name = "gpt_oss", .silent = {SHAPE(36, 2880, 64, 8, 64, 2880, 201088), GATED, QKV_BIAS, EXPERTS(128, 4, 0),
                 .model.output_bias = true, .model.ffn_bias = true, .model.router_bias = true,
                 .model.attention_sinks = true, WINDOWS(128, 2)}, .keys = {modern, bias_of_attention, routed, windows}},
    {.name = "minimax_m2", .silent = {SHAPE(62, 3072, 48, 8, 128, 1536, 200064), GATED, QK_NORM, QK_FULL, EXPERTS(256, 8, 0),
                    .model.router_bias = true}, .keys = {modern, routed, minimax_m2_keys}},

    {.name = "nemotron_h", .silent = {SHAPE(52, 4096, 32, 8, 128, 21504, 131072), SCAN(128, 64, 8, 128, 4),
                    .model.scan.conv_bias = true, EXPERTS(8, 2, 7688), .model.shared_ffn = 7688, .model.router_bias = true},
     .keys = {modern, bias_of_attention, bias_of_mlp, nemotron_h_keys},
     .layers = {.kinds = true, .blocks = true, .other = MODELDESC_MAMBA2}},
    {.name = "granitemoehybrid", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED, EXPERTS(8, 2, 0), .model.shared_ffn = 1024,
                          SCAN(128, 0, 1, 256, 4), .model.scan.conv_bias = true},
     .keys = {modern, bias_of_attention, routed, granite_shared_keys, mamba2_keys}, .shared_alone = true,
     .layers = {.kinds = true, .other = MODELDESC_MAMBA2, .all_other = true}},
    {.name = "bamba", .silent = {SHAPE(32, 4096, 32, 8, 0, 14336, 128000), GATED, SCAN(128, 0, 1, 256, 4), .model.scan.conv_bias = true},
     .keys = {modern, bias_of_attention, bias_of_mlp, mamba2_keys, bamba_keys},
     .layers = {.kinds = true, .other = MODELDESC_MAMBA2, .full_list = "attn_layer_indices", .all_other = true}},
    {.name = "jamba", .silent = {SHAPE(32, 4096, 32, 8, 0, 14336, 65536), GATED, EXPERTS(16, 2, 0), SCAN(0, 0, 1, 16, 4),
               .model.scan.conv_bias = true, .model.scan.norms = true},
     .keys = {modern, routed, jamba_keys},
     .layers = {.kinds = true, .other = MODELDESC_MAMBA1, .every_key = "attn_layer_period", .every = 8,
                .offset_key = "attn_layer_offset", .offset = 4}, .moe_every = 2},
    {.name = "qwen3_next", .silent = {SHAPE(48, 2048, 16, 2, 256, 5632, 151936), GATED, QK_NORM, EXPERTS(512, 10, 512),
                    .model.shared_ffn = 512, .model.shared_gate = true, .model.attention_gate = true, SCAN(32, 128, 16, 128, 4)},
     .keys = {modern, bias_of_attention, qwen_experts, delta_keys, qwen3_next_keys},
     .layers = {.kinds = true, .other = MODELDESC_DELTA, .every_key = "full_attention_interval", .every = 4}},
    {.name = "qwen3_5_text", .silent = {SHAPE(32, 4096, 16, 4, 256, 12288, 248320), GATED, QK_NORM, .model.attention_gate = true,
                      SCAN(32, 128, 16, 128, 4)},
     .keys = {modern, bias_of_attention, delta_keys, qwen3_5_keys},
     .layers = {.kinds = true, .other = MODELDESC_DELTA, .every_key = "full_attention_interval", .every = 4}},
    {.name = "qwen3_5_moe_text", .silent = {SHAPE(40, 2048, 16, 2, 256, 512, 248320), GATED, QK_NORM, EXPERTS(256, 8, 512),
                          .model.shared_ffn = 512, .model.shared_gate = true, .model.attention_gate = true, SCAN(32, 128, 16, 128, 4)},
     .keys = {modern, bias_of_attention, qwen3_5_experts, delta_keys, qwen3_5_keys},
     .layers = {.kinds = true, .other = MODELDESC_DELTA, .every_key = "full_attention_interval", .every = 4}},
    {.name = "mimo_v2_flash", .silent = {SHAPE(48, 4096, 64, 4, 192, 16384, 152576), GATED, EXPERTS(256, 8, 2048), .model.window = 128,
                       .model.expert_groups = 1, .model.routed_groups = 1, .model.dense_layers = 1, .model.router_bias = true},
     .keys = {modern, bias_of_qkv, deepseek_experts, mimo_v2_keys},
     .layers = {.kinds = true, .flags = "hybrid_layer_pattern", .full_flag = 0, .every = 6, .first_full = true,
                .full = {.v_dim = "v_head_dim"},
                .rest = {"swa_num_attention_heads", "swa_num_key_value_heads", "swa_head_dim", "swa_v_head_dim"}, .v_dim = 128}},
    {.name = "kimi_linear", .silent = {SHAPE(27, 2304, 32, 0, 0, 9216, 163840), GATED, LATENT(0), EXPERTS(256, 8, 1024),
                     .model.dense_layers = 1, .model.router_bias = true, .shared_experts = 1, SCAN(32, 128, 32, 128, 4)},
     .keys = {latent, deepseek_experts, kimi_linear_keys},
     .layers = {.kinds = true, .other = MODELDESC_KDA, .full_list = "linear_attn_config.full_attn_layers", .first = 1}},
    {.name = "minimax_text_01", .silent = {SHAPE(80, 6144, 64, 8, 128, 9216, 200064), GATED, EXPERTS(32, 2, 0)},
     .keys = {modern, routed, minimax_keys},
     .layers = {.kinds = true, .other = MODELDESC_LIGHTNING, .flags = "attn_type_list", .full_flag = 1, .every = 8}},
    {.name = "lfm2", .silent = {SHAPE(32, 2560, 32, 8, 0, 12288, 65536), GATED, TIED, QK_NORM, SCAN(0, 0, 0, 0, 3)},
     .keys = {modern, lfm2_keys},
     .layers = {.kinds = true, .other = MODELDESC_CONV, .full_list = "full_attn_idxs"}},
    {.name = "lfm2_moe", .silent = {SHAPE(32, 2048, 32, 8, 0, 7168, 65536), GATED, TIED, QK_NORM, EXPERTS(32, 4, 1792),
                  .model.dense_layers = 2, .model.router_bias = true, SCAN(0, 0, 0, 0, 3)},
     .keys = {modern, lfm2_moe_keys}, .layers = {.kinds = true, .other = MODELDESC_CONV, .words = true}},
};
// clang-format on

const struct modeltype *modeltype_all(int *n)
{
    *n = COUNT_OF(types);
    return types;
}

const struct modeltype *modeltype_find(const char *name)
{
    for (int i = 0; i < COUNT_OF(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

const struct modeltype_key *modeltype_next(const struct modeltype *type,
                                           struct modeltype_walk *walk)
{
    while (walk->list < MODELTYPE_LISTS + 1) {
        const struct modeltype_key *list =
            walk->list < MODELTYPE_LISTS ? type->keys[walk->list] : common;
        if (list != NULL && list[walk->at].key != NULL)
            return &list[walk->at++];
        *walk = (struct modeltype_walk){walk->list + 1, 0};
    }
    return NULL;
}
