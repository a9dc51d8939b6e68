// SPDX-License-Identifier: Apache-2.0
// Types without experts whose layers all have attention.
#include "kernels/common/types/model_types_private.h"

#include <stddef.h>

// clang-format off
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

static const struct modeltype_key phi_keys[] = {{"qk_layernorm", TYPE_ONLY, "false"}, {NULL, 0, NULL}};

static const struct modeltype_key phi3_keys[] = {
    {"attention_bias", TYPE_UNUSED, NULL}, {"mlp_bias", TYPE_UNUSED, NULL}, {"lm_head_bias", TYPE_UNUSED, NULL},
    {NULL, 0, NULL},
};

static const struct modeltype_key cohere_keys[] = {{"use_qk_norm", KEY_QK_NORM, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key cohere2_keys[] = {
    {"use_parallel_block", TYPE_ONLY, "true"}, {"use_gated_activation", TYPE_ONLY, "true"},
    {"use_embedding_sharing", TYPE_UNUSED, NULL}, {"use_parallel_embedding", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key stablelm_keys[] = {
    {"use_qkv_bias", KEY_ATTENTION_BIAS, NULL}, {"qk_layernorm", KEY_QK_NORM, NULL},
    {"use_parallel_residual", TYPE_BESIDE_ONE, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key apertus_keys[] = {
    {"qk_norm", TYPE_ONLY, "true"}, {"post_norm", TYPE_ONLY, "false"}, {"mlp_bias", TYPE_ONLY, "false"},
    {NULL, 0, NULL},
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

static const struct modeltype_key mimo_keys[] = {
    {"attention_bias", TYPE_ONLY, "true"}, {"num_nextn_predict_layers", KEY_MTP_DEPTH, NULL}, {NULL, 0, NULL},
};

static const struct modeltype_key internlm3_keys[] = {
    {"bias", TYPE_ONLY, "false"}, {"qkv_bias", TYPE_ONLY, "false"}, {NULL, 0, NULL},
};

static const struct modeltype_key minicpm_keys[] = {
    {"num_experts", TYPE_ONLY, "0"}, {"sparse_config", TYPE_ONLY, "null"}, {NULL, 0, NULL},
};

static const struct modeltype_key exaone_keys[] = {{"num_layers", KEY_NUM_LAYERS, NULL}, {NULL, 0, NULL}};

static const struct modeltype_key nas_keys[] = {
    {"block_configs", TYPE_LAYERS, NULL}, {"intermediate_size", TYPE_UNUSED, NULL},
    {"num_key_value_heads", TYPE_UNUSED, NULL}, {NULL, 0, NULL},
};

static const struct modeltype types[] = {
    {.name = "llama", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED}, .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_bias_of_mlp}},
    {.name = "mistral", .silent = {SHAPE(32, 4096, 32, 8, 0, 14336, 32000), GATED, .model.window = 4096}, .keys = {modeltype_modern, modeltype_window}},
    {.name = "ministral3", .silent = {SHAPE(34, 4096, 32, 8, 128, 14336, 131072), GATED}, .keys = {modeltype_modern, modeltype_window}},
    {.name = "smollm3", .silent = {SHAPE(36, 2048, 16, 4, 0, 11008, 128256), GATED, TIED},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_bias_of_mlp}, .windows_if_enabled = true},
    {.name = "arcee", .silent = {SHAPE(32, 2560, 32, 0, 0, 18432, 32000)}, .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_bias_of_mlp}},
    {.name = "seed_oss", .silent = {SHAPE(64, 4096, 80, 8, 128, 27648, 155136), GATED, QKV_BIAS}, .keys = {modeltype_modern, seed_oss_keys, modeltype_bias_of_mlp}},
    {.name = "internlm2", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 103168), GATED, QKV_BIAS, .model.output_bias = true},
     .keys = {modeltype_modern, internlm2_keys}},
    {.name = "qwen2", .silent = {SHAPE(32, 4096, 32, 32, 0, 22016, 151936), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modeltype_modern, modeltype_late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen3", .silent = {SHAPE(32, 4096, 32, 32, 128, 22016, 151936), .model.window = 4096, GATED, QK_NORM},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen2_vl", .silent = {SHAPE(80, 8192, 64, 8, 0, 29568, 152064), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modeltype_modern, modeltype_late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen2_vl_text", .silent = {SHAPE(80, 8192, 64, 8, 0, 29568, 152064), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modeltype_modern, modeltype_late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen2_5_vl", .silent = {SHAPE(80, 8192, 64, 8, 0, 29568, 152064), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modeltype_modern, modeltype_late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen2_5_vl_text", .silent = {SHAPE(80, 8192, 64, 8, 0, 29568, 152064), .model.window = 4096, GATED, QKV_BIAS}, .keys = {modeltype_modern, modeltype_late_windows}, .windows_if_enabled = true, AFTER(28)},
    {.name = "qwen3_vl_text", .silent = {SHAPE(32, 4096, 32, 32, 128, 22016, 151936), GATED, QK_NORM}, .keys = {modeltype_modern, modeltype_bias_of_attention}},
    {.name = "gemma", .silent = {SHAPE(28, 3072, 16, 16, 256, 24576, 256000), GATED, TIED}, .keys = {modeltype_modern, modeltype_bias_of_attention}},
    {.name = "gemma2", .silent = {SHAPE(26, 2304, 8, 4, 256, 9216, 256000), GATED, TIED, .model.layer_norms = 4, WINDOWS(4096, 2)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_windows}},
    {.name = "gemma3_text", .silent = {SHAPE(26, 2304, 8, 4, 256, 9216, 262208), GATED, TIED, QK_NORM, .model.layer_norms = 4, WINDOWS(4096, 6)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_windows}},
    {.name = "phi", .silent = {SHAPE(24, 2048, 32, 0, 0, 8192, 51200), LAYER_NORM, LINEAR_BIAS, .model.layer_norms = 1,
             .model.head_bias = true}, .keys = {modeltype_modern, phi_keys}, .beside = true},
    {.name = "phi3", .silent = {SHAPE(32, 3072, 32, 0, 0, 8192, 32064), GATED}, .keys = {modeltype_modern, modeltype_window, phi3_keys}},
    {.name = "nemotron-nas", .silent = {SHAPE(80, 8192, 64, 0, 0, 0, 128256), GATED},
     .keys = {modeltype_bias_of_attention, modeltype_bias_of_mlp, nas_keys},
     .layers = {.kinds = true, .objects = "block_configs"}},
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
    {.name = "starcoder2", .silent = {SHAPE(30, 3072, 24, 2, 0, 12288, 49152), LAYER_NORM, LINEAR_BIAS, TIED}, .keys = {modeltype_modern, modeltype_window, modeltype_bias_of_all}},
    {.name = "stablelm", .silent = {SHAPE(32, 2560, 32, 32, 0, 6912, 50304), LAYER_NORM, GATED, QK_FULL}, .keys = {modeltype_modern, stablelm_keys}},
    {.name = "nemotron", .silent = {SHAPE(32, 6144, 48, 0, 0, 24576, 256000), LAYER_NORM}, .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_bias_of_mlp}},
    {.name = "cohere", .silent = {SHAPE(40, 8192, 64, 0, 0, 22528, 256000), NO_BIAS, GATED, TIED, QK_FULL, .model.layer_norms = 1},
     .keys = {modeltype_modern, modeltype_bias_of_attention, cohere_keys}, .beside = true},
    {.name = "cohere2", .silent = {SHAPE(40, 8192, 64, 0, 0, 22528, 256000), NO_BIAS, GATED, TIED, .model.layer_norms = 1, WINDOWS(4096, 4)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, cohere2_keys, modeltype_windows}, .beside = true},
    {.name = "olmo", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 50304), GATED, .model.norm = MODELDESC_FIXED},
     .keys = {modeltype_modern, modeltype_bias_of_attention}},
    {.name = "olmo2", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 50304), GATED, QK_NORM, QK_FULL}, .keys = {modeltype_modern, modeltype_bias_of_attention}},
    {.name = "olmo3", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 50304), GATED, QK_NORM, QK_FULL, WINDOWS(4096, 4)},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_windows}},
    {.name = "glm", .silent = {SHAPE(40, 4096, 32, 2, 128, 13696, 151552), GATED, QKV_BIAS}, .keys = {modeltype_modern, modeltype_bias_of_qkv}},
    {.name = "glm4", .silent = {SHAPE(40, 4096, 32, 2, 128, 13696, 151552), GATED, QKV_BIAS, .model.layer_norms = 4},
     .keys = {modeltype_modern, modeltype_bias_of_qkv}},
    {.name = "chatglm", .silent = {SHAPE(28, 4096, 32, 0, 128, 13696, 65024), GATED, LINEAR_BIAS}, .keys = {chatglm_keys}},
    {.name = "granite", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED}, .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_bias_of_mlp}},
    // Without the two numbers of each activation function.
    {.name = "apertus", .silent = {SHAPE(32, 4096, 32, 0, 0, 14336, 131072), QK_NORM},
     .keys = {modeltype_modern, modeltype_bias_of_attention, apertus_keys}},
    {.name = "exaone4", .silent = {SHAPE(32, 4096, 32, 32, 0, 16384, 102400), GATED, QK_NORM, WINDOWS(4096, 4)}, .keys = {modeltype_modern, modeltype_windows}},
    {.name = "mimo", .silent = {SHAPE(32, 4096, 32, 32, 0, 22016, 151936), .model.window = 4096, GATED, QKV_BIAS},
     .keys = {modeltype_modern, modeltype_late_windows, mimo_keys}, .windows_if_enabled = true, AFTER(28)},
    {.name = "helium", .silent = {SHAPE(24, 2560, 20, 20, 128, 7040, 48000), GATED}, .keys = {modeltype_modern, modeltype_bias_of_qkv, modeltype_bias_of_mlp}},
    {.name = "internlm3", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 128512), GATED}, .keys = {modeltype_modern, internlm3_keys}},
    {.name = "minicpm", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 32000), GATED}, .keys = {modeltype_modern, minicpm_keys}, .required = "tie_word_embeddings"},
    {.name = "exaone", .silent = {SHAPE(32, 2048, 32, 0, 0, 0, 102400), GATED}, .keys = {modeltype_modern, exaone_keys}, .required = "tie_word_embeddings"},
    {.name = "youtu_llm", .silent = {SHAPE(32, 2048, 16, 0, 0, 6144, 128256), GATED, TIED, LATENT(1536)},
     .keys = {modeltype_latent, modeltype_bias_of_attention, modeltype_bias_of_mlp}},
    {.name = "youtu", .silent = {SHAPE(32, 2048, 16, 0, 0, 6144, 128256), GATED, TIED, LATENT(1536)},
     .keys = {modeltype_latent, modeltype_bias_of_attention, modeltype_bias_of_mlp}},
    {.name = "ernie4_5", .silent = {SHAPE(18, 1024, 16, 2, 128, 3072, 103424), GATED, TIED}, .keys = {modeltype_modern, modeltype_bias_of_all}},
    {.name = "hunyuan_v1_dense", .silent = {SHAPE(32, 4096, 32, 0, 0, 11008, 290943), GATED, QK_NORM},
     .keys = {modeltype_modern, modeltype_bias_of_attention, modeltype_hunyuan_keys}},
};
// clang-format on

const struct modeltype_table modeltype_dense = {types, (int)(sizeof types / sizeof *types)};
