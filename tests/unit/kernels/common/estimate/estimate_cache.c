// SPDX-License-Identifier: Apache-2.0
// The fast estimate compared with the plain one, and properties of both.
#include "tests/unit/support/kernels/nd_points.h"

#include "kernels/common/estimate/estimate_cache.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void same_memory(int k, const struct nd_memory *a, const struct nd_memory *b)
{
    const double close = 1e-12;
    near(a->total, b->total, close, "total of case %d", k);
    if (a->stage != b->stage) // as heavy up to rounding: parts may be others
        return;
    near(a->parameters, b->parameters, close, "parameters of case %d", k);
    near(a->gradients, b->gradients, close, "gradients of case %d", k);
    near(a->optimizer, b->optimizer, close, "optimizer of case %d", k);
    near(a->activations, b->activations, close, "activations of case %d", k);
    near(a->transient, b->transient, close, "transient of case %d", k);
    near(a->reserve, b->reserve, close, "reserve of case %d", k);
}

static void same_time(int k, const struct nd_time *a, const struct nd_time *b)
{
    const double close = 1e-10;
    near(a->pipe, b->pipe, close, "pipe of case %d", k);
    near(a->bubble + a->pipe, b->bubble + b->pipe, close, "bubble of case %d", k);
    near(a->p2p, b->p2p, close, "p2p of case %d", k);
    near(a->dp, b->dp, close, "dp of case %d", k);
    near(a->dp_exposed, b->dp_exposed, 1e-8, "dp_exposed of case %d", k);
    near(a->optimizer, b->optimizer, close, "optimizer of case %d", k);
    near(a->step, b->step, close, "step of case %d", k);
    near(a->stage, b->stage, close, "stage of case %d", k);
    near(a->mfu, b->mfu, close, "mfu of case %d", k);
    near(a->hfu, b->hfu, close, "hfu of case %d", k);
    near(a->tokens_per_s, b->tokens_per_s, close, "tokens_per_s of case %d", k);
}

Test(nd_estimate, the_fast_path_is_the_plain_one)
{
    struct random r = {11};
    struct nd_cache *cache = make_cache();
    for (int k = 0; k < 6000; k++) {
        struct nd_setting s;
        random_setting(&r, &s, (uint32_t)k);
        if (k % 4 == 0) {
            s.model = random_hybrid(&r);
            nd_estimate_open(&s.estimate, &s.model, &s.cluster, &s.training, (uint32_t)k);
        }
        struct nd_point p = random_nd_point(&r, &s.model);
        struct nd_memory fast, plain;
        struct nd_time fast_time, plain_time;
        plain_estimate(&s.estimate, &p, &plain, &plain_time);
        nd_estimate(&s.estimate, cache, &p, &fast, &fast_time);
        same_memory(k, &fast, &plain);
        same_time(k, &fast_time, &plain_time);
        cr_assert(fast.stage >= 0 && fast.stage < p.strategy.pp);
        near(plain_stages[fast.stage].total, plain.total, 1e-12, "that stage of case %d", k);
        for (int i = 0; i < 3; i++)
            if (fast_time.stage > 0 && s.estimate.n_dense == s.estimate.n_layers)
                near(fast_time.exchange[i], plain_time.exchange[i], 1e-10,
                     "exchange of case %d", k);
    }
    free(cache);
}

// Pipelines with more kinds of stages than are kept take another way. Few are found at random, so
// that it is feigned that there were.
Test(nd_estimate, what_does_not_fit_is_walked)
{
    struct random r = {11};
    struct nd_cache *cache = make_cache();
    for (int k = 0; k < 1500; k++) {
        struct nd_setting s;
        struct nd_memory kept, walked;
        struct nd_time kept_time, walked_time;
        random_setting(&r, &s, (uint32_t)k);
        struct nd_point p = random_nd_point(&r, &s.model);
        memset(cache->pipeline, 0, sizeof cache->pipeline);
        nd_estimate(&s.estimate, cache, &p, &kept, &kept_time);
        for (int i = 0; i < ND_PIPELINE_PLACES; i++)
            cache->pipeline[i].kinds.n_memory = cache->pipeline[i].kinds.n_time = ND_KINDS + 1;
        nd_estimate(&s.estimate, cache, &p, &walked, &walked_time);
        same_memory(k, &walked, &kept);
        same_time(k, &walked_time, &kept_time);
    }
    free(cache);
}

// One call returns the same modes, memory and time as three calls.
static void all_at_once(const struct nd_estimate *e, struct nd_cache *cache,
                        const struct nd_point *point, const double modes[LAYERCOST_MODES])
{
    double limits[] = {(double)NAN, 0, modes[0], modes[1], modes[2], HUGE_VAL};
    for (int i = 0; i < 6; i++) {
        struct nd_point q = *point;
        double totals[LAYERCOST_MODES];
        struct nd_memory a, b;
        struct nd_time ta, tb;
        int mode = (int)nd_estimate_fitting(e, cache, point, limits[i], totals, &a, &ta);
        int want = i == 0 ? (int)q.strategy.recompute : LAYERCOST_FULL;
        for (int k = LAYERCOST_FULL; i > 0 && k >= 0; k--)
            want = modes[k] <= limits[i] ? k : want;
        cr_assert_eq(mode, want, "limit %d: %d, expected %d", i, mode, want);
        q.strategy.recompute = (enum nd_recompute)mode;
        nd_estimate(e, cache, &q, &b, &tb);
        cr_assert(memcmp(totals, modes, sizeof totals) == 0);
        cr_assert(memcmp(&a, &b, sizeof a - sizeof(int64_t)) == 0 && a.stage == b.stage);
        cr_assert(memcmp(&ta, &tb, sizeof ta) == 0);
    }
}

// A cache that other points and models have been through changes no bit.
Test(nd_estimate, a_used_cache_changes_nothing)
{
    struct random r = {11};
    enum { MODELS = 4 };
    struct nd_setting s[MODELS];
    struct nd_cache *used = make_cache();
    for (int i = 0; i < MODELS; i++)
        random_setting(&r, &s[i], (uint32_t)i);
    for (int k = 0; k < 3000; k++) {
        const struct nd_setting *at = &s[random_below(&r, MODELS)];
        struct nd_point p = random_nd_point(&r, &at->model);
        struct nd_memory a, b;
        struct nd_time ta, tb;
        double modes[LAYERCOST_MODES];
        nd_estimate(&at->estimate, used, &p, &a, &ta);
        if (k % 50 == 0) {
            struct nd_cache *fresh = make_cache();
            nd_estimate(&at->estimate, fresh, &p, &b, &tb);
            cr_assert(memcmp(&a, &b, sizeof a - sizeof(int64_t)) == 0 && a.stage == b.stage);
            cr_assert(memcmp(&ta, &tb, sizeof ta) == 0);
            free(fresh);
        }
        nd_memory_modes(&at->estimate, used, &p, modes);
        cr_assert_eq(modes[p.strategy.recompute], a.total);
        all_at_once(&at->estimate, used, &p, modes);
    }
    free(used);
}
