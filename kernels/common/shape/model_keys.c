// SPDX-License-Identifier: Apache-2.0
// Lists the keys of our own model documents as a table. Names come from Megatron-LM's options,
// Hugging Face's config.json, the parameter files that DeepSeek and Meta publish with their models,
// and the symbols of papers.
#include "kernels/common/shape/model_keys.h"

#include <stddef.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))

// Bounds far above every known model; modeldesc_read bounds their combinations.
#define LAYERS      4096
#define WIDTH       (1 << 24)
#define HEADS       (1 << 16)
#define TOKENS      (1 << 30)
#define EXPERTS     8192
#define MTP_DEPTH   8
#define LAYER_NORMS 8

#define IN_MODEL(member)  offsetof(struct modelkeys_record, model.member)
#define IN_RECORD(member) offsetof(struct modelkeys_record, member)
#define WHOLE(key, least, most, member)                                                        \
    {                                                                                          \
        key, DOCFIELD_WHOLE, least, most, IN_MODEL(member)                                     \
    }
#define FLAG(key, member)                                                                      \
    {                                                                                          \
        key, DOCFIELD_FLAG, 0, 1, IN_MODEL(member)                                             \
    }
#define OWN(key)                                                                               \
    {                                                                                          \
        key, DOCFIELD_OWN, 0, 0, 0                                                             \
    }

