// SPDX-License-Identifier: Apache-2.0
// How the tables of types are written: keys that several tables read, and what stands for the fields
// of a row. Private to the tables.
#pragma once

#include "kernels/common/types/model_types.h"

struct modeltype_table {
    const struct modeltype *rows;
    int n;
};

extern const struct modeltype_table modeltype_dense, modeltype_experts, modeltype_mixers;

extern const struct modeltype_key modeltype_modern[];
extern const struct modeltype_key modeltype_window[];
extern const struct modeltype_key modeltype_windows[];
extern const struct modeltype_key modeltype_late_windows[];
extern const struct modeltype_key modeltype_bias_of_qkv[];
extern const struct modeltype_key modeltype_bias_of_attention[];
extern const struct modeltype_key modeltype_bias_of_mlp[];
extern const struct modeltype_key modeltype_bias_of_all[];
extern const struct modeltype_key modeltype_routed[];
extern const struct modeltype_key modeltype_qwen_experts[];
extern const struct modeltype_key modeltype_deepseek_experts[];
extern const struct modeltype_key modeltype_latent[];
extern const struct modeltype_key modeltype_granite_shared_keys[];
extern const struct modeltype_key modeltype_hunyuan_keys[];

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
