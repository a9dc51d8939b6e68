// SPDX-License-Identifier: Apache-2.0
// Chooses configurations by the published rule, or so that they cover the candidates best.
#include "planner/nd/profiling/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A reduced candidate, and what it is sorted by.
struct choice {
    struct nd_profile_run profile;
    double seconds; // of the candidate's step
    size_t order;
};

const char *nd_profile_style_name(enum nd_profile_style style)
{
    static const char *const names[] = {"graph", "megatron", "fsdp"};
    return names[style];
}

int nd_profile_max(const struct nd_profile_options *options)
{
    if (options->n_max > 0)
        return options->n_max;
    return options->orig ? 10 : 20;
}

// ---- orders -------------------------------------------------------------------------------------

static int compare_int(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

// The first of differences that is not 0.
static int first_of(const int *differences, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (differences[k] != 0)
            return differences[k];
    return 0;
}

// Compares the configurations of two choices, and nothing else.
static int compare_configurations(const struct choice *x, const struct choice *y)
{
    const struct nd_strategy *a = &x->profile.strategy, *b = &y->profile.strategy;
    const int by[] = {compare_int(a->dp, b->dp), compare_int(a->tp, b->tp),
                      compare_int(a->pp, b->pp), compare_int(a->ep, b->ep),
                      compare_int(a->cp, b->cp), compare_int(a->op, b->op)};
    return first_of(by, sizeof by / sizeof *by);
}

static int by_configuration(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    const int by = compare_configurations(x, y);
    return by != 0 ? by : compare_int((int64_t)x->order, (int64_t)y->order);
}

static int by_order(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    return compare_int((int64_t)x->order, (int64_t)y->order);
}

// tp and cp ascending, ep descending. Configurations of style megatron have cp 1 as published.
static int by_degrees(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    const struct nd_strategy *s = &x->profile.strategy, *t = &y->profile.strategy;
    const int by[] = {compare_int(s->tp, t->tp), compare_int(s->cp, t->cp),
                      compare_int(t->ep, s->ep), by_order(a, b)};
    return first_of(by, sizeof by / sizeof *by);
}

// Compares the settings on which the ratios of a profile depend.
static int compare_signatures(const struct choice *x, const struct choice *y)
{
    const struct nd_strategy *a = &x->profile.strategy, *b = &y->profile.strategy;
    const int by[] = {compare_int(a->tp, b->tp), compare_int(a->cp, b->cp),
                      compare_int(a->ep, b->ep), compare_int(a->mbs, b->mbs),
                      compare_int(a->sp, b->sp)};
    return first_of(by, sizeof by / sizeof *by);
}

static int compare_seconds(const struct choice *x, const struct choice *y)
{
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static int by_signature(const void *a, const void *b)
{
    const int by[] = {compare_signatures(a, b), compare_seconds(a, b), by_order(a, b)};
    return first_of(by, sizeof by / sizeof *by);
}

static int by_seconds(const void *a, const void *b)
{
    const int by[] = {compare_seconds(a, b), by_order(a, b)};
    return first_of(by, sizeof by / sizeof *by);
}

static void sort(struct choice *choices, size_t n, int (*compare)(const void *, const void *))
{
    if (n > 1)
        qsort(choices, n, sizeof *choices, compare);
}

// Of neighbours that are alike keeps the first. Returns how many are left.
static size_t keep_first(struct choice *choices, size_t n,
                         int (*compare)(const struct choice *, const struct choice *))
{
    size_t kept = 0;
    for (size_t k = 0; k < n; k++)
        if (kept == 0 || compare(&choices[kept - 1], &choices[k]) != 0)
            choices[kept++] = choices[k];
    return kept;
}

// ---- choosing -----------------------------------------------------------------------------------

static size_t drop_long_pipelines(struct choice *choices, size_t n)
{
    size_t kept = 0;
    for (size_t k = 0; k < n; k++)
        if (choices[k].profile.strategy.pp <= 16)
            choices[kept++] = choices[k];
    return kept;
}

static size_t choose_published(struct choice *choices, size_t n, size_t n_max)
{
    sort(choices, n, by_configuration);
    n = keep_first(choices, n, compare_configurations);
    sort(choices, n, by_order);
    if (n <= n_max)
        return n;
    n = drop_long_pipelines(choices, n);
    sort(choices, n, by_degrees);
    return n < n_max ? n : n_max;
}

static size_t choose_covering(struct choice *choices, size_t n, size_t n_max)
{
    sort(choices, n, by_signature);
    n = keep_first(choices, n, compare_signatures);
    sort(choices, n, by_seconds);
    return n < n_max ? n : n_max;
}

static enum nd_profile_status reduce_all(const struct nd_profile_options *options,
                                         const struct nd_strategy *candidates, size_t n,
                                         struct choice *choices, size_t *n_choices,
                                         char text[160])
{
    *n_choices = 0;
    for (size_t k = 0; k < n; k++) {
        struct choice *choice = &choices[*n_choices];
        const enum nd_reduction reduction =
            nd_reduce(options, &candidates[k], &choice->profile);
        if (reduction == ND_DIVIDED) {
            if (text != NULL)
                snprintf(text, 160, "error: division by zero (rank_num %d, dp %d tp %d pp %d)",
                         options->rank_num, candidates[k].dp, candidates[k].tp,
                         candidates[k].pp);
            return ND_PROFILE_DIVISION;
        }
        if (reduction == ND_REJECTED)
            continue;
        choice->profile.candidate = choice->order = k;
        choice->seconds = options->seconds == NULL || options->orig
                              ? 0
                              : options->seconds(options->context, &candidates[k]);
        ++*n_choices;
    }
    return ND_PROFILE_OK;
}

enum nd_profile_status nd_profile_choose(const struct nd_profile_options *options,
                                         const struct nd_strategy *candidates, size_t n,
                                         struct nd_profile_run *profiles, int *n_profiles,
                                         char text[160])
{
    const size_t n_max = (size_t)nd_profile_max(options);
    size_t n_choices;
    *n_profiles = 0;
    if (!options->orig && options->rank_num < 1) {
        if (text != NULL)
            snprintf(text, 160, "error: rank_num must be 1 or more (got %d)",
                     options->rank_num);
        return ND_PROFILE_RANKS;
    }
    struct choice *choices = calloc(n + 1, sizeof *choices);
    if (choices == NULL)
        return ND_PROFILE_MEMORY;
    const enum nd_profile_status status =
        reduce_all(options, candidates, n, choices, &n_choices, text);
    if (status == ND_PROFILE_OK) {
        n_choices =
            (options->orig ? choose_published : choose_covering)(choices, n_choices, n_max);
        for (size_t k = 0; k < n_choices; k++)
            profiles[k] = choices[k].profile;
        *n_profiles = (int)n_choices;
    }
    free(choices);
    return status;
}

// ---- shrink -------------------------------------------------------------------------------------

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
                            const struct nd_strategy *candidate, struct nd_profile_run *profile)
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
