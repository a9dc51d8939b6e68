// SPDX-License-Identifier: Apache-2.0
// The search as a whole against brute force: every point through every filter and the estimate,
// gathered by tuples in a list. Would catch a tuple that is cut in two, a candidate that is not its
// tuple's quickest, or recompute that is not needed.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math/units.h"
#include "planner/nd/strategies/search.h"
#include "tests/unit/support/near.h"

static const struct modeldesc models[] = {
    {.num_layers = 12,
     .hidden = 2048,
     .heads = 16,
     .query_groups = 4,
     .head_dim = 128,
     .ffn = 8192,
     .gated = true,
     .vocab = 64000,
     .seq_length = 4096,
     .dense_layers = 12,
     .shared_given = -1,
     .dense_given = 12},
    {.num_layers = 9,
     .mtp_depth = 1,
     .hidden = 2048,
     .heads = 16,
     .query_groups = 16,
     .head_dim = 128,
     .ffn = 8192,
     .gated = true,
     .vocab = 64000,
     .seq_length = 4096,
     .experts = 16,
     .topk = 2,
     .moe_ffn = 1024,
     .dense_layers = 1,
     .shared_given = -1,
     .dense_given = 1},
};

// A search with all that it needs.
struct setup {
    struct cluster cluster;
    struct training training;
    struct nd_space space;
    struct nd_filters filters;
    struct nd_estimate estimate;
    struct nd_origmem origmem;
    void *cache;
    struct nd_search search;
};

static void set_up(struct setup *s, const struct modeldesc *model, enum nd_preset preset,
                   bool orig, int64_t devices, double gib)
{
    memset(s, 0, sizeof *s);
    s->cluster = (struct cluster){.world_size = devices,
                                  .node_devices = 8,
                                  .memory_limit = gib * UNITS_GIB,
                                  .hardware = *hardware_find("H100")};
    training_default(&s->training);
    s->training.gbs = 48;
    cr_assert(nd_space_init(&s->space, preset, orig, devices));
    s->space.vary.cp = true;
    nd_space_set_model(&s->space, model);
    nd_space_set_training(&s->space, &s->training);
    nd_filters_init(&s->filters, &s->space);
    nd_filters_drop(&s->filters, "cp_one");
    nd_estimate_open(&s->estimate, model, &s->cluster, &s->training, 1);
    nd_origmem_init(&s->origmem, model, true);
    s->cache = aligned_alloc(64, (nd_cache_bytes() + 63) / 64 * 64);
    memset(s->cache, 0, nd_cache_bytes());
    s->search = (struct nd_search){.space = &s->space,
                                   .filters = &s->filters,
                                   .estimate = &s->estimate,
                                   .cache = s->cache,
                                   .origmem = &s->origmem,
                                   .seq_length = model->seq_length,
                                   .limit_mb = gib * UNITS_KIB,
                                   .top = 7};
}

// ---- brute force --------------------------------------------------------------------------------

enum { TUPLES_MAX = 20000 };

struct plain {
    const struct setup *setup;
    size_t n;
    uint64_t points;
    double least_mb;
    struct nd_candidate *list; // the quickest of each tuple
};

static bool same_tuple(const struct nd_strategy *a, const struct nd_strategy *b)
{
    return a->dp == b->dp && a->tp == b->tp && a->cp == b->cp && a->pp == b->pp &&
           a->ep == b->ep && a->op == b->op;
}

// Memory and time by the estimate itself, with the least recompute that fits, or of least memory.
static struct nd_candidate evaluate(const struct setup *s, const struct nd_strategy *strategy)
{
    struct nd_candidate best = {.memory_mb = HUGE_VAL};
    for (int mode = ND_RECOMPUTE_NONE; mode <= ND_RECOMPUTE_FULL; mode++) {
        struct nd_point point = {*strategy, s->search.seq_length, s->space.gbs};
        struct nd_memory memory;
        struct nd_time time;
        point.strategy.recompute = (enum nd_recompute)mode;
        nd_estimate(&s->estimate, s->cache, &point, &memory, &time);
        const struct nd_candidate c = {.strategy = point.strategy,
                                       .memory_mb = units_to_mib(memory.total),
                                       .step_ms = units_to_ms(time.step)};
        if (c.memory_mb < best.memory_mb)
            best = c;
        if (c.memory_mb <= s->search.limit_mb)
            return c;
    }
    return best;
}

