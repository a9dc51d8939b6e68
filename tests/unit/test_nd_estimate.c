// SPDX-License-Identifier: Apache-2.0
// The fast estimate against the plain one, and what must hold of both.
#include "ndcosts.h"

#include "kernels/ndsearch/stagekinds.h"

static uint64_t state = 11;

static int64_t below(int64_t end)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int64_t)((z ^ z >> 31) % (uint64_t)end);
}

static bool coin(void)
{
    return below(2) == 1;
}

static struct modeldesc random_model(void)
{
    struct modeldesc m = {.num_layers = 1 + below(70),
                          .mtp_depth = coin() ? 0 : below(3),
                          .hidden = 64 * (1 + below(64)),
                          .heads = 64,
                          .query_groups = coin() ? 64 : 8,
                          .head_dim = 64 * (1 + below(2)),
                          .ffn = 256 * (1 + below(64)),
                          .gated = coin(),
                          .vocab = 1000 + below(200000),
                          .seq_length = 4096,
                          .tied = coin(),
                          .qk_norm = coin()};
    if (coin()) {
        m.attention = MODELDESC_MLA;
        m.q_rank = coin() ? 0 : 1536;
        m.kv_rank = 512;
        m.qk_nope = 128;
        m.qk_rope = 64;
        m.v_dim = 128;
    }
    m.dense_layers = m.num_layers;
    if (below(3) > 0) {
        m.experts = 8 << below(5);
        m.topk = 1 + below(8);
        m.moe_ffn = 256 * (1 + below(8));
        m.shared_ffn = coin() ? 0 : m.moe_ffn;
        m.dense_layers = coin() ? below(m.num_layers + 1) : below(4);
        if (m.dense_layers > m.num_layers)
            m.dense_layers = m.num_layers;
    }
    return m;
}

static struct training random_training(void)
{
    struct training t;
    training_default(&t);
    t.zero_level = (int)below(4);
    t.distributed_optimizer = below(4) > 0;
    t.flash_attention = coin();
    t.low_mem_vpp = coin();
    t.dummy_wgrad = coin();
    t.expert_tensor_parallel = coin();
    t.fused_cross_entropy = coin();
    if (coin()) {
        t.bytes_param = 1;
        t.bytes_optim = 6;
    }
    return t;
}

static struct nd_point random_point(const struct modeldesc *m)
{
    struct nd_point p = {.seq_length = 512 << below(5)};
    struct nd_strategy *s = &p.strategy;
    int64_t layers = modeldesc_layers(m);
    *s = (struct nd_strategy){.dp = 1 << below(6), .tp = 1 << below(4), .cp = 1 << below(3)};
    s->dp *= coin() ? 1 : 3;
    s->pp = (int32_t)(1 + below(coin() ? layers : 1 + layers / 4));
    s->vp = (int32_t)(1 + below(1 + layers / s->pp));
    s->ep = m->experts == 0 ? 1 : 1 << below(4);
    s->op = coin() ? s->dp : coin() ? -1 : s->dp * s->cp;
    s->mbs = 1 << below(3);
    s->sp = coin();
    s->recompute = (enum nd_recompute)below(3);
    int64_t micro_batches = s->pp + below(coin() ? 3 * s->pp : 9 * s->pp);
    if (below(20) == 0)
        micro_batches = 1 + below(s->pp);
    p.gbs = micro_batches * s->dp * s->mbs;
    return p;
}

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
    near("tokens_per_s", k, a->tokens_per_s, b->tokens_per_s, close);
}

struct setting {
    struct modeldesc model;
    struct cluster cluster;
    struct training training;
    struct nd_estimate estimate;
};

static void draw(struct setting *s, uint32_t id)
{
    static const char *const devices[] = {"A100", "H100", "B200"};
    s->model = random_model();
    s->cluster = cluster_of(devices[below(3)]);
    s->cluster.reserve = (double)below(3) * 1e9;
    s->training = random_training();
    nd_estimate_open(&s->estimate, &s->model, &s->cluster, &s->training, id);
}

static struct nd_chunk chunks[8192];
static struct nd_stage stages[128];

static void reference(const struct nd_estimate *e,
                      const struct nd_point *p,
                      struct nd_memory *memory,
                      struct nd_time *time)
{
    nd_reference_split(e, p, chunks);
    nd_reference(e, p, chunks, stages, memory, time);
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
    }
    free(used);
}

Test(nd_estimate, bounds_are_below_all_they_stand_for)
{
    struct nd_cache *cache = make_cache();
    for (int k = 0; k < 2000; k++) {
        struct setting s;
        draw(&s, (uint32_t)k);
        struct nd_point p = random_point(&s.model);
        double memory, step;
        nd_lower_bounds(&s.estimate, cache, &p, &memory, &step);
        cr_assert(memory > 0 && step > 0);
        int32_t most = (int32_t)(modeldesc_layers(&s.model) / p.strategy.pp);
        for (int i = 0; i < 30; i++) {
            struct nd_memory m;
            struct nd_time t;
            p.strategy.recompute = (enum nd_recompute)(i % 3);
            p.strategy.vp = 1 + (int32_t)below(most < 1 ? 1 : most);
            p.strategy.op = 1 + (int32_t)below((int64_t)p.strategy.dp * p.strategy.cp);
            nd_estimate(&s.estimate, cache, &p, &m, &t);
            cr_assert(memory <= m.total, "case %d: %g > %g", k, memory, m.total);
            cr_assert(step <= t.step, "case %d: %g > %g", k, step, t.step);
        }
    }
    free(cache);
}
