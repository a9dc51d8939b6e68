// SPDX-License-Identifier: Apache-2.0
// Computes the attention block of a layer: its matrices, its kernel, and the exchange of keys and values.
#include "kernels/common/pipeline/layer_cost_private.h"

#include "kernels/common/pipeline/collectives.h"

#include <math.h>

// A norm, the positions of queries and keys, and the sum of the residual stream.
#define ATTENTION_KERNELS 4

// Width of queries, keys, values and the gate of the output.
static double qkv_width(const struct modeldesc *d)
{
    const int64_t heads = d->attention_gate ? 2 * d->heads : d->heads;
    const int64_t values = d->keys_as_values ? 0 : d->query_groups * modeldesc_value_dim(d);
    return (double)((heads + d->query_groups) * d->head_dim + values +
                    (d->head_gate ? d->heads : 0));
}

static double grouped_projections(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    double qkv = qkv_width(d) / s->t;
    return layer_product(s, s->tokens, qkv, s->h) +
           layer_product(s, s->tokens, s->h, s->heads * s->dv);
}

static double compressed_projections(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    double r = (double)d->q_rank, c = (double)d->kv_rank;
    double down = c + (double)d->qk_rope, up = s->heads * ((double)d->qk_nope + s->dv);
    double queries = layer_product(s, s->tokens, r, s->h) +
                     layer_product(s, s->tokens, s->heads * s->dq, r > 0 ? r : s->h);
    return queries + layer_product(s, s->tokens, down, s->h) +
           layer_product(s, s->tokens, up, c) +
           layer_product(s, s->tokens, s->h, s->heads * s->dv);
}

// Keys and values that cp ranks exchange, in numbers per token.
static double exchanged(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    return d->attention == MODELDESC_MLA ? (double)(d->kv_rank + d->qk_rope)
                                         : (double)(d->query_groups * d->head_dim) / s->t;
}

// Numbers per token: the gate and the output that it scales.
static double gate(const struct layer_setting *s)
{
    return (s->d->attention_gate ? 2 * s->heads * s->dq : 0) +
           (s->d->head_gate ? s->heads * (1 + s->dv) : 0);
}

static double made_of_groups(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    const double keys = (double)d->query_groups / s->t;
    if (d->attention_gate || d->head_gate || d->keys_as_values || s->dv != s->dq)
        return qkv_width(d) / s->t;
    return s->dq * (s->heads + 2 * keys);
}

static double attention_bytes(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    double per_token;
    if (d->attention == MODELDESC_MLA)
        per_token = (double)(d->q_rank + d->kv_rank + d->qk_rope) / s->u +
                    s->heads * (2 * s->dq + 2 * s->dv);
    else
        per_token = (s->dq + s->dv) * (s->heads + (double)d->query_groups / s->t) + gate(s);
    return ELEMENT * s->tokens * per_token + INDEX * s->tokens * s->heads;
}

// Inputs and outputs of the matrices, in numbers per token: the gradients of the weights need the
// inputs and the gradients of the outputs.
static double attention_ends(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    const double block = 2 * s->h / s->u + s->heads * s->dv; // into the block, out of it
    if (d->attention == MODELDESC_GQA)
        return block + made_of_groups(s);
    const double r = (double)d->q_rank, c = (double)d->kv_rank;
    return block + 2 * r + s->heads * s->dq + 2 * c + (double)d->qk_rope +
           s->heads * ((double)d->qk_nope + s->dv);
}

static double attention_made(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    if (d->attention == MODELDESC_GQA)
        return made_of_groups(s) + s->h / s->u;
    return (double)(d->q_rank + d->kv_rank + d->qk_rope) + s->heads * s->dq +
           s->heads * ((double)d->qk_nope + s->dv) + s->h / s->u;
}

// Matrices of the indexer, per device: they are split over tensor ranks here.
static double index_width(const struct modeldesc *d)
{
    return (double)(d->index_heads * d->index_dim);
}

// What the indexer adds: its matrices, and the product of all queries and keys before a token (DeepSeek-AI,
// "DeepSeek-V3.2", 2025, section 2.1). It stores queries, keys, weights and what it chose.
static void add_indexer(struct layer_setting *s, double rate)
{
    const struct modeldesc *d = s->d;
    if (d->index_heads == 0)
        return;
    const double queries = index_width(d) / s->t, from = (double)d->q_rank;
    const double small = (double)(d->index_dim + d->index_heads) / s->t;
    s->attention.gemm += layer_product(s, s->tokens, queries, from > 0 ? from : s->h) +
                         layer_product(s, s->tokens, small, s->h);
    s->attention.attention +=
        2 * s->tokens * s->seq * queries * modeldesc_seen_of(0, false, s->seq) / rate;
    s->attention_made += queries + small;
    s->attention_ends += queries + small;
    s->attention_kept += ELEMENT * s->tokens * (queries + small) +
                         INDEX * s->tokens * fmin((double)d->index_topk, s->seq);
}

