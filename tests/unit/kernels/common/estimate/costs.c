// SPDX-License-Identifier: Apache-2.0
// Costs compared with figures that another program computes from the same formulas, stage by
// stage and part by part: an error in any one formula shows here.
#include "tests/unit/support/kernels/nd_points.h"

#include "base/math/detmath.h"
#include "base/math/units.h"
#include "kernels/common/estimate/estimate_cache.h"
#include "kernels/common/estimate/stage_layers.h"
#include "tests/unit/support/near.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define CLOSE 1e-6

// Published figures have six digits after the point.
static void near_rounded(const char *what, int i_case, double got, double want)
{
    cr_assert(fabs(got - want) <= CLOSE * fabs(want) + 5.1e-7,
              "case %d, %s: %.15g, expected %.15g", i_case, what, got, want);
}

static void check_stage(int k, const struct nd_stage *stage, const cJSON *want)
{
    cr_assert_eq(stage->layers.dense, (int)golden_real(want, "dense_layers"), "case %d", k);
    cr_assert_eq(stage->layers.moe, (int)golden_real(want, "moe_layers"), "case %d", k);
    near(stage->common, golden_real(want, "params_dense"), CLOSE, "params_dense of case %d", k);
    near(stage->routed, golden_real(want, "params_expert"), CLOSE, "params_expert of case %d",
         k);
    near(stage->parameters + stage->gradients + stage->optimizer,
         golden_real(want, "static_bytes"), CLOSE, "static_bytes of case %d", k);
    near(stage->in_flight, golden_real(want, "in_flight"), CLOSE, "in_flight of case %d", k);
    near(stage->activations, golden_real(want, "activation_bytes"), CLOSE,
         "activation_bytes of case %d", k);
    near(stage->transient, golden_real(want, "transient_bytes"), CLOSE,
         "transient_bytes of case %d", k);
    near(stage->total, golden_real(want, "total_bytes"), CLOSE, "total_bytes of case %d", k);
}

Test(nd_costs, memory_is_that_of_the_published_formulas)
{
    cJSON *document = golden_read("anmem_a.json");
    struct nd_cache *cache = make_cache();
    const cJSON *c;
    int k = 0;
    cJSON_ArrayForEach (c, golden_item(document, "cases")) {
        struct modeldesc model = golden_model(document, c);
        struct cluster cluster = cluster_of("H100");
        struct training training;
        training_default(&training);
        training.stack = *stack_find("plain");
        training.zero_level = (int)golden_real(c, "zero_level");
        training.flash_attention = golden_is(c, "flash_attention");
        struct nd_point p = golden_point(c);
        p.gbs = (int64_t)golden_real(c, "micro_batches") * p.strategy.dp * p.strategy.mbs;
        struct nd_estimate e;
        nd_estimate_open(&e, &model, &cluster, &training, (uint32_t)k);

        struct nd_chunk chunks[64];
        struct nd_stage stages[64];
        struct nd_memory memory, fast;
        nd_reference_split(&e, &p, chunks);
        nd_reference(&e, &p, chunks, stages, &memory, NULL);
        const cJSON *want;
        int i = 0;
        cJSON_ArrayForEach (want, golden_item(c, "stages"))
            check_stage(k, &stages[i++], want);
        cr_assert_eq(i, p.strategy.pp);
        near_rounded("peak_gib", k, units_to_gib(memory.total), golden_real(c, "peak_gib"));
        nd_estimate(&e, cache, &p, &fast, NULL);
        near_rounded("peak_gib", k, units_to_gib(fast.total), golden_real(c, "peak_gib"));
        k++;
    }
    cr_assert_eq(k, 10);
    free(cache);
    cJSON_Delete(document);
}

static struct hardware golden_hardware(const cJSON *document, const char *name)
{
    const cJSON *h = golden_item(golden_item(document, "hardware"), name);
    return (struct hardware){.peak = golden_real(h, "peak"),
                             .hbm = golden_real(h, "hbm"),
                             .intra = golden_real(h, "intra"),
                             .inter = golden_real(h, "inter"),
                             .node = (int64_t)golden_real(h, "node"),
                             .alpha = golden_real(h, "alpha"),
                             .gemm_eff = golden_real(h, "eg"),
                             .attention_eff = golden_real(h, "ea"),
                             .memory_eff = golden_real(h, "em"),
                             .link_eff = golden_real(h, "el"),
                             .fused_ce =
                                 cJSON_GetObjectItemCaseSensitive(h, "fused_ce") != NULL};
}

static void check_layer(int k, const struct layercost *layer, int mode, const cJSON *want)
{
    near_rounded("forward", k, 1e3 * layer->forward, golden_real(want, "forward"));
    near_rounded("backward", k, 1e3 * layer->backward[mode], golden_real(want, "backward"));
    near_rounded("gemm", k, 1e3 * layer->parts.gemm, golden_real(want, "gemm"));
    near_rounded("attn", k, 1e3 * layer->parts.attention, golden_real(want, "attn"));
    near_rounded("mem", k, 1e3 * layer->parts.memory, golden_real(want, "mem"));
    near_rounded("tp", k, 1e3 * layer->parts.tp, golden_real(want, "tp"));
    near_rounded("ep", k, 1e3 * layer->parts.ep, golden_real(want, "ep"));
    near_rounded("cp", k, 1e3 * layer->parts.cp, golden_real(want, "cp"));
}