static bool see_point(void *context, const struct nd_strategy *point)
{
    struct plain *p = context;
    const struct setup *s = p->setup;
    for (int k = 0; k < s->filters.n; k++)
        if (!nd_filter_keeps(s->filters.list[k], &s->filters, &s->space, point))
            return true;
    const struct nd_candidate c = evaluate(s, point);
    p->least_mb = fmin(p->least_mb, c.memory_mb);
    if (c.memory_mb > s->search.limit_mb)
        return true;
    p->points++;
    for (size_t k = 0; k < p->n; k++)
        if (same_tuple(&p->list[k].strategy, point)) {
            if (c.step_ms < p->list[k].step_ms)
                p->list[k] = c;
            return true;
        }
    cr_assert(p->n < TUPLES_MAX);
    p->list[p->n++] = c;
    return true;
}

static void compare(struct setup *s, bool *some, bool *none)
{
    struct nd_search_result result;
    struct plain p = {.setup = s, .least_mb = HUGE_VAL};
    p.list = malloc(TUPLES_MAX * sizeof *p.list);
    nd_points(&s->space, see_point, &p);
    cr_assert(nd_search_run(&s->search, &result));
    cr_expect_eq(result.points_fit, p.points);
    cr_assert_eq(result.n, p.n, "%zu candidates, not %zu", result.n, p.n);
    nd_candidates_sort(p.list, p.n);
    for (size_t k = 0; k < p.n; k++) {
        const struct nd_candidate *a = &result.candidates[k], *b = &p.list[k];
        cr_expect(same_tuple(&a->strategy, &b->strategy) &&
                  a->strategy.recompute == b->strategy.recompute);
        near(a->step_ms, b->step_ms, 1e-9, "step");
        near(a->memory_mb, b->memory_mb, 1e-9, "memory");
    }
    for (size_t k = 0; k < result.best.n; k++) {
        size_t quicker = 0;
        for (size_t l = 0; l < p.n; l++)
            quicker += p.list[l].step_ms < result.best.heap[k].step_ms;
        cr_expect_leq(quicker, k);
    }
    cr_expect_eq(result.best.n, p.n < s->search.top ? p.n : s->search.top);
    if (result.has_least)
        near(result.least.memory_mb, p.least_mb, 1e-9, "least");
    *some = *some || p.n > 0;
    *none = *none || (p.n == 0 && result.has_least);
    nd_search_free(&result);
    free(p.list);
}

Test(nd_search_run, agrees_with_brute_force)
{
    static const int64_t devices[] = {1, 8, 24, 32};
    static const double gib[] = {0.3, 2, 12, 80};
    bool some = false, none = false;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (int preset = ND_CLASSIC; preset <= ND_MEGATRON; preset++)
            for (size_t d = 0; d < 4; d++)
                for (size_t g = 0; g < 4; g++) {
                    struct setup s;
                    set_up(&s, &models[m], (enum nd_preset)preset, false, devices[d], gib[g]);
                    compare(&s, &some, &none);
                    free(s.cache);
                }
    cr_expect(some && none);
}

// What somebody types need not mean anything; what does not is not evaluated.
Test(nd_search_run, strategies_that_mean_nothing)
{
    static const struct nd_strategy good =
        {.dp = 2, .tp = 2, .cp = 1, .pp = 2, .ep = 4, .op = -1, .vp = 2, .mbs = 4};
    struct nd_strategy bad[] = {good, good, good, good, good, good, good, good};
    struct setup s;
    set_up(&s, &models[1], ND_FSDP, false, 8, 80);
    cr_expect(nd_search_can(&s.search, &good));
    bad[0].dp = 4;
    bad[1].tp = 0;
    bad[2].op = 0;
    bad[3].vp = 6;   // 12 chunks of 10 layers
    bad[4].mbs = 25; // of 24
    bad[5].ep = 17;
    bad[6].mbs = 0;
    bad[7].tp = bad[7].cp = 1 << 30;
    for (int k = 0; k < 8; k++)
        cr_expect_not(nd_search_can(&s.search, &bad[k]), "%d", k);
    free(s.cache);
}

// Without pp_mbs there are points that have no micro-batch; none of them is a candidate.
Test(nd_search_run, no_micro_batch)
{
    struct setup s;
    struct nd_counts counts;
    struct nd_search_result result;
    set_up(&s, &models[0], ND_MEGATRON, false, 32, 80);
    s.space.gbs = 4;
    nd_filters_drop(&s.filters, "pp_mbs");
    nd_filters_drop(&s.filters, "gbs_dp");
    s.search.all_points = true;
    cr_assert(nd_search_run(&s.search, &result));
    nd_count(&s.space, &s.filters, &counts);
    cr_expect_gt(counts.survivors, result.n);
    cr_expect_gt(result.n, 0);
    for (size_t k = 0; k < result.n; k++)
        cr_expect_leq(result.candidates[k].strategy.dp * result.candidates[k].strategy.mbs, 4);
    nd_search_free(&result);
    free(s.cache);
}

