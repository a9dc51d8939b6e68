// SPDX-License-Identifier: Apache-2.0
// Speed of the estimate of strategies: all strategies of a model on 1024 devices, memory and step
// time, in two orders: degrees that fix a layer's figures outside, and the order of a search that
// has them innermost. One JSON line a measurement; CPU time, the least of several runs; a sample of
// points is compared with the plain version. Not a test: a slow machine is no failure, a wrong
// result is.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/math/units.h"
#include "base/system/machine.h"
#include "bench/shippedmodel.h"
#include "kernels/common/estimate/estimate.h"
#include "kernels/common/estimate/reference.h"

#define RUNS    5
#define DEVICES 1024

struct work {
    struct nd_estimate estimate;
    struct nd_cache *cache;
    struct nd_point *points;
    size_t n;
};

enum order {
    SHAPE_OUTSIDE,
    SEARCH,
};

static void add(struct work *w, const struct nd_strategy *s)
{
    static const int gbs = 3840;
    if (gbs / s->mbs / s->dp >= s->pp)
        w->points[w->n++] = (struct nd_point){*s, 4096, gbs};
}

// Vary degrees that fix the figures of a layer (ep, mbs, sp), and degrees that do not (op, vp,
// recompute).
static void add_shapes(struct work *w, struct nd_strategy s, int64_t experts, bool innermost);

static void add_plans(struct work *w, struct nd_strategy s, int64_t experts, bool innermost)
{
    int32_t most = (int32_t)((w->estimate.n_layers + s.pp - 1) / s.pp - 1);
    for (s.op = 1; s.op <= s.dp; s.op *= 2)
        for (s.vp = 1; s.vp <= (s.pp == 1 ? 1 : most); s.vp++)
            for (int mode = 0; mode < 3; mode++) {
                s.recompute = (enum nd_recompute)mode;
                if (innermost)
                    add(w, &s);
                else
                    add_shapes(w, s, experts, true);
            }
}

static void add_shapes(struct work *w, struct nd_strategy s, int64_t experts, bool innermost)
{
    for (s.ep = 1; s.ep <= (experts == 0 ? 1 : experts); s.ep *= 2)
        for (s.mbs = 1; s.mbs <= 4; s.mbs *= 2)
            for (int sp = 0; sp < 2; sp++) {
                s.sp = sp;
                if (innermost)
                    add(w, &s);
                else
                    for (s.pp = 1; s.pp <= 64 && s.pp * s.tp * s.cp <= DEVICES; s.pp *= 2) {
                        s.dp = DEVICES / s.pp / s.tp / s.cp;
                        add_plans(w, s, experts, true);
                    }
            }
}

static void enumerate(struct work *w, int64_t experts, enum order order)
{
    w->n = 0;
    for (int32_t tp = 1; tp <= 64; tp *= 2)
        for (int32_t cp = 1; cp <= 16; cp *= 2) {
            struct nd_strategy s = {.tp = tp, .cp = cp};
            if (order == SHAPE_OUTSIDE) {
                add_shapes(w, s, experts, false);
                continue;
            }
            for (s.pp = 1; s.pp <= 64 && s.pp * tp * cp <= DEVICES; s.pp *= 2) {
                s.dp = DEVICES / s.pp / tp / cp;
                add_plans(w, s, experts, false);
            }
        }
}

enum wanted {
    MEMORY,
    TIME,
    BOTH,
    FITTING, // three modes' memory, both of the one that fits
};

static double walk(struct work *w, enum wanted wanted)
{
    struct nd_memory memory = {0};
    struct nd_time time = {0};
    double modes[LAYERCOST_MODES], sum = 0, start = pps_cpu_seconds();
    memset(w->cache, 0, nd_cache_bytes());
    for (size_t i = 0; i < w->n; i++) {
        if (wanted == FITTING)
            nd_estimate_fitting(&w->estimate, w->cache, &w->points[i], 64 * UNITS_GIB, modes,
                                &memory, &time);
        else
            nd_estimate(&w->estimate, w->cache, &w->points[i], wanted == TIME ? NULL : &memory,
                        wanted == MEMORY ? NULL : &time);
        sum += memory.total + time.step;
    }
    if (!(sum > 0))
        exit(1);
    return pps_cpu_seconds() - start;
}

