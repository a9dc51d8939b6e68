// SPDX-License-Identifier: Apache-2.0
// Kinds of stages compared with the orders that they represent, and properties of
// every estimate.
#include "tests/unit/support/kernels/nd_points.h"

#include "kernels/common/estimate/estimate_cache.h"
#include "kernels/common/estimate/stage_kinds.h"
#include "kernels/common/interleaved/orders.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

// ---- kinds of stages against orders -------------------------------------------------------------

// Largest sum over any prefix of a stage's order.
static double peak_of_order(const struct orders_shape *shape, int32_t stage,
                            const double *weight)
{
    struct operation *order = malloc((size_t)orders_length(shape) * sizeof *order);
    double live = 0, most = 0;
    orders_of_stage(shape, stage, order);
    for (int32_t i = 0; i < orders_length(shape); i++) {
        const double one = weight[orders_chunk(shape, &order[i])];
        live += order[i].type == OPERATION_F ? one : -one;
        most = fmax(most, live);
    }
    free(order);
    return most;
}

struct tally {
    double dense, moe; // weight of a layer of each
    double peak[64];   // by stage
};

static void take(void *self, const struct nd_peak *peak)
{
    struct tally *t = self;
    const struct nd_kind *kind = &peak->kind;
    t->peak[kind->stage] =
        fmax(t->peak[kind->stage], kind->live_dense * t->dense + kind->live_moe * t->moe);
}

// The walk jumps from run to run of operations, and leaves out micro-batches that change nothing.
Test(nd_kinds, peaks_are_those_of_the_order)
{
    struct random r = {11};
    static int64_t begin[ND_MAX_CHUNKS];
    for (int k = 0; k < 1500; k++) {
        struct nd_pipeline p = {.layers = 1 + random_below(&r, 60), .low_mem = random_coin(&r)};
        p.stages = (int32_t)(1 + random_below(&r, 12));
        p.chunks = (int32_t)(1 + random_below(&r, 6));
        p.dense = random_below(&r, p.layers + 1);
        int64_t all = p.stages + random_below(&r, 10 * p.stages);
        p.micro_batches = nd_few_micro_batches(all, &p);
        struct tally t = {.dense = (double)(1 + random_below(&r, 9)),
                          .moe = (double)(1 + random_below(&r, 9))};
        nd_walk_kinds(&p, begin, take, &t);

        struct nd_estimate e = {.n_layers = p.layers, .n_dense = p.dense};
        struct nd_point point = {.strategy = {.pp = p.stages, .vp = p.chunks}};
        nd_reference_split(&e, &point, plain_chunks);
        struct orders_shape shape = {
            p.stages, p.chunks, (int32_t)all, 1, p.low_mem ? ORDERS_LOW : ORDERS_STANDARD, 0};
        for (int32_t i = 0; i < p.stages; i++) {
            double weight[8];
            for (int32_t v = 0; v < p.chunks; v++) {
                const struct nd_chunk *c = &plain_chunks[v * p.stages + i];
                weight[v] = c->layers.dense * t.dense + c->layers.moe * t.moe;
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
Test(nd_kinds, more_ranks_never_need_more_for_parameters)
{
    struct random r = {11};
    for (int k = 0; k < 400; k++) {
        struct nd_setting s;
        random_setting(&r, &s, (uint32_t)k);
        s.model.mtp_depth = 0;
        s.model.num_layers = 48;
        s.model.dense_layers = s.model.experts > 0 ? 0 : 48;
        s.training.low_mem_vpp = false;
        s.training.stack = *stack_find("plain"); // fsdp keeps stages of a pipeline whole
        nd_estimate_open(&s.estimate, &s.model, &s.cluster, &s.training, (uint32_t)k);
        struct nd_point p = random_nd_point(&r, &s.model);
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
                plain_estimate(&s.estimate, &q, &memory, NULL);
                for (int i = 0; i < q.strategy.pp; i++) {
                    struct nd_memory m = {.parameters = plain_stages[i].parameters,
                                          .gradients = plain_stages[i].gradients,
                                          .optimizer = plain_stages[i].optimizer};
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
Test(nd_kinds, equal_stages_take_what_1f1b_takes)
{
    struct cluster cluster = cluster_of("H100");
    struct training training;
    struct nd_cache *cache = make_cache();
    struct modeldesc m = model_of("{\"num_layers\": 32, \"hidden_size\": 4096, "
                                  "\"num_attention_heads\": 32, \"vocab_size\": 1}");
    training_default(&training);
    for (int32_t pp = 1; pp <= 32; pp *= 2) {
        struct nd_estimate e;
        struct nd_point p = {.seq_length = 4096, .gbs = 8 * 40};
        struct nd_time t;
        p.strategy = (struct nd_strategy){8, 1, 1, pp, 1, 8, 1, 1, false, ND_RECOMPUTE_NONE};
        nd_estimate_open(&e, &m, &cluster, &training, (uint32_t)pp);
        const struct layercost_set *set = &nd_shape_of(&e, cache, &p)->rest->set;
        double layer = set->dense.forward + set->dense.backward[0];
        double head = set->head.forward + set->head.backward;
        nd_estimate(&e, cache, &p, NULL, &t);
        near(t.pipe + t.bubble, (40 + pp - 1) * layer * 32 / pp + 40 * head, 1e-12,
             "pipe of case %d", pp);
    }
    free(cache);
}

// A device that is twice as fast in all takes half the time.
Test(nd_kinds, time_scales_with_the_device)
{
    struct random r = {11};
    struct nd_cache *cache = make_cache();
    for (int k = 0; k < 500; k++) {
        struct nd_setting s;
        struct nd_estimate fast;
        struct nd_time a, b;
        random_setting(&r, &s, (uint32_t)k);
        struct cluster twice = s.cluster;
        twice.hardware.peak *= 2;
        twice.hardware.peak_fp8 *= 2;
        twice.hardware.hbm *= 2;
        twice.hardware.intra *= 2;
        twice.hardware.inter *= 2;
        twice.hardware.host *= 2;
        twice.hardware.alpha /= 2;
        struct training training = s.training;
        training.stack = *training_stack(&s.training);
        training.stack.launch /= 2;
        training.stack.launch_experts /= 2;
        training.stack.gap /= 2;
        training.stack.hop /= 2;
        training.stack.rates.across *= 2;
        for (int i = 0; i < training.stack.n_on; i++)
            training.stack.on[i].rates.across *= 2;
        nd_estimate_open(&fast, &s.model, &twice, &training, (uint32_t)k + 10000);
        struct nd_point p = random_nd_point(&r, &s.model);
        nd_estimate(&s.estimate, cache, &p, NULL, &a);
        nd_estimate(&fast, cache, &p, NULL, &b);
        cr_assert_eq(a.step, 2 * b.step);
        near(a.mfu, b.mfu, 1e-12, "mfu of case %d", k);
        near(a.hfu, b.hfu, 1e-12, "hfu of case %d", k);
    }
    free(cache);
}
