// SPDX-License-Identifier: Apache-2.0
// Explains why a strategy does not survive: one sentence for each filter that rejects the strategy
// and for each value outside the search space.
#include "planner/nd/strategies/filters.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

// The reasons collected for one strategy.
struct reasons {
    const struct nd_filters *filters;
    const struct nd_space *space;
    const struct nd_strategy *point;
    struct nd_reason *list;
    int n;
};

static void say(struct reasons *r, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct reasons *r, const char *name, const char *format, ...)
{
    va_list args;
    struct nd_reason *reason = &r->list[r->n++];
    reason->name = name;
    va_start(args, format);
    vsnprintf(reason->text, sizeof reason->text, format, args);
    va_end(args);
}

// ---- the space ----------------------------------------------------------------------------------

static bool degrees_are_positive(struct reasons *r)
{
    const struct nd_strategy *p = r->point;
    if (p->dp >= 1 && p->tp >= 1 && p->cp >= 1 && p->pp >= 1 && p->ep >= 1 && p->vp >= 1 &&
        p->mbs >= 1 && (p->op >= 1 || p->op == -1))
        return true;
    say(r, "space", "every degree must be at least 1 (op may be -1)");
    return false;
}

static bool fills_devices(struct reasons *r)
{
    const struct nd_strategy *p = r->point;
    const double product = (double)p->dp * p->tp * p->cp * p->pp;
    if (product == r->space->devices)
        return true;
    say(r, "space", "dp %d * tp %d * cp %d * pp %d is %.0f, but the cluster has %d devices",
        p->dp, p->tp, p->cp, p->pp, product, r->space->devices);
    return false;
}

static void check_switch(struct reasons *r, bool varies, const char *degree, int32_t value)
{
    if (!varies && value != 1)
        say(r, "space", "%s is %d, but the search keeps it at 1 (--strategy)", degree, value);
}

static bool holds(const int32_t *values, int n, int32_t value)
{
    for (int k = 0; k < n; k++)
        if (values[k] == value)
            return true;
    return false;
}

static void check_op(struct reasons *r, const struct nd_domains *d, const struct nd_quad *quad)
{
    const struct nd_strategy *p = r->point;
    // The default op is dp * cp. That value is always valid, even if the space does not contain it.
    const bool usual = !r->space->orig && (int64_t)p->dp * p->cp == p->op;
    if (p->op != -1 && !usual && !holds(d->op, d->n_op, p->op))
        say(r, "space", "op %d is not one of the %d degrees searched with dp %d", p->op,
            d->n_op, p->dp);
    else if (d->op_of_ep && !nd_op_follows(quad, p->ep, p->op))
        say(r, "space", "op %d * ep %d is not a multiple of dp %d * tp %d", p->op, p->ep, p->dp,
            p->tp);
}

static void check_domains(struct reasons *r)
{
    const struct nd_strategy *p = r->point;
    const struct nd_quad quad = {p->dp, p->tp, p->cp, p->pp};
    struct nd_domains d;
    nd_domains_of(r->space, &quad, &d);
    if (!holds(d.ep, d.n_ep, p->ep))
        say(r, "space", "ep %d is not one of the degrees searched with %d experts", p->ep,
            r->space->experts);
    check_op(r, &d, &quad);
    if (d.last_vp < d.first_vp && r->space->schedule == TRAINING_VPP)
        say(r, "space",
            "schedule vpp: pp %d allows fewer than two chunks per stage (%d layers)", p->pp,
            r->space->layers);
    else if (d.last_vp < d.first_vp && r->space->schedule == TRAINING_DUALPIPE &&
             p->pp % 2 == 1)
        say(r, "space", "schedule dualpipe needs an even number of stages, not pp %d", p->pp);
    else if (d.last_vp < d.first_vp)
        say(r, "space", "pp %d leaves at most one layer per chunk (%d layers)", p->pp,
            r->space->layers);
    else if (p->vp < d.first_vp || p->vp > d.last_vp)
        say(r, "space", "vp %d is not within %d..%d%s%s%s", p->vp, d.first_vp, d.last_vp,
            r->space->schedule != TRAINING_ANY_SCHEDULE ? " (schedule " : "",
            training_schedule_word(r->space->schedule),
            r->space->schedule != TRAINING_ANY_SCHEDULE ? ")" : "");
    if (!holds(r->space->mbs, r->space->n_mbs, p->mbs))
        say(r, "space", "mbs %d is not one of the micro-batch sizes searched", p->mbs);
    if (p->sp && !d.sp_on)
        say(r, "space", "sequence parallelism needs tp > 1");
}

// Returns false if filters cannot be applied to the strategy.
static bool check_space(struct reasons *r)
{
    const struct nd_switches *vary = &r->space->vary;
    if (!degrees_are_positive(r))
        return false;
    if (!fills_devices(r))
        return true;
    check_switch(r, vary->dp, "dp", r->point->dp);
    check_switch(r, vary->tp, "tp", r->point->tp);
    check_switch(r, vary->cp, "cp", r->point->cp);
    check_switch(r, vary->pp, "pp", r->point->pp);
    check_domains(r);
    return true;
}

// ---- filters ------------------------------------------------------------------------------------

static int64_t micro_batches(const struct reasons *r)
{
    return r->space->gbs / r->point->dp / r->point->mbs;
}

