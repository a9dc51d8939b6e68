// SPDX-License-Identifier: Apache-2.0
// Implements the filters. Published rules come from the search tool described in search.md;
// legality rules are enforced by tensor-parallel frameworks.
#include "planner/nd/strategies/filters.h"

#include <math.h>

// Optimizer shards of a point: -1 stands for dp, except as published.
static int64_t shards(const struct nd_space *s, const struct nd_strategy *p)
{
    return p->op == -1 && !s->orig ? p->dp : p->op;
}

// Filters of ep keep all points of models without experts, except as published.
static bool no_experts(const struct nd_space *s)
{
    return s->experts == 0 && !s->orig;
}

static bool pp_mbs(const struct nd_space *s, const struct nd_strategy *p)
{
    return p->pp <= s->layers && p->pp <= s->gbs / p->dp / p->mbs;
}

static bool gbs_dp(const struct nd_space *s, const struct nd_strategy *p)
{
    return s->gbs % (s->orig ? p->dp : (int64_t)p->dp * p->mbs) == 0;
}

static bool ep_fsdp(const struct nd_space *s, const struct nd_strategy *p)
{
    const int64_t width = (int64_t)p->cp * p->tp;
    if (no_experts(s))
        return true;
    return p->ep % width == 0 && shards(s, p) * width % p->ep == 0;
}

// Replicas of an expert may be a fraction as published: op must be a multiple of that fraction.
static bool ep_graph(const struct nd_space *s, const struct nd_strategy *p)
{
    const int64_t within = (int64_t)p->dp * p->tp;
    if (no_experts(s))
        return true;
    if (s->orig)
        return fmod(p->op, (double)within / p->ep) == 0;
    return shards(s, p) * p->ep % within == 0;
}

static bool ep_megatron(const struct nd_space *s, const struct nd_strategy *p)
{
    return no_experts(s) || (int64_t)p->dp * p->cp % p->ep == 0;
}

// ---- rules of legality --------------------------------------------------------------------------

static bool experts_rule(const struct nd_space *s, const struct nd_strategy *p)
{
    return p->ep == 1 || (p->ep <= s->experts && s->experts % p->ep == 0);
}

// Heads of the model, of its scans and of its kinds of layers.
static bool heads_rule(const struct nd_space *s, const struct nd_strategy *p)
{
    const struct modeldesc *m = &s->model;
    bool divides = m->heads % p->tp == 0 && m->scan.heads % p->tp == 0;
    for (int k = 0; k < m->n_kinds; k++)
        divides = divides && m->kinds[k].heads % p->tp == 0;
    return divides;
}

static bool groups_divide(int64_t groups, int32_t tp)
{
    return groups == 0 || groups % tp == 0 || tp % groups == 0;
}

// Compressed keys and values are not split by heads.
static bool groups_rule(const struct nd_space *s, const struct nd_strategy *p)
{
    const struct modeldesc *m = &s->model;
    bool divides = m->attention == MODELDESC_MLA || groups_divide(m->query_groups, p->tp);
    for (int k = 0; k < m->n_kinds; k++)
        divides = divides && groups_divide(m->kinds[k].query_groups, p->tp);
    return divides;
}

static bool ffn_rule(const struct nd_space *s, const struct nd_strategy *p)
{
    const struct modeldesc *m = &s->model;
    const bool dense = m->dense_layers > 0 || m->experts == 0;
    if (dense && m->ffn % p->tp != 0)
        return false;
    for (int k = 0; k < m->n_kinds; k++)
        if (m->kinds[k].ffn % p->tp != 0)
            return false;
    if (m->experts == 0)
        return true;
    return m->shared_ffn % p->tp == 0 &&
           (!s->expert_tensor_parallel || m->moe_ffn % p->tp == 0);
}

static bool seq_sp_rule(const struct nd_space *s, const struct nd_strategy *p)
{
    return !p->sp || s->model.seq_length / p->cp % p->tp == 0;
}

static bool op_rule(const struct nd_strategy *p)
{
    return p->op == -1 || (int64_t)p->dp * p->cp % p->op == 0;
}

static bool vp_rule(const struct nd_space *s, const struct nd_strategy *p)
{
    return p->vp <= 1 || s->layers % ((int64_t)p->pp * p->vp) == 0;
}

static bool m_pp_rule(const struct nd_space *s, const struct nd_strategy *p)
{
    return p->vp <= 1 || s->gbs / p->mbs / p->dp % p->pp == 0;
}

// ---- all ----------------------------------------------------------------------------------------

static bool rule_keeps(enum nd_filter rule, const struct nd_space *s,
                       const struct nd_strategy *p)
{
    const bool shaped = s->model.heads > 0;
    switch ((int)rule) {
    case ND_RULE_EXPERTS:
        return experts_rule(s, p);
    case ND_RULE_HEADS:
        return !shaped || heads_rule(s, p);
    case ND_RULE_GROUPS:
        return !shaped || groups_rule(s, p);
    case ND_RULE_VOCAB:
        return !shaped || s->model.vocab % p->tp == 0;
    case ND_RULE_FFN:
        return !shaped || ffn_rule(s, p);
    case ND_RULE_SEQ:
        return !shaped || s->model.seq_length % p->cp == 0;
    case ND_RULE_SEQ_SP:
        return !shaped || seq_sp_rule(s, p);
    case ND_RULE_OP:
        return op_rule(p);
    case ND_RULE_VP:
        return vp_rule(s, p);
    default:
        return m_pp_rule(s, p);
    }
}

bool nd_filter_keeps(enum nd_filter filter, const struct nd_filters *f,
                     const struct nd_space *s, const struct nd_strategy *p)
{
    switch ((int)filter) {
    case ND_CP_ONE:
        return p->cp == 1;
    case ND_TP_MAX:
        return p->tp <= f->tp_max;
    case ND_TP_NODE:
        return p->tp <= s->node_devices;
    case ND_EP_LIMIT:
        return p->ep <= f->ep_max;
    case ND_SP_LARGE:
        return s->devices < f->large || p->sp || (f->large_tp_one && p->tp == 1);
    case ND_PP_MBS:
        return pp_mbs(s, p);
    case ND_GBS_DP:
        return gbs_dp(s, p);
    case ND_PP_GT1:
        return p->pp > 1;
    case ND_PP_MAX:
        return p->pp <= f->pp_max;
    case ND_VP_MAX:
        return p->vp <= f->vp_max;
    case ND_TP_NO3:
        return p->tp % 3 != 0;
    case ND_TP_56:
        return f->tp_divides % p->tp == 0;
    case ND_EP_FSDP:
        return ep_fsdp(s, p);
    case ND_EP_GRAPH:
        return ep_graph(s, p);
    case ND_EP_MEGATRON:
        return ep_megatron(s, p);
    default:
        return rule_keeps(filter, s, p);
    }
}
