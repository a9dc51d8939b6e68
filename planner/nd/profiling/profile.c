// SPDX-License-Identifier: Apache-2.0
// Chooses configurations by the published rule, or so that they cover the candidates best.
#include "planner/nd/profiling/profile.h"

#include "planner/nd/profiling/shrink.h"

#include <math.h>
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
static size_t keep_first(struct choice *choices,
                         size_t n,
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
                                         const struct nd_strategy *candidates,
                                         size_t n,
                                         struct choice *choices,
                                         size_t *n_choices,
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
                                         const struct nd_strategy *candidates,
                                         size_t n,
                                         struct nd_profile_run *profiles,
                                         int *n_profiles,
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