// The published utilization counts attention over all pairs of positions; MFU counts the causal
// half. Catches either being taken for the other.
static void check_mfu(int k, const struct nd_estimate *e, const struct nd_time *time,
                      const cJSON *c)
{
    const double seq = golden_real(c, "seq");
    const double all = e->active_flops + 2 * e->attention_flops * seq;
    cr_assert(time->mfu < golden_real(c, "mfu"), "%d", k);
    const double of_step = time->step / golden_real(c, "iteration_seconds");
    near_rounded("mfu", k, time->mfu * of_step * all / nd_token_flops(e, seq),
                 golden_real(c, "mfu"));
}

// The published formulas exchange and update routed experts as if they had as many replicas as other
// parameters; ours have dp cp tp / (ep etp). Such a step is compared without these two parts.
static void check_time(int k, const struct nd_time *time, const cJSON *c, bool experts)
{
    const double dp = golden_real(c, "dp_exposed_seconds");
    const double optimizer = golden_real(c, "optimizer_seconds");
    near_rounded("stage", k, time->stage, golden_real(c, "max_stage_seconds"));
    if (experts) {
        near(time->step - time->dp_exposed - time->optimizer,
             golden_real(c, "iteration_seconds") - dp - optimizer, 1e-5, "iteration of case %d",
             k);
        return;
    }
    near_rounded("iteration", k, time->step, golden_real(c, "iteration_seconds"));
    near_rounded("dp", k, time->dp, golden_real(c, "dp_comm_seconds"));
    near_rounded("dp exposed", k, time->dp_exposed, golden_real(c, "dp_exposed_seconds"));
    near_rounded("optimizer", k, time->optimizer, golden_real(c, "optimizer_seconds"));
}

Test(nd_costs, time_is_that_of_the_published_formulas)
{
    cJSON *document = golden_read("antime_a.json");
    struct nd_cache *cache = make_cache();
    const cJSON *c;
    int k = 0;
    cJSON_ArrayForEach (c, golden_item(document, "cases")) {
        struct modeldesc model = golden_model(document, c);
        struct cluster cluster = {.world_size = 8, .node_devices = 8};
        cluster.hardware = golden_hardware(document, golden_word(c, "hardware"));
        struct training training;
        training_default(&training);
        training.stack = *stack_find("plain");
        training.flash_attention = golden_is(c, "flash_attention");
        struct nd_point p = golden_point(c);
        p.gbs = (int64_t)golden_real(c, "gbs");
        p.strategy.vp = golden_whole(c, "vpp");
        struct nd_estimate e;
        nd_estimate_open(&e, &model, &cluster, &training, (uint32_t)k);
        const struct layercost_set *set = &nd_shape_of(&e, cache, &p)->rest->set;
        check_layer(k, &set->dense, (int)p.strategy.recompute,
                    golden_item(c, "dense_layer_ms"));
        if (model.experts > 0)
            check_layer(k, &set->moe, (int)p.strategy.recompute,
                        golden_item(c, "moe_layer_ms"));
        const cJSON *head = golden_item(c, "head_ms");
        near_rounded("head", k, 1e3 * set->head.forward, golden_real(head, "forward"));
        near_rounded("head", k, 1e3 * set->head.backward, golden_real(head, "backward"));
        struct nd_time time;
        nd_estimate(&e, cache, &p, NULL, &time);
        check_time(k, &time, c, model.experts > 0);
        check_mfu(k, &e, &time, c);
        k++;
    }
    cr_assert_eq(k, 10);
    free(cache);
    cJSON_Delete(document);
}

// ---- initial offsets ----------------------------------------------------------------------------

static void same_row(const int32_t *row, const cJSON *want, int n, int k)
{
    cr_assert_eq(cJSON_GetArraySize(want), n);
    for (int i = 0; i < n; i++)
        cr_assert_eq(row[i], cJSON_GetArrayItem(want, i)->valueint, "case %d, place %d", k, i);
}

