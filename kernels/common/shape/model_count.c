// SPDX-License-Identifier: Apache-2.0
// Counts parameters exactly, matrix by matrix. The shapes follow the published model code: for
// attention over groups of queries Ainslie et al. 2023 (GQA), for compressed keys and values
// DeepSeek-AI 2024 (DeepSeek-V2, section 2.1), for multi-token prediction DeepSeek-AI 2024
// (DeepSeek-V3, section 2.2).
#include "kernels/common/shape/model.h"

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

// Values may be narrower than keys, or made of them; a gate is as wide as the queries.
static int64_t grouped_attention(const struct modeldesc *m)
{
    const int64_t heads = m->heads * m->head_dim, groups = m->query_groups * m->head_dim;
    const int64_t v_dim = modeldesc_value_dim(m),
                  queries = m->attention_gate ? 2 * heads : heads;
    const int64_t values = m->keys_as_values ? 0 : m->query_groups * v_dim;
    const bool bias = m->attention_bias || m->linear_bias;
    return linear(m->hidden, queries, bias) + linear(m->hidden, groups, bias) +
           linear(m->hidden, values, bias) + (m->head_gate ? m->hidden * m->heads : 0) +
           linear(m->heads * v_dim, m->hidden, m->output_bias || m->linear_bias);
}

// Queries from compressed ones, one key with a layer norm, and a weight for each head: class Indexer
// beside the weights of DeepSeek-V3.2, GlmMoeDsaIndexer of transformers.
static int64_t indexer(const struct modeldesc *m)
{
    if (m->index_heads == 0)
        return 0;
    return (m->q_rank > 0 ? m->q_rank : m->hidden) * m->index_heads * m->index_dim +
           m->hidden * (m->index_dim + m->index_heads) + 2 * m->index_dim;
}

// Compressed values pass an RMS norm before they are expanded, also if the other norms differ.
static int64_t latent_attention(const struct modeldesc *m)
{
    const bool bias = m->attention_bias || m->linear_bias;
    const int64_t queries = m->heads * (m->qk_nope + m->qk_rope);
    const int64_t query = m->q_rank > 0 ? linear(m->hidden, m->q_rank, bias) + m->q_rank +
                                              linear(m->q_rank, queries, m->linear_bias)
                                        : linear(m->hidden, queries, m->linear_bias);
    return indexer(m) + query + linear(m->hidden, m->kv_rank + m->qk_rope, bias) + m->kv_rank +
           linear(m->kv_rank, m->heads * (m->qk_nope + m->v_dim), m->linear_bias) +
           linear(m->heads * m->v_dim, m->hidden, m->output_bias || m->linear_bias);
}

static int64_t attention_of(const struct modeldesc *m)
{
    const int64_t scan = m->mixer != MODELDESC_ATTENTION ? modeldesc_scan_parameters(m) : 0;
    if (m->mixer != MODELDESC_ATTENTION && !m->attention_beside)
        return scan;
    const int64_t part =
        m->attention == MODELDESC_MLA ? latent_attention(m) : grouped_attention(m);
    const int64_t normed = m->qk_norm_full ? m->heads + m->query_groups : 2;
    return scan + part + (m->qk_norm ? normed * m->head_dim : 0) +
           (m->attention_sinks ? m->heads : 0);
}

// A feed-forward network of this width, of inputs of width `in`; width 0: no network.
static int64_t network_of(const struct modeldesc *m, int64_t in, int64_t width)
{
    if (width == 0)
        return 0;
    const bool bias = m->ffn_bias || m->linear_bias;
    return (m->gated ? 2 : 1) * linear(in, width, bias) + linear(width, in, bias);
}

static int64_t network(const struct modeldesc *m, int64_t width)
{
    return network_of(m, m->hidden, width);
}

static int64_t all_experts(const struct modeldesc *m)
{
    return m->experts * network_of(m, modeldesc_expert_input(m), m->moe_ffn);
}

static void count_moe(const struct modeldesc *m, struct modeldesc_counts *c)
{
    const int64_t choices = m->experts + m->zero_experts;
    c->router = m->hidden * choices + (m->router_bias ? choices : 0) +
                (m->router_scale ? m->hidden + m->experts : 0) +
                (m->shared_gate ? m->hidden : 0) + 2 * m->hidden * m->moe_latent;
    c->shared = network(m, m->shared_ffn);
    c->routed = all_experts(m);
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

// What a token does not multiply: experts that it does not choose, and tables that it looks up.
static int64_t idle_of(const struct modeldesc *m)
{
    const int64_t all = all_experts(m), choices = m->experts + m->zero_experts;
    if (choices == 0)
        return 0;
    return all - m->topk * (all / choices) - m->topk * (all % choices) / choices;
}

static int64_t looked_up(const struct modeldesc *m)
{
    return ((m->tied ? 0 : m->vocab) + m->positions) * m->hidden;
}

// Replaces the sums over layers of one kind each.
static void sum_kinds(const struct modeldesc *model, struct modeldesc_counts *c)
{
    int64_t n[MODELDESC_KINDS], mtp[MODELDESC_KINDS], layers = 0;
    modeldesc_kinds_of(model, 0, model->num_layers, n);
    modeldesc_kinds_of(model, model->num_layers, model->mtp_depth, mtp);
    c->total = c->embedding + c->head + c->final_norm;
    c->active = c->total - looked_up(model);
    for (int k = 0; k < model->n_kinds; k++) {
        struct modeldesc view;
        struct modeldesc_counts of;
        modeldesc_view(model, k, &view);
        modeldesc_count(&view, &of);
        const bool experts = view.experts > 0;
        const int64_t layer = experts ? of.moe_layer : of.dense_layer;
        c->total += n[k] * layer;
        c->active += n[k] * (layer - (experts ? idle_of(&view) : 0));
        layers += mtp[k] * layer;
    }
    if (model->mtp_depth > 0) // modules are alike
        c->mtp_module =
            layers / model->mtp_depth + 2 * model->hidden * model->hidden + 3 * norm_of(model);
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
    c.active = c.total - looked_up(m) - moe_layers * idle_of(m);
    if (m->n_kinds > 0)
        sum_kinds(m, &c);
    *counts = c;
}
