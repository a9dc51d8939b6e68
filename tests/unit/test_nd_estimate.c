// SPDX-License-Identifier: Apache-2.0
// The fast estimate against the plain one, and what must hold of both.
#include "ndcosts.h"

#include "kernels/common/orders.h"
#include "kernels/ndsearch/estimatecache.h"

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

// ---- kinds of stages against the orders of tasks ------------------------------------------------

// Largest sum over any prefix of a stage's order.
static double peak_of_order(const struct orders_shape *shape,
                            int32_t stage,
                            const double *weight)
{
    struct orders_task *tasks = malloc((size_t)orders_length(shape) * sizeof *tasks);
    double live = 0, most = 0;
    orders_of_stage(shape, stage, tasks);
    for (int32_t i = 0; i < orders_length(shape); i++) {
        live +=
            tasks[i].kind == ORDERS_FORWARD ? weight[tasks[i].chunk] : -weight[tasks[i].chunk];
        most = fmax(most, live);
    }
    free(tasks);
    return most;
}

struct tally {
    double dense, moe; // weight of a layer of each
    double peak[64];   // by stage
};

static void take(void *self, const struct nd_kind *kind)
{
    struct tally *t = self;
    t->peak[kind->stage] =
        fmax(t->peak[kind->stage], kind->live_dense * t->dense + kind->live_moe * t->moe);
}

// The walk jumps from run to run of tasks, and leaves out micro-batches that change nothing.
Test(nd_estimate, peaks_are_those_of_the_order_of_tasks)
{
    static int64_t begin[ND_MAX_CHUNKS];
    for (int k = 0; k < 1500; k++) {
        struct nd_pipeline p = {.layers = 1 + below(60), .low_mem = coin()};
        p.stages = (int32_t)(1 + below(12));
        p.chunks = (int32_t)(1 + below(6));
        p.dense = below(p.layers + 1);
        int64_t all = p.stages + below(10 * p.stages);
        p.micro_batches = nd_few_micro_batches(all, p.stages, p.chunks);
        struct tally t = {.dense = (double)(1 + below(9)), .moe = (double)(1 + below(9))};
        nd_walk_kinds(&p, begin, take, &t);

        struct nd_estimate e = {.n_layers = p.layers, .n_dense = p.dense};
        struct nd_point point = {.strategy = {.pp = p.stages, .vp = p.chunks}};
        nd_reference_split(&e, &point, chunks);
        struct orders_shape shape = {
            p.stages,    p.chunks, (int32_t)all, 1, p.low_mem ? ORDERS_LOW : ORDERS_STANDARD,
            ORDERS_FIRST};
        for (int32_t i = 0; i < p.stages; i++) {
            double weight[8];
            for (int32_t v = 0; v < p.chunks; v++) {
                const struct nd_chunk *c = &chunks[v * p.stages + i];
                weight[v] = c->dense * t.dense + c->moe * t.moe;
            }
            cr_assert_eq(t.peak[i], peak_of_order(&shape, i, weight),
                         "case %d, stage %d of %d, %d chunks, %lld micro-batches", k, i,
                         p.stages, p.chunks, (long long)all);
        }
    }
}

// ---- properties ---------------------------------------------------------------------------------

static double static_of(const struct nd_memory *m)
{
    return m->parameters + m->gradients + m->optimizer;
}

// The fullest stage's parameters never grow with more optimizer shards or expert ranks, nor with
// more stages where layers divide evenly.
Test(nd_estimate, more_ranks_never_need_more_for_parameters)
{
    for (int k = 0; k < 400; k++) {
        struct setting s;
        draw(&s, (uint32_t)k);
        s.model.mtp_depth = 0;
        s.model.num_layers = 48;
        s.model.dense_layers = s.model.experts > 0 ? 0 : 48;
        s.training.low_mem_vpp = false;
        nd_estimate_open(&s.estimate, &s.model, &s.cluster, &s.training, (uint32_t)k);
        struct nd_point p = random_point(&s.model);
        p.strategy.vp = 1;
        for (int which = 0; which < 3; which++) {
            double last = HUGE_VAL;
            for (int32_t x = 1; x <= 16; x *= 2) {
                struct nd_point q = p;
                q.strategy.dp = 64;
                q.strategy.op = which == 0 ? x : 4;
                q.strategy.ep = s.model.experts == 0 ? 1 : which == 1 ? x : 2;
                q.strategy.pp = which == 2 ? x : 4;
                struct nd_memory memory;
                double most = 0;
                reference(&s.estimate, &q, &memory, NULL);
                for (int i = 0; i < q.strategy.pp; i++) {
                    struct nd_memory m = {.parameters = stages[i].parameters,
                                          .gradients = stages[i].gradients,
                                          .optimizer = stages[i].optimizer};
                    most = fmax(most, static_of(&m));
                }
                cr_assert(most <= last * (1 + 1e-12), "case %d, %d: %g after %g", k, which,
                          most, last);
                last = most;
            }
        }
    }
}

// Equal stages and no head: (M + P - 1)(f + b).
Test(nd_estimate, equal_stages_take_what_1f1b_takes)
{
    struct cluster cluster = cluster_of("H100");
    struct training training;
    struct nd_cache *cache = make_cache();
    struct modeldesc m = model_from("{\"num_layers\": 32, \"hidden_size\": 4096, "
                                    "\"num_attention_heads\": 32, \"vocab_size\": 1}");
    training_default(&training);
    for (int32_t pp = 1; pp <= 32; pp *= 2) {
        struct nd_estimate e;
        struct nd_point p = {.seq_length = 4096, .gbs = 8 * 40};
        struct nd_time t;
        p.strategy = (struct nd_strategy){8, 1, 1, pp, 1, 8, 1, 1, false, ND_RECOMPUTE_NONE};
        nd_estimate_open(&e, &m, &cluster, &training, (uint32_t)pp);
        const struct layercost_set *set = nd_layer_figures(&e, cache, &p);
        double layer = set->dense.forward + set->dense.backward[0];
        double head = set->head.forward + set->head.backward;
        nd_estimate(&e, cache, &p, NULL, &t);
        near("pipe", pp, t.pipe + t.bubble, (40 + pp - 1) * layer * 32 / pp + 40 * head, 1e-12);
    }
    free(cache);
}

// A device that is twice as fast in all takes half the time.
Test(nd_estimate, time_scales_with_the_device)
{
    struct nd_cache *cache = make_cache();
    for (int k = 0; k < 500; k++) {
        struct setting s;
        struct nd_estimate fast;
        struct nd_time a, b;
        draw(&s, (uint32_t)k);
        struct cluster twice = s.cluster;
        twice.hardware.peak *= 2;
        twice.hardware.hbm *= 2;
        twice.hardware.intra *= 2;
        twice.hardware.inter *= 2;
        twice.hardware.alpha /= 2;
        nd_estimate_open(&fast, &s.model, &twice, &s.training, (uint32_t)k + 10000);
        struct nd_point p = random_point(&s.model);
        nd_estimate(&s.estimate, cache, &p, NULL, &a);
        nd_estimate(&fast, cache, &p, NULL, &b);
        cr_assert_eq(a.step, 2 * b.step);
        near("mfu", k, a.mfu, b.mfu, 1e-12);
    }
    free(cache);
}