Test(nd_costs, initial_offsets_are_those_of_the_original_tool)
{
    cJSON *document = golden_read("offsets_a.json");
    const cJSON *c;
    int k = 0;
    cJSON_ArrayForEach (c, golden_item(document, "expected")) {
        int32_t stages = golden_whole(c, "pp"), row[64], up[64], down[64];
        int64_t layers = (int64_t)golden_real(c, "layers"), base, sum = 0;
        const cJSON *want = golden_item(c, "initial_offset");
        bool some = nd_offsets(layers, stages, row);
        cr_assert_eq(some, cJSON_IsArray(want), "case %d", k);
        if (some)
            same_row(row, want, stages, k);
        want = golden_item(c, "v_schedule_offset");
        bool split = nd_v_offsets(layers, stages, up, down, &base);
        cr_assert_eq(split, cJSON_IsArray(want), "case %d", k);
        if (split) {
            same_row(up, cJSON_GetArrayItem(want, 0), stages, k);
            same_row(down, cJSON_GetArrayItem(want, 1), stages, k);
            cr_assert(nd_v_layers(layers, stages, up, down));
            for (int i = 0; i < stages; i++)
                sum += up[i] + down[i];
            cr_assert_eq(sum, layers, "case %d: %lld layers", k, (long long)sum);
        }
        k++;
    }
    cr_assert_eq(k, 12);
    cJSON_Delete(document);
}

Test(nd_costs, all_layers_are_on_some_stage)
{
    for (int64_t layers = 1; layers < 130; layers++)
        for (int32_t stages = 1; stages < 140; stages++) {
            int64_t sum = 0;
            for (int32_t i = 0; i < stages; i++)
                sum += nd_stage_layers(layers, stages, i);
            cr_assert_eq(sum, layers, "%lld on %d", (long long)layers, stages);
        }
}

// ---- logarithms ---------------------------------------------------------------------------------

Test(nd_costs, logarithms_are_those_of_libm)
{
    for (int e = -1074; e < 1024; e++)
        cr_assert_eq(detmath_log2(ldexp(1, e)), (double)e, "2^%d", e);
    double x = 0x1p-1070;
    for (int i = 0; i < 200000; i++, x *= 1.0075) {
        if (x > 1e308)
            x = 0.5;
        double want = log2(x), bound = 1e-15 * fmax(1, fabs(want));
        cr_assert(fabs(detmath_log2(x) - want) <= bound, "log2(%a) = %a, expected %a", x,
                  detmath_log2(x), want);
    }
    cr_assert_eq(detmath_log2(0), -HUGE_VAL);
    cr_assert_eq(detmath_log2(HUGE_VAL), HUGE_VAL);
    cr_assert(isnan(detmath_log2(-1)) && isnan(detmath_log2((double)NAN)));
    cr_assert(fabs(detmath_log(10) - log(10)) < 1e-15);
}

// Of a model without experts, by hand: llama2-7B, 4096 tokens.
static double llama_utilization(bool flash, enum nd_recompute recompute, double *mfu)
{
    struct modeldesc model = {.num_layers = 32,
                              .layer_norms = 2,
                              .hidden = 4096,
                              .heads = 32,
                              .query_groups = 32};
    struct cluster cluster = {.world_size = 8, .node_devices = 8};
    struct training training;
    struct nd_estimate e;
    model.head_dim = 128;
    model.ffn = 11008;
    model.gated = true;
    model.vocab = 32000;
    model.seq_length = 4096;
    model.dense_layers = 32;
    cluster.hardware = *hardware_find("H100");
    training_default(&training);
    training.flash_attention = flash;
    nd_estimate_open(&e, &model, &cluster, &training, 1);
    const struct nd_point point = {{.dp = 8,
                                    .tp = 1,
                                    .cp = 1,
                                    .pp = 1,
                                    .ep = 1,
                                    .op = 8,
                                    .vp = 1,
                                    .mbs = 1,
                                    .recompute = recompute},
                                   4096,
                                   64};
    struct nd_cache *cache = make_cache();
    struct nd_time time;
    nd_estimate(&e, cache, &point, NULL, &time);
    free(cache);
    const double unit = time.tokens_per_s / (8 * cluster.hardware.peak);
    *mfu = time.mfu / unit;
    return time.hfu / unit;
}

// Catches attention counted over all pairs in MFU, and recomputation that is missing in HFU or
// counted where a mode makes nothing again.
Test(nd_costs, utilizations_count_what_they_say)
{
    const double layer = 4.0 * 4096 * 4096 + 3.0 * 4096 * 11008 + 2 * 4096;
    const double used = 32 * layer + 4096 + 32000.0 * 4096, pairs = 4096.0 / 2;
    const double attention = 32 * 2 * 2 * 4096 * pairs; // forward, the causal half
    const double needed = 6 * used + 3 * attention;
    double mfu;
    for (int flash = 0; flash < 2; flash++)
        for (int mode = 0; mode < 3; mode++) {
            const double forward = flash ? attention : 2 * attention;
            double made = 6 * used + forward * (flash ? 3.5 : 3);
            if (mode == ND_RECOMPUTE_FULL)
                made += 2 * (32 * layer + 4096) + forward;
            if (mode == ND_RECOMPUTE_SELECT && !flash)
                made += forward;
            const double hfu = llama_utilization(flash, (enum nd_recompute)mode, &mfu);
            near(mfu, needed, 1e-12, "mfu of case %d", mode);
            near(hfu, made, 1e-12, "hfu of case %d", mode);
        }
}
