// SPDX-License-Identifier: Apache-2.0
// Implements the published formulas, part by part.
#include "planner/nd/strategies/published_memory.h"

#include "base/math/units.h"

#include <math.h>

void nd_origmem_init(struct nd_origmem *o, const struct modeldesc *model,
                     bool distributed_optimizer)
{
    const int64_t shared_default = model->experts > 0 ? model->moe_ffn : 0;
    o->model = model;
    o->layers = model->num_layers;
    o->dense_layers = model->dense_given >= 0 ? model->dense_given : 0;
    o->shared_ffn = model->shared_given >= 0 ? model->shared_given : shared_default;
    o->distributed_optimizer = distributed_optimizer;
}

// ---- parameters of one layer --------------------------------------------------------------------

static double attention(const struct modeldesc *m)
{
    const double h = (double)m->hidden, heads = (double)m->heads;
    if (m->attention == MODELDESC_GQA)
        return 2 * h * (double)m->head_dim * (heads + (double)m->query_groups);
    const double qk = (double)(m->qk_nope + m->qk_rope), v = (double)m->v_dim;
    const double r = (double)m->q_rank, c = (double)m->kv_rank;
    const double queries = r > 0 ? r * (h + heads * qk + 1) : h * heads * qk;
    return queries + c * (h + heads * ((double)m->qk_nope + v) + 1) + h * (double)m->qk_rope +
           heads * v * h;
}

static double gate(const struct modeldesc *m)
{
    return m->gated ? 1.5 : 1;
}

// A feed-forward network of that width, with the norms of its layer.
static double network(const struct modeldesc *m, int64_t width)
{
    return 2 * (double)m->hidden * ((double)width * gate(m) + 2);
}

static double routed(const struct modeldesc *m, int32_t ep)
{
    return 2 * (double)m->hidden * (double)m->moe_ffn * (double)m->experts * gate(m) / ep;
}

// ---- bytes --------------------------------------------------------------------------------------

static int32_t shards(const struct nd_strategy *s)
{
    return s->op == -1 ? s->dp : s->op;
}

static double bytes_each(const struct nd_origmem *o, const struct nd_strategy *s)
{
    return o->distributed_optimizer ? 6 + 12.0 / shards(s) : 18;
}

static double bytes_each_routed(const struct nd_origmem *o, const struct nd_strategy *s)
{
    if (!o->distributed_optimizer || shards(s) < s->ep)
        return 18;
    return 6 + 12.0 * s->ep / shards(s);
}

void nd_origmem_layers(const struct nd_origmem *o, const struct nd_strategy *s,
                       struct nd_origmem_layers *layers)
{
    const struct modeldesc *m = o->model;
    const double of_attention = attention(m), bytes = bytes_each(o, s);
    const double vocab = (double)m->hidden * (double)m->vocab / s->tp * bytes;
    const double dense = (network(m, m->ffn) + of_attention) * bytes;
    double moe = (of_attention + network(m, o->shared_ffn)) * bytes;
    if (m->experts > 0)
        moe += routed(m, s->ep) * bytes_each_routed(o, s);
    layers->dense_mb = units_to_mib(dense / s->tp);
    layers->moe_mb = units_to_mib(moe / s->tp);
    layers->vocab_mb =
        units_to_mib(s->pp == 1 ? 2 * vocab + 2 * (double)m->hidden / s->tp : vocab);
}

double nd_origmem_estimate(const struct nd_origmem *o, const struct nd_strategy *s)
{
    struct nd_origmem_layers mb;
    nd_origmem_layers(o, s, &mb);
    const int64_t even = o->layers / s->pp, dense = o->dense_layers;
    if (s->pp == 1)
        return 2 * mb.vocab_mb + (double)(o->layers - dense) * mb.moe_mb +
               (double)dense * mb.dense_mb;
    const double last = mb.moe_mb * (double)((o->layers + 2 + s->pp - 1) / s->pp);
    const double first = dense > even ? mb.vocab_mb + (double)even * mb.dense_mb
                                      : mb.vocab_mb + (double)dense * mb.dense_mb +
                                            (double)(even - dense) * mb.moe_mb;
    return fmax(first, last);
}
