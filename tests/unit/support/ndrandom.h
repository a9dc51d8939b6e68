// SPDX-License-Identifier: Apache-2.0
// Models, trainings and strategies at random, and the plain estimate of them.
#ifndef TEST_NDRANDOM_H
#define TEST_NDRANDOM_H

#include "ndcosts.h"

static uint64_t random_state = 11;

static inline int64_t below(int64_t end)
{
    uint64_t z = (random_state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int64_t)((z ^ z >> 31) % (uint64_t)end);
}

static inline bool coin(void)
{
    return below(2) == 1;
}

static inline struct modeldesc random_model(void)
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

static inline struct training random_training(void)
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

static inline struct nd_point random_point(const struct modeldesc *m)
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

struct setting {
    struct modeldesc model;
    struct cluster cluster;
    struct training training;
    struct nd_estimate estimate;
};

static inline void draw(struct setting *s, uint32_t id)
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

static inline void reference(const struct nd_estimate *e,
                             const struct nd_point *p,
                             struct nd_memory *memory,
                             struct nd_time *time)
{
    nd_reference_split(e, p, chunks);
    nd_reference(e, p, chunks, stages, memory, time);
}

#endif