static void compare(struct work *w)
{
    static struct nd_chunk chunks[8192];
    static struct nd_stage stages[128];
    for (size_t i = 0; i < w->n; i += 997) {
        struct nd_memory a, b;
        struct nd_time ta, tb;
        const struct nd_point *p = &w->points[i];
        nd_reference_split(&w->estimate, p, chunks);
        nd_reference(&w->estimate, p, chunks, stages, &b, &tb);
        nd_estimate(&w->estimate, w->cache, p, &a, &ta);
        if (fabs(a.total - b.total) <= 1e-11 * b.total &&
            fabs(ta.step - tb.step) <= 1e-11 * tb.step)
            continue;
        fprintf(stderr, "bench_ndsearch: point %zu differs from the plain version\n", i);
        exit(1);
    }
}

static void measure(struct work *w, const char *model, int64_t experts)
{
    static const char *const orders[] = {"shape outside", "search"};
    static const char *const wants[] = {"memory", "time", "both", "fitting"};
    for (int order = 0; order < 2; order++) {
        enumerate(w, experts, (enum order)order);
        compare(w);
        for (int wanted = 0; wanted < 4; wanted++) {
            double best = HUGE_VAL;
            for (int run = 0; run < RUNS; run++)
                best = fmin(best, walk(w, (enum wanted)wanted));
            printf("{\"bench\":\"nd_estimate\",\"model\":\"%s\",\"order\":\"%s\",\"wanted\":"
                   "\"%s\",\"points\":%zu,\"ns_per_point\":%.1f,\"points_per_s\":%.0f}\n",
                   model, orders[order], wants[wanted], w->n, 1e9 * best / (double)w->n,
                   (double)w->n / best);
        }
    }
}

// Qwen3-Next-80B-A3B: three layers of Gated DeltaNet before each one of attention, experts in all.
static struct modeldesc hybrid_model(void)
{
    struct modeldesc m = shipped_model("qwen3-30b-a3b");
    m.experts = 512;
    m.topk = 10;
    m.moe_ffn = m.shared_ffn = 512;
    m.scan = (struct modeldesc_scan){.heads = 32,
                                     .head_dim = 128,
                                     .groups = 16,
                                     .state = 128,
                                     .conv = 4};
    for (int64_t i = 0; i < m.num_layers; i++) {
        const struct modeldesc_kind kind = {.mixer = i % 4 == 3 ? MODELDESC_ATTENTION
                                                                : MODELDESC_DELTA,
                                            .network = MODELDESC_EXPERTS};
        if (!modeldesc_set_kind(&m, i, &kind))
            exit(1);
    }
    return m;
}

int main(void)
{
    struct work w = {.cache = aligned_alloc(64, (nd_cache_bytes() + 63) / 64 * 64),
                     .points = malloc(4000000 * sizeof *w.points)};
    struct hardware h100 = *hardware_find("H100");
    struct cluster cluster = {DEVICES, 8, 64 * UNITS_GIB, 0, h100};
    struct training training;
    struct modeldesc sparse = shipped_model("deepseek-v3"), dense = shipped_model("llama3-70b");
    if (w.cache == NULL || w.points == NULL)
        return 1;
    training_default(&training);
    nd_estimate_open(&w.estimate, &sparse, &cluster, &training, 1);
    measure(&w, "deepseek_v3", sparse.experts);
    nd_estimate_open(&w.estimate, &dense, &cluster, &training, 2);
    measure(&w, "llama3_70b", 0);
    struct modeldesc hybrid = hybrid_model();
    nd_estimate_open(&w.estimate, &hybrid, &cluster, &training, 3);
    measure(&w, "qwen3_next", hybrid.experts);
    free(w.points);
    free(w.cache);
    return 0;
}