static const struct docfield fields[N_MODEL_KEYS] = {
    [KEY_NUM_LAYERS] = WHOLE("num_layers", 1, LAYERS, num_layers),
    [KEY_MTP_DEPTH] = WHOLE("mtp_depth", 0, MTP_DEPTH, mtp_depth),
    [KEY_HIDDEN] = WHOLE("hidden_size", 1, WIDTH, hidden),
    [KEY_HEADS] = WHOLE("num_attention_heads", 1, HEADS, heads),
    [KEY_QUERY_GROUPS] = WHOLE("num_query_groups", 1, HEADS, query_groups),
    [KEY_GROUPED] = {"group_query_attention", DOCFIELD_FLAG, 0, 1, IN_RECORD(grouped)},
    [KEY_HEAD_DIM] = WHOLE("head_dim", 1, HEADS, head_dim),
    [KEY_FFN] = WHOLE("ffn_hidden_size", 1, WIDTH, ffn),
    [KEY_GATED] = FLAG("gated_ffn", gated),
    [KEY_FFN_MULTIPLIER] = {"ffn_dim_multiplier", DOCFIELD_ABOVE, 0, 1024,
                            IN_RECORD(ffn_multiplier)},
    [KEY_MULTIPLE_OF] = {"multiple_of", DOCFIELD_WHOLE, 1, WIDTH, IN_RECORD(multiple_of)},
    [KEY_VOCAB] = WHOLE("vocab_size", 1, TOKENS, vocab),
    [KEY_PADDED_VOCAB] = {"padded_vocab_size", DOCFIELD_WHOLE, 1, TOKENS,
                          IN_RECORD(padded_vocab)},
    [KEY_SEQ_LENGTH] = WHOLE("seq_length", 1, TOKENS, seq_length),
    [KEY_TIED] = FLAG("tie_embeddings", tied),
    [KEY_ATTENTION] = OWN("attention"),
    [KEY_COMPRESSED] = {"multi_latent_attention", DOCFIELD_FLAG, 0, 1, IN_RECORD(compressed)},
    [KEY_Q_RANK] = WHOLE("q_lora_rank", 0, WIDTH, q_rank),
    [KEY_KV_RANK] = WHOLE("kv_lora_rank", 1, WIDTH, kv_rank),
    [KEY_QK_NOPE] = WHOLE("qk_nope_head_dim", 0, HEADS, qk_nope),
    [KEY_QK_ROPE] = WHOLE("qk_rope_head_dim", 0, HEADS, qk_rope),
    [KEY_V_DIM] = WHOLE("v_head_dim", 1, HEADS, v_dim),
    [KEY_EXPERTS] = WHOLE("num_experts", 0, EXPERTS, experts),
    [KEY_TOPK] = WHOLE("topk", 1, EXPERTS, topk),
    [KEY_ZERO_EXPERTS] = WHOLE("zero_experts", 0, EXPERTS, zero_experts),
    [KEY_MOE_LATENT] = WHOLE("moe_latent_size", 0, WIDTH, moe_latent),
    [KEY_EXPERT_GROUPS] = WHOLE("expert_groups", 0, EXPERTS, expert_groups),
    [KEY_ROUTED_GROUPS] = WHOLE("routed_groups", 0, EXPERTS, routed_groups),
    [KEY_MOE_FFN] = WHOLE("moe_intermediate_size", 1, WIDTH, moe_ffn),
    [KEY_SHARED_FFN] = WHOLE("shared_expert_intermediate_size", 0, WIDTH, shared_ffn),
    [KEY_SHARED_EXPERTS] = {"n_shared_experts", DOCFIELD_WHOLE, 0, EXPERTS,
                            IN_RECORD(shared_experts)},
    [KEY_SHARED_GATE] = FLAG("shared_gate", shared_gate),
    [KEY_DENSE_LAYERS] = WHOLE("first_k_dense_replace", 0, LAYERS, dense_layers),
    [KEY_ROUTER_BIAS] = FLAG("router_bias", router_bias),
    [KEY_ROUTER_SCALE] = FLAG("router_scale", router_scale),
    [KEY_QK_NORM] = FLAG("qk_norm", qk_norm),
    [KEY_QK_NORM_FULL] = FLAG("qk_norm_full", qk_norm_full),
    [KEY_ATTENTION_BIAS] = FLAG("attention_bias", attention_bias),
    [KEY_OUTPUT_BIAS] = FLAG("output_bias", output_bias),
    [KEY_FFN_BIAS] = FLAG("ffn_bias", ffn_bias),
    [KEY_LINEAR_BIAS] = FLAG("linear_bias", linear_bias),
    [KEY_HEAD_BIAS] = FLAG("head_bias", head_bias),
    [KEY_SINKS] = FLAG("attention_sinks", attention_sinks),
    [KEY_NORM] = OWN("norm"),
    [KEY_LAYER_NORMS] = WHOLE("layer_norms", 0, LAYER_NORMS, layer_norms),
    [KEY_EMBEDDING_NORM] = FLAG("embedding_norm", embedding_norm),
    [KEY_LEARNED] = OWN("learned_positions"),
    [KEY_WINDOW] = WHOLE("attention_window", 0, TOKENS, window),
    [KEY_CHUNKED] = FLAG("attention_chunks", chunked),
    [KEY_ATTENTION_GATE] = FLAG("attention_gate", attention_gate),
    [KEY_HEAD_GATE] = FLAG("head_gate", head_gate),
    [KEY_INDEX_HEADS] = WHOLE("index_n_heads", 0, HEADS, index_heads),
    [KEY_INDEX_DIM] = WHOLE("index_head_dim", 0, HEADS, index_dim),
    [KEY_INDEX_TOPK] = WHOLE("index_topk", 0, TOKENS, index_topk),
    [KEY_SCAN_HEADS] = WHOLE("scan_heads", 0, WIDTH, scan.heads),
    [KEY_SCAN_HEAD_DIM] = WHOLE("scan_head_dim", 0, HEADS, scan.head_dim),
    [KEY_SCAN_GROUPS] = WHOLE("scan_groups", 0, HEADS, scan.groups),
    [KEY_SCAN_STATE] = WHOLE("scan_state", 0, HEADS, scan.state),
    [KEY_SCAN_CONV] = WHOLE("scan_conv", 0, 64, scan.conv),
    [KEY_SCAN_RANK] = WHOLE("scan_rank", 0, HEADS, scan.rank),
    [KEY_SCAN_BIAS] = FLAG("scan_bias", scan.bias),
    [KEY_SCAN_CONV_BIAS] = FLAG("scan_conv_bias", scan.conv_bias),
    [KEY_SCAN_NORMS] = FLAG("scan_norms", scan.norms),
    [KEY_SCAN_PLAIN] = FLAG("scan_plain", scan.plain),
    [KEY_IMAGE_TOWER] = WHOLE("image_tower_parameters", 0, 1e15, image_tower),
    [KEY_AUDIO_TOWER] = WHOLE("audio_tower_parameters", 0, 1e15, audio_tower),
    [KEY_LAYER_KINDS] = OWN("layer_kinds"),
    [KEY_LAYER_PATTERN] = OWN("layer_pattern"),
    [KEY_MAX_POSITIONS] = {"max_position_embeddings", DOCFIELD_WHOLE, 1, TOKENS,
                           IN_RECORD(max_positions)},
    [KEY_NAME] = OWN("name"),
};