static double attention_matrices(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    double out = s->heads * s->dv * s->h;
    if (d->attention == MODELDESC_GQA)
        return qkv_width(d) / s->t * s->h + out;
    double r = (double)d->q_rank, c = (double)d->kv_rank;
    double query = s->h * r + s->heads * s->dq * (r > 0 ? r : s->h);
    double keys = s->h * (c + (double)d->qk_rope) + s->heads * ((double)d->qk_nope + s->dv) * c;
    const double indexer =
        index_width(d) / s->t * (r > 0 ? r : s->h) +
        (double)(d->index_heads > 0 ? d->index_dim + d->index_heads : 0) / s->t * s->h;
    return out + query + keys + indexer;
}

// The setting of attention beside another mixer.
static struct layer_setting beside_of(const struct layer_setting *s)
{
    struct layer_setting a = *s;
    a.heads = (double)s->d->heads / s->t;
    a.dq = (double)s->d->head_dim;
    a.dv = (double)modeldesc_value_dim(s->d);
    return a;
}

double layer_projections(const struct layer_setting *s)
{
    if (s->d->mixer == MODELDESC_ATTENTION)
        return attention_matrices(s);
    if (!s->d->attention_beside)
        return layer_scan_matrices(s);
    const struct layer_setting a = beside_of(s);
    return layer_scan_matrices(s) + attention_matrices(&a);
}

double layer_residual_traffic(const struct layer_setting *s)
{
    const double passes = 4 * s->blocks + 4 * (double)s->d->layer_norms;
    return s->stack->stream * passes * s->tokens * s->h / s->u;
}

// Bytes that write and read scores forward: of the product 4, of scale, mask and softmax 4 in one kernel, of dropout 5 with
// its mask. Separate kernels and their fp32 copies take 16 in all. A fused kernel shows in what the stack holds of a score.
double layer_score_traffic(const struct layer_setting *s)
{
    enum { FUSED_BELOW = 10 };
    const bool fused = s->stack->scores > 0 && s->stack->scores < FUSED_BELOW;
    return s->m->flash ? 0 : (!fused ? 16 : s->m->dropout ? 13 : 8) * s->scores;
}

void layer_add_attention(struct layer_setting *s, const struct layercost_shape *shape)
{
    const struct hardware *hw = s->hw;
    bool mla = s->d->attention == MODELDESC_MLA;
    // A flash kernel skips what the mask hides.
    const double seen = s->m->flash ? modeldesc_seen(s->d, s->seq) : 1;
    s->attention.gemm = mla ? compressed_projections(s) : grouped_projections(s);
    // Zigzag slices: each context rank has two, one of the front and one of the back.
    const double slice = s->cp > 1 ? s->seq / (2 * s->cp) : s->seq;
    const double rate =
        hardware_attention_rate(hw, slice, s->stack->attention_half, (s->dq + s->dv) / 2);
    s->attention.attention = 2 * s->tokens * s->seq * s->heads * (s->dq + s->dv) * seen / rate;
    const double bytes = layer_residual_traffic(s) +
                         4 * s->tokens * s->heads * (s->dq + s->dv) + layer_score_traffic(s);
    s->attention.memory = hardware_stream(hw, bytes) + hardware_kernels(hw, ATTENTION_KERNELS);
    s->gathers = 2;
    s->gather = hardware_gather(hw, shape->tp, 1, ELEMENT * s->tokens * s->h);
    const double context = s->cp * 4 * s->tokens * exchanged(s);
    s->cp_gather = hardware_gather(hw, shape->cp, shape->tp, context);
    s->context_bytes = shape->cp > 1 ? context : 0;
    s->attention_kept = attention_bytes(s);
    s->attention_ends = attention_ends(s);
    s->attention_made = attention_made(s);
    add_indexer(s, rate);
    const struct layer_rows rows = {.n = s->tokens, .ranks = s->t, .times = 1};
    layer_add_adapters(s, ~(unsigned)TRAINING_LINEAR_NETWORK, &rows, &s->adapters);
}

// Both mixers read one input, which is gathered once, and one sum of their outputs is exchanged.
void layer_add_beside(struct layer_setting *s, const struct layercost_shape *shape)
{
    struct layer_setting a = beside_of(s);
    const double ends = 2 * s->h / s->u, heads = s->heads + a.heads;
    a.scores = a.heads * (double)shape->mbs * s->seq * s->seq / s->cp;
    layer_add_attention(&a, shape);
    s->attention.gemm += a.attention.gemm;
    s->attention.attention += a.attention.attention;
    s->attention.memory +=
        a.attention.memory - hardware_stream(s->hw, layer_residual_traffic(s));
    s->scores = a.scores;
    s->cp_gather += a.cp_gather;
    s->context_bytes = a.context_bytes;
    s->attention_kept += a.attention_kept;
    s->attention_made += a.attention_made - 0.5 * ends;
    s->attention_ends += a.attention_ends - ends;
    s->dv = (s->heads * s->dv + a.heads * a.dv) / heads;
    s->heads = heads;
}

// Products that expand compressed queries, keys and values.
double layer_up_products(const struct layer_setting *s)
{
    const struct modeldesc *d = s->d;
    const double r = (double)d->q_rank;
    if (d->attention != MODELDESC_MLA || d->mixer != MODELDESC_ATTENTION)
        return 0;
    const double up = s->heads * ((double)d->qk_nope + s->dv);
    return (r > 0 ? layer_product(s, s->tokens, s->heads * s->dq, r) : 0) +
           layer_product(s, s->tokens, up, (double)d->kv_rank);
}