static void explain_batch(struct reasons *r, enum nd_filter filter, const char *name)
{
    const struct nd_strategy *p = r->point;
    const struct nd_space *s = r->space;
    if (filter == ND_PP_MBS && p->pp > s->layers)
        say(r, name, "pp %d is above the %d layers", p->pp, s->layers);
    else if (filter == ND_PP_MBS)
        say(r, name,
            "pp %d is above the %" PRId64 " micro-batches of gbs %" PRId64
            " with dp %d and mbs %d",
            p->pp, micro_batches(r), s->gbs, p->dp, p->mbs);
    else if (s->orig)
        say(r, name, "gbs %" PRId64 " is not a multiple of dp %d", s->gbs, p->dp);
    else
        say(r, name, "gbs %" PRId64 " is not a multiple of dp %d * mbs %d", s->gbs, p->dp,
            p->mbs);
}

static void explain_experts(struct reasons *r, enum nd_filter filter, const char *name)
{
    const struct nd_strategy *p = r->point;
    const int32_t op = p->op == -1 && !r->space->orig ? p->dp : p->op;
    if (filter == ND_EP_GRAPH)
        say(r, name, "op %d is not a multiple of dp %d * tp %d / ep %d (replicas of an expert)",
            op, p->dp, p->tp, p->ep);
    else if (filter == ND_EP_MEGATRON)
        say(r, name, "ep %d does not divide dp %d * cp %d", p->ep, p->dp, p->cp);
    else if (p->ep % ((int64_t)p->cp * p->tp) != 0)
        say(r, name, "ep %d is not a multiple of cp %d * tp %d", p->ep, p->cp, p->tp);
    else
        say(r, name, "ep %d does not divide op %d * cp %d * tp %d", p->ep, op, p->cp, p->tp);
}

static void explain_width(struct reasons *r, const char *name)
{
    const struct modeldesc *m = &r->space->model;
    say(r, name, "tp %d does not divide the widths ffn %" PRId64 ", shared %" PRId64 "%s",
        r->point->tp, m->ffn, m->shared_ffn,
        r->space->expert_tensor_parallel ? " and experts" : "");
}

static void explain_rule(struct reasons *r, enum nd_filter rule, const char *name)
{
    const struct nd_strategy *p = r->point;
    const struct modeldesc *m = &r->space->model;
    switch ((int)rule) {
    case ND_RULE_EXPERTS:
        say(r, name, "ep %d does not divide the %d experts", p->ep, r->space->experts);
        break;
    case ND_RULE_HEADS:
        say(r, name, "tp %d does not divide the %" PRId64 " heads", p->tp, m->heads);
        break;
    case ND_RULE_GROUPS:
        say(r, name, "tp %d does not divide the %" PRId64 " key-value heads, nor they tp",
            p->tp, m->query_groups);
        break;
    case ND_RULE_VOCAB:
        say(r, name, "tp %d does not divide the vocabulary size %" PRId64, p->tp, m->vocab);
        break;
    case ND_RULE_FFN:
        explain_width(r, name);
        break;
    case ND_RULE_SEQ:
        say(r, name, "cp %d does not divide the sequence length %" PRId64, p->cp,
            m->seq_length);
        break;
    case ND_RULE_SEQ_SP:
        say(r, name, "tp %d does not divide %" PRId64 ", the tokens of a cp rank", p->tp,
            m->seq_length / p->cp);
        break;
    case ND_RULE_OP:
        say(r, name, "op %d does not divide dp %d * cp %d", p->op, p->dp, p->cp);
        break;
    case ND_RULE_VP:
        say(r, name, "pp %d * vp %d does not divide the %d layers", p->pp, p->vp,
            r->space->layers);
        break;
    default:
        say(r, name, "with vp %d, pp %d does not divide the %" PRId64 " micro-batches", p->vp,
            p->pp, micro_batches(r));
    }
}

static void explain(struct reasons *r, enum nd_filter filter)
{
    const struct nd_strategy *p = r->point;
    const struct nd_filters *f = r->filters;
    const char *name = nd_filter_name(filter);
    switch ((int)filter) {
    case ND_CP_ONE:
        say(r, name, "cp is %d, not 1", p->cp);
        break;
    case ND_TP_MAX:
        say(r, name, "tp %d is above %d", p->tp, f->tp_max);
        break;
    case ND_TP_NODE:
        say(r, name, "tp %d is above the %d devices in a node", p->tp, r->space->node_devices);
        break;
    case ND_EP_LIMIT:
        say(r, name, "ep %d is above %d", p->ep, f->ep_max);
        break;
    case ND_SP_LARGE:
        say(r, name, "%d devices are at least --large %d, and sequence parallelism is off",
            r->space->devices, f->large);
        break;
    case ND_PP_MBS:
    case ND_GBS_DP:
        explain_batch(r, filter, name);
        break;
    case ND_PP_GT1:
        say(r, name, "pp is %d", p->pp);
        break;
    case ND_PP_MAX:
        say(r, name, "pp %d is above %d", p->pp, f->pp_max);
        break;
    case ND_VP_MAX:
        say(r, name, "vp %d is above %d", p->vp, f->vp_max);
        break;
    case ND_TP_NO3:
        say(r, name, "tp %d is a multiple of 3", p->tp);
        break;
    case ND_TP_56:
        say(r, name, "tp %d does not divide %d", p->tp, f->tp_divides);
        break;
    case ND_EP_FSDP:
    case ND_EP_GRAPH:
    case ND_EP_MEGATRON:
        explain_experts(r, filter, name);
        break;
    default:
        explain_rule(r, filter, name);
    }
}

int nd_filters_explain(const struct nd_filters *filters, const struct nd_space *space,
                       const struct nd_strategy *point,
                       struct nd_reason reasons[ND_REASONS_MAX])
{
    struct reasons r = {filters, space, point, reasons, 0};
    if (!check_space(&r))
        return r.n;
    for (int k = 0; k < filters->n; k++)
        if (!nd_filter_keeps(filters->list[k], filters, space, point))
            explain(&r, filters->list[k]);
    return r.n;
}
