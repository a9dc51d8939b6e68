// SPDX-License-Identifier: Apache-2.0
// Implements the three styles of reduction.
#include "planner/nd/profiling/shrink.h"

#include <string.h>

// Divides and rounds down, for any signs; b is not 0.
static int64_t divide(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t ranks_of(const struct nd_profile_options *o)
{
    return o->rank_num < o->devices ? o->rank_num : o->devices;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// ---- graph --------------------------------------------------------------------------------------

// The small models of the graph style: dense layers, recomputed and other MoE layers and the head
// are all in one run.
static const struct graph_model {
    int pp;
    int32_t layers, split[ND_PROFILE_STAGES_MAX], recompute[ND_PROFILE_STAGES_MAX];
} graph_models[] = {
    {2, 11, {1, 0}, {6, 0}},
    {4, 11, {1, 1, 1, 0}, {3, 3, 0, 0}},
    {8, 13, {2, 0, 0, 0, 0, 1, 1, 1}, {3, 1, 1, 1, 1, 2, 0, 2}},
};

static bool set_graph_model(struct nd_profile_run *profile)
{
    for (size_t k = 0; k < sizeof graph_models / sizeof *graph_models; k++) {
        const struct graph_model *m = &graph_models[k];
        if (m->pp != profile->strategy.pp)
            continue;
        profile->layers = m->layers - 1;
        profile->n_stages = m->pp;
        memcpy(profile->split, m->split, sizeof m->split);
        memcpy(profile->recompute, m->recompute, sizeof m->recompute);
        return true;
    }
    return false;
}

// Stages left when the configuration needs `times` the devices; 0: a division by zero.
static int64_t graph_stages(int64_t pp, int64_t times, int64_t least)
{
    if (times >= pp / least)
        return least;
    if (times % 3 != 0)
        return divide(pp, times);
    if (pp % 3 == 0)
        return pp / 3;
    return divide(times, 3) == 0 ? 0 : divide(pp, divide(times, 3));
}

static enum nd_reduction reduce_graph(const struct nd_profile_options *o,
                                      const struct nd_strategy *c,
                                      struct nd_profile_run *profile)
{
    const int64_t ranks = ranks_of(o), per_stage = (int64_t)c->dp * c->tp * c->cp;
    const bool dense = c->ep == 0 || (o->dense && !o->orig);
    if (ranks == 0)
        return ND_DIVIDED;
    const int64_t stages = graph_stages(c->pp, divide(per_stage * c->pp, ranks), dense ? 1 : 2);
    if (stages == 0)
        return o->orig ? ND_DIVIDED : ND_REJECTED;
    const int64_t times = divide(stages * per_stage, ranks);
    profile->strategy.pp = (int32_t)stages;
    if (times > 1)
        profile->strategy.dp = (int32_t)(c->dp / times);
    if (dense) {
        profile->layers = 31;
        return ND_REDUCED;
    }
    return set_graph_model(profile) ? ND_REDUCED : ND_REJECTED;
}

// ---- megatron -----------------------------------------------------------------------------------

static void set_megatron_model(struct nd_profile_run *profile, int64_t devices)
{
    profile->layers = 7;
    profile->n_stages = 2;
    profile->split[0] = 4;
    profile->split[1] = 3;
    profile->recompute[0] = profile->recompute[1] = 1;
    profile->nodes = devices >= 8 ? (int32_t)(devices / 8) : 1;
    profile->node_devices = devices >= 8 ? 8 : (int32_t)devices;
    profile->record_ranks[1] = (int32_t)(devices / 2);
}

static enum nd_reduction reduce_megatron(const struct nd_profile_options *o,
                                         const struct nd_strategy *c,
                                         struct nd_profile_run *profile)
{
    const int64_t ranks = ranks_of(o), cp = o->orig ? 1 : c->cp;
    if (2 * larger(c->tp, c->ep) > ranks)
        return ND_REJECTED;
    const int64_t times = 2 * (int64_t)c->dp * c->tp * cp / ranks;
    struct nd_strategy *s = &profile->strategy;
    s->pp = 2;
    if (times > 1) {
        s->dp = (int32_t)(c->dp / times);
        if (o->orig && c->ep > 0 && s->dp % c->ep != 0)
            return ND_REJECTED;
    }
    if (o->orig)
        s->cp = s->op = 1; // this style knows neither
    set_megatron_model(profile, 2 * (int64_t)s->dp * s->tp * cp);
    return ND_REDUCED;
}

// ---- fsdp ---------------------------------------------------------------------------------------

static enum nd_reduction reduce_fsdp(const struct nd_profile_options *o,
                                     const struct nd_strategy *c,
                                     struct nd_profile_run *profile)
{
    const int64_t ranks = ranks_of(o), per_stage = (int64_t)c->dp * c->tp * c->cp;
    struct nd_strategy *s = &profile->strategy;
    if (larger(c->tp, c->ep) > ranks)
        return ND_REJECTED;
    if (per_stage * c->pp <= 8)
        return per_stage * c->pp == ranks ? ND_REDUCED : ND_REJECTED;
    s->pp = 1;
    const int64_t times = per_stage / ranks;
    if (times > 1) {
        s->op = (int32_t)divide(c->op, times);
        s->dp = (int32_t)(c->dp / times);
        if (s->op == 0)
            return ND_REJECTED;
    }
    return ND_REDUCED;
}

// ---- all ----------------------------------------------------------------------------------------

// Whether experts go with the reduced degrees, and the devices are there.
static bool is_legal(const struct nd_profile_options *o, const struct nd_strategy *s)
{
    const int64_t per_stage = (int64_t)s->dp * s->tp * s->cp;
    if (s->dp < 1 || s->op < 1 || per_stage * s->pp > ranks_of(o))
        return false;
    if (s->ep <= 1)
        return true;
    if (o->style == ND_PROFILE_GRAPH)
        return (int64_t)s->dp * s->tp % s->ep == 0;
    if (o->style == ND_PROFILE_MEGATRON)
        return (int64_t)s->dp * s->cp % s->ep == 0;
    return (int64_t)s->op * s->cp * s->tp % s->ep == 0;
}

enum nd_reduction nd_reduce(const struct nd_profile_options *o,
                            const struct nd_strategy *candidate,
                            struct nd_profile_run *profile)
{
    struct nd_strategy c = *candidate;
    enum nd_reduction reduction;
    memset(profile, 0, sizeof *profile);
    if (!o->orig && c.op == -1)
        c.op = c.dp;
    profile->strategy = c;
    if (o->style == ND_PROFILE_GRAPH)
        reduction = reduce_graph(o, &c, profile);
    else if (o->style == ND_PROFILE_MEGATRON)
        reduction = reduce_megatron(o, &c, profile);
    else
        reduction = reduce_fsdp(o, &c, profile);
    if (reduction != ND_REDUCED || o->orig)
        return reduction;
    profile->strategy.vp = 1; // chunks of so small a model say nothing
    if (profile->strategy.op > profile->strategy.dp * profile->strategy.cp)
        profile->strategy.op = profile->strategy.dp * profile->strategy.cp;
    if (!is_legal(o, &profile->strategy) || (o->fits != NULL && !o->fits(o->context, profile)))
        return ND_REJECTED;
    return ND_REDUCED;
}