// ---- properties ---------------------------------------------------------------------------------

// What fits little memory fits more, no slower.
Test(nd_search_run, more_memory_is_never_worse)
{
    double last_ms = HUGE_VAL;
    size_t last_n = 0;
    for (double gib = 0.5; gib <= 128; gib *= 2) {
        struct setup s;
        struct nd_search_result result;
        set_up(&s, &models[1], ND_MEGATRON, false, 32, gib);
        cr_assert(nd_search_run(&s.search, &result));
        cr_expect_geq(result.n, last_n);
        last_n = result.n;
        if (result.best.n > 0) {
            cr_expect_leq(result.best.heap[0].step_ms, last_ms);
            last_ms = result.best.heap[0].step_ms;
        }
        nd_search_free(&result);
        free(s.cache);
    }
    cr_expect_gt(last_n, 0);
}

// All points: as many as fit; none twice.
Test(nd_search_run, every_point)
{
    struct setup s;
    struct nd_search_result tuples, points;
    set_up(&s, &models[1], ND_FSDP, false, 24, 12);
    cr_assert(nd_search_run(&s.search, &tuples));
    s.search.all_points = true;
    cr_assert(nd_search_run(&s.search, &points));
    cr_expect_eq(points.n, points.points_fit);
    cr_expect_eq(points.points_fit, tuples.points_fit);
    cr_expect_gt(points.n, tuples.n);
    cr_expect_eq(points.best.heap[0].step_ms, tuples.best.heap[0].step_ms);
    nd_search_free(&tuples);
    nd_search_free(&points);
    free(s.cache);
}

// As published nothing but the tuple counts, the limit is fixed, and the least memory comes first.
Test(nd_search_run, as_published)
{
    struct setup s;
    struct nd_counts counts;
    struct nd_search_result result;
    set_up(&s, &models[1], ND_FSDP, true, 24, 0.001);
    cr_assert(nd_search_run(&s.search, &result));
    nd_count(&s.space, &s.filters, &counts);
    cr_expect_eq(result.n, counts.tuples); // of so small a model all fit 58 GiB
    for (size_t k = 0; k < result.n; k++)
        cr_expect(isnan(result.candidates[k].step_ms));
    for (size_t k = 1; k < result.best.n; k++)
        cr_expect_leq(result.best.heap[k - 1].memory_mb, result.best.heap[k].memory_mb);
    nd_search_free(&result);
    free(s.cache);
}

// In a measured group the peaks with full recompute decide, not the estimate.
Test(nd_search_run, measured_peaks)
{
    struct setup s;
    struct nd_epfit_result fits;
    const struct nd_dryrun_peak peaks[] = {
        {.dp = 8, .tp = 1, .pp = 1, .ep = 4, .peak_mb = 5000},
        {.dp = 8, .tp = 1, .pp = 1, .ep = 8, .peak_mb = 3000}};
    struct nd_strategy strategy =
        {.dp = 8, .tp = 1, .cp = 1, .pp = 1, .ep = 8, .op = 8, .vp = 1, .mbs = 1};
    set_up(&s, &models[1], ND_FSDP, false, 8, 4);
    const double estimated = nd_search_evaluate(&s.search, &strategy).full_mb;
    cr_assert_eq(nd_epfit(peaks, 2, (struct nd_test_degrees){4, 8}, 16, 4096, false, &fits),
                 ND_EPFIT_OK);
    s.search.fits = &fits;
    struct nd_candidate c = nd_search_evaluate(&s.search, &strategy);
    cr_expect_eq(c.memory_mb, 3000);
    cr_expect_eq(c.strategy.recompute, ND_RECOMPUTE_FULL);
    cr_expect(nd_search_fits(&s.search, &c));
    strategy.ep = 4;
    c = nd_search_evaluate(&s.search, &strategy);
    cr_expect_not(nd_search_fits(&s.search, &c));
    strategy.dp = 4; // not measured
    strategy.tp = 2;
    cr_expect_neq(nd_search_evaluate(&s.search, &strategy).full_mb, 3000);
    cr_expect_neq(estimated, 3000);
    nd_epfit_free(&fits);
    free(s.cache);
}
