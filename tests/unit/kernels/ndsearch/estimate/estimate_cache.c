// SPDX-License-Identifier: Apache-2.0
// The fast estimate against the plain one, and what must hold of both.
#include "ndrandom.h"

#include "kernels/ndsearch/estimate/estimate_cache.h"

static void same_memory(int k, const struct nd_memory *a, const struct nd_memory *b)
{
    const double close = 1e-12;
    near("total", k, a->total, b->total, close);
    if (a->stage != b->stage) // as heavy up to rounding: parts may be others
        return;
    near("parameters", k, a->parameters, b->parameters, close);
    near("gradients", k, a->gradients, b->gradients, close);
    near("optimizer", k, a->optimizer, b->optimizer, close);
    near("activations", k, a->activations, b->activations, close);
    near("transient", k, a->transient, b->transient, close);
    near("reserve", k, a->reserve, b->reserve, close);
}

static void same_time(int k, const struct nd_time *a, const struct nd_time *b)
{
    const double close = 1e-10;
    near("pipe", k, a->pipe, b->pipe, close);
    near("bubble", k, a->bubble + a->pipe, b->bubble + b->pipe, close);
    near("p2p", k, a->p2p, b->p2p, close);
    near("dp", k, a->dp, b->dp, close);
    near("dp_exposed", k, a->dp_exposed, b->dp_exposed, 1e-8);
    near("optimizer", k, a->optimizer, b->optimizer, close);
    near("step", k, a->step, b->step, close);
    near("stage", k, a->stage, b->stage, close);
    near("mfu", k, a->mfu, b->mfu, close);
    near("hfu", k, a->hfu, b->hfu, close);
    near("tokens_per_s", k, a->tokens_per_s, b->tokens_per_s, close);
}

Test(nd_estimate, the_fast_path_is_the_plain_one)
{
    struct nd_cache *cache = make_cache();
    for (int k = 0; k < 6000; k++) {
        struct setting s;
        draw(&s, (uint32_t)k);
        struct nd_point p = random_point(&s.model);
        struct nd_memory fast, plain;
        struct nd_time fast_time, plain_time;
        reference(&s.estimate, &p, &plain, &plain_time);
        nd_estimate(&s.estimate, cache, &p, &fast, &fast_time);
        same_memory(k, &fast, &plain);
        same_time(k, &fast_time, &plain_time);
        cr_assert(fast.stage >= 0 && fast.stage < p.strategy.pp);
        near("that stage", k, stages[fast.stage].total, plain.total, 1e-12);
        for (int i = 0; i < 3; i++)
            if (fast_time.stage > 0 && s.estimate.n_dense == s.estimate.n_layers)
                near("exchange", k, fast_time.exchange[i], plain_time.exchange[i], 1e-10);
    }
    free(cache);
}

// Pipelines with more kinds of stages than are kept take another way. Few are found at random, so
// that it is feigned that there were.
Test(nd_estimate, what_does_not_fit_is_walked)
{
    struct nd_cache *cache = make_cache();
    for (int k = 0; k < 1500; k++) {
        struct setting s;
        struct nd_memory kept, walked;
        struct nd_time kept_time, walked_time;
        draw(&s, (uint32_t)k);
        struct nd_point p = random_point(&s.model);
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

// Modes, memory and time by one call are those by three.
static void all_at_once(const struct nd_estimate *e,
                        struct nd_cache *cache,
                        const struct nd_point *point,
                        const double modes[LAYERCOST_MODES])
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
    enum { MODELS = 4 };
    struct setting s[MODELS];
    struct nd_cache *used = make_cache();
    for (int i = 0; i < MODELS; i++)
        draw(&s[i], (uint32_t)i);
    for (int k = 0; k < 3000; k++) {
        const struct setting *at = &s[below(MODELS)];
        struct nd_point p = random_point(&at->model);
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