// ---- our own documents ----------------------------------------------------------------------

static const struct docalias own_aliases[] = {
    {"n_layers", "num_layers"},
    {"num_hidden_layers", "num_layers"},
    {"L", "num_layers"},
    {"mtp_num_layers", "mtp_depth"},
    {"num_nextn_predict_layers", "mtp_depth"},
    {"dim", "hidden_size"},
    {"h", "hidden_size"},
    {"n_heads", "num_attention_heads"},
    {"num_heads", "num_attention_heads"},
    {"A", "num_attention_heads"},
    {"n_kv_heads", "num_query_groups"},
    {"num_key_value_heads", "num_query_groups"},
    {"G", "num_query_groups"},
    {"kv_channels", "head_dim"},
    {"d", "head_dim"},
    {"intermediate_size", "ffn_hidden_size"},
    {"inter_dim", "ffn_hidden_size"},
    {"f", "ffn_hidden_size"},
    {"swiglu", "gated_ffn"},
    {"gated", "gated_ffn"},
    {"V", "vocab_size"},
    {"s", "seq_length"},
    {"tie_word_embeddings", "tie_embeddings"},
    {"tied", "tie_embeddings"},
    {"rq", "q_lora_rank"},
    {"rkv", "kv_lora_rank"},
    {"qk_head_dim", "qk_nope_head_dim"},
    {"dn", "qk_nope_head_dim"},
    {"qk_pos_emb_head_dim", "qk_rope_head_dim"},
    {"dr", "qk_rope_head_dim"},
    {"dv", "v_head_dim"},
    {"expert_num", "num_experts"},
    {"n_routed_experts", "num_experts"},
    {"num_local_experts", "num_experts"},
    {"E", "num_experts"},
    {"num_experts_chosen", "topk"},
    {"moe_router_topk", "topk"},
    {"moe_router_num_groups", "expert_groups"},
    {"moe_router_group_topk", "routed_groups"},
    {"num_experts_per_tok", "topk"},
    {"n_group", "expert_groups"},
    {"topk_group", "routed_groups"},
    {"n_activated_experts", "topk"},
    {"k", "topk"},
    {"moe_ffn_hidden_size", "moe_intermediate_size"},
    {"moe_inter_dim", "moe_intermediate_size"},
    {"m", "moe_intermediate_size"},
    {"moe_shared_expert_intermediate_size", "shared_expert_intermediate_size"},
    {"msh", "shared_expert_intermediate_size"},
    {"num_shared_experts", "n_shared_experts"},
    {"n_dense_layers", "first_k_dense_replace"},
    {"kd", "first_k_dense_replace"},
    {"qk_layernorm", "qk_norm"},
    {"add_qkv_bias", "attention_bias"},
    {"add_bias_linear", "linear_bias"},
    {"normalization", "norm"},
    {"n_positions", "max_position_embeddings"},
};

const struct docfields modelkeys_own = {
    "a model", fields, N_MODEL_KEYS, own_aliases, COUNT_OF(own_aliases),
};
