// SPDX-License-Identifier: Apache-2.0
// Counts parameters exactly, matrix by matrix. The shapes follow the published model code: for
// attention over groups of queries Ainslie et al. 2023 (GQA), for compressed keys and values
// DeepSeek-AI 2024 (DeepSeek-V2, section 2.1), for multi-token prediction DeepSeek-AI 2024
// (DeepSeek-V3, section 2.2).
#include "kernels/common/description/model.h"

// A linear layer from `in` to `out` values.
static int64_t linear(int64_t in, int64_t out, bool bias)
{
    return in * out + (bias ? out : 0);
}

static int64_t norm_of(const struct modeldesc *m)
{
    switch (m->norm) {
    case MODELDESC_LAYER:
        return 2 * m->hidden;
    case MODELDESC_FIXED:
        return 0;
    case MODELDESC_RMS:
    case MODELDESC_LAYER_NO_BIAS:
        break;
    }
    return m->hidden;
}

static int64_t grouped_attention(const struct modeldesc *m)
{
    const int64_t heads = m->heads * m->head_dim, groups = m->query_groups * m->head_dim;
    const bool bias = m->attention_bias || m->linear_bias;
    return linear(m->hidden, heads, bias) + 2 * linear(m->hidden, groups, bias) +
           linear(heads, m->hidden, m->output_bias || m->linear_bias);
}

// Compressed values pass an RMS norm before they are expanded, also if the other norms differ.
static int64_t latent_attention(const struct modeldesc *m)
{
    const bool bias = m->attention_bias || m->linear_bias;
    const int64_t queries = m->heads * (m->qk_nope + m->qk_rope);
    const int64_t query = m->q_rank > 0 ? linear(m->hidden, m->q_rank, bias) + m->q_rank +
                                              linear(m->q_rank, queries, m->linear_bias)
                                        : linear(m->hidden, queries, m->linear_bias);
    return query + linear(m->hidden, m->kv_rank + m->qk_rope, bias) + m->kv_rank +
           linear(m->kv_rank, m->heads * (m->qk_nope + m->v_dim), m->linear_bias) +
           linear(m->heads * m->v_dim, m->hidden, m->output_bias || m->linear_bias);
}

static int64_t attention_of(const struct modeldesc *m)
{
    const int64_t part =
        m->attention == MODELDESC_MLA ? latent_attention(m) : grouped_attention(m);
    const int64_t normed = m->qk_norm_full ? m->heads + m->query_groups : 2;
    return part + (m->qk_norm ? normed * m->head_dim : 0) + (m->attention_sinks ? m->heads : 0);
}

// A feed-forward network of this width; width 0: no network.
static int64_t network(const struct modeldesc *m, int64_t width)
{
    if (width == 0)
        return 0;
    const bool bias = m->ffn_bias || m->linear_bias;
    return (m->gated ? 2 : 1) * linear(m->hidden, width, bias) + linear(width, m->hidden, bias);
}

static void count_moe(const struct modeldesc *m, struct modeldesc_counts *c)
{
    c->router = m->hidden * m->experts + (m->router_bias ? m->experts : 0) +
                (m->shared_gate ? m->hidden : 0);
    c->shared = network(m, m->shared_ffn);
    c->routed = m->experts * network(m, m->moe_ffn);
    c->moe_layer = c->attention + c->norms + c->router + c->shared + c->routed;
}

// One layer, two norms before the joint projection of both inputs, and the final norm.
static int64_t mtp_of(const struct modeldesc *m, const struct modeldesc_counts *c)
{
    if (m->experts == 0 && m->mtp_depth == 0)
        return 0;
    return (m->experts > 0 ? c->moe_layer : c->dense_layer) + 2 * m->hidden * m->hidden +
           3 * norm_of(m);
}

int64_t modeldesc_layers(const struct modeldesc *model)
{
    return model->num_layers + model->mtp_depth;
}

void modeldesc_count(const struct modeldesc *model, struct modeldesc_counts *counts)
{
    const struct modeldesc *m = model;
    const int64_t moe_layers = m->experts > 0 ? m->num_layers - m->dense_layers : 0;
    struct modeldesc_counts c = {.attention = attention_of(m),
                                 .norms = m->layer_norms * norm_of(m)};
    c.dense_layer = c.attention + c.norms + network(m, m->ffn);
    if (m->experts > 0)
        count_moe(m, &c);
    c.embedding = (m->vocab + m->positions) * m->hidden + (m->embedding_norm ? norm_of(m) : 0);
    c.head = (m->tied ? 0 : m->vocab * m->hidden) + (m->head_bias ? m->vocab : 0);
    c.final_norm = norm_of(m);
    c.mtp_module = mtp_of(m, &c);
    c.total = (m->num_layers - moe_layers) * c.dense_layer + moe_layers * c.moe_layer +
              c.embedding + c.head + c.final_norm;
    c.active = c.total - moe_layers * (m->experts - m->topk) * network(m, m->moe_ffn);
    *counts = c;
}
