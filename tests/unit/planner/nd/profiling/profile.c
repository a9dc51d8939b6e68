// SPDX-License-Identifier: Apache-2.0
// Tests the steps after the search: published memory computed by hand, expert fits of any two
// degrees and with missing peaks, dry runs, and the choice of configurations to profile, with and
// without the published flaws.
#include "tests/unit/support/documents.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/nd/profiling/profile.h"
#include "planner/nd/strategies/expert_fit.h"
#include "planner/nd/strategies/published_memory.h"

static struct nd_strategy tuple(int32_t dp, int32_t tp, int32_t pp, int32_t ep, int32_t cp,
                                int32_t op)
{
    return (struct nd_strategy){.dp = dp,
                                .tp = tp,
                                .cp = cp,
                                .pp = pp,
                                .ep = ep,
                                .op = op,
                                .vp = 1,
                                .mbs = 1};
}

// ---- published memory ---------------------------------------------------------------------------

static struct modeldesc deepseek_v3(void)
{
    struct pps_json document = document_in("sweep_configs/models/deepseek-v3.json");
    struct modeldesc model;
    struct pps_fault fault;
    cr_assert(modeldesc_read(&model, document.root, &fault), "%s", fault.text);
    pps_json_free(&document);
    return model;
}

static double estimate_of(const struct modeldesc *model, struct nd_strategy strategy)
{
    struct nd_origmem memory;
    nd_origmem_init(&memory, model, true);
    return nd_origmem_estimate(&memory, &strategy);
}

Test(nd_origmem, examples)
{
    struct modeldesc model = deepseek_v3();
    cr_expect_float_eq(estimate_of(&model, tuple(1, 1, 16, 64, 1, 128)), 15558.260193, 1e-5);
    cr_expect_float_eq(estimate_of(&model, tuple(1, 1, 16, 64, 1, 16)), 18048.603516, 1e-5);
    model.num_layers = 62;
    cr_expect_float_eq(estimate_of(&model, tuple(1, 4, 16, 32, 1, 8)), 7701.500977, 1e-5);
    // -1 is dp
    cr_expect_eq(estimate_of(&model, tuple(8, 4, 16, 32, 1, -1)),
                 estimate_of(&model, tuple(8, 4, 16, 32, 1, 8)));
}

// A dense model that does not say how many layers are dense has no feed-forward networks at all.
Test(nd_origmem, what_the_model_does_not_say)
{
    struct modeldesc model = {.num_layers = 32,
                              .layer_norms = 2,
                              .hidden = 4096,
                              .heads = 32,
                              .query_groups = 32,
                              .head_dim = 128,
                              .ffn = 11008,
                              .gated = true,
                              .vocab = 32000,
                              .dense_layers = 32,
                              .shared_given = -1,
                              .dense_given = -1};
    const struct nd_strategy strategy = tuple(1, 1, 1, 1, 1, 8);
    const double norms = 2 * 4096 * 2, attention = 4.0 * 4096 * 4096;
    struct nd_origmem memory;
    struct nd_origmem_layers mb;
    nd_origmem_init(&memory, &model, true);
    nd_origmem_layers(&memory, &strategy, &mb);
    cr_expect_float_eq(mb.moe_mb, (norms + attention) * 7.5 / 1048576, 1e-9);
    cr_expect_float_eq(nd_origmem_estimate(&memory, &strategy),
                       2 * mb.vocab_mb + 32 * mb.moe_mb, 1e-9);
    model.dense_given = 32;
    cr_expect_float_eq(estimate_of(&model, strategy), 50073.765625, 1e-5);
}

// ---- fits ---------------------------------------------------------------------------------------

Test(nd_epfit, any_two_degrees)
{
    const struct nd_test_degrees degrees = {4, 32};
    struct nd_epfit fit = nd_epfit_solve(degrees, 100 + 800 / 4.0, 100 + 800 / 32.0, false);
    cr_expect_float_eq(fit.experts_mb, 800, 1e-9);
    cr_expect_float_eq(nd_epfit_peak(&fit, 16), 150, 1e-9);
    fit = nd_epfit_solve(degrees, 300, 125, true); // exact only for twice the degree
    cr_expect_float_eq(fit.experts_mb, 175.0 * 32, 1e-9);
    fit = nd_epfit_solve((struct nd_test_degrees){4, 8}, 71710, 54686, true);
    cr_expect(fit.experts_mb == 136192 && fit.base_mb == 37662);
}

static const struct nd_dryrun_peak peaks[] = {
    {.dp = 8, .tp = 2, .pp = 2, .ep = 8, .peak_mb = 30},  // alone
    {.dp = 4, .tp = 4, .pp = 2, .ep = 16, .peak_mb = 44}, // both
    {.dp = 4, .tp = 4, .pp = 2, .ep = 8, .peak_mb = 48},
    {.dp = 4, .tp = 4, .pp = 2, .ep = 8, .peak_mb = 47},  // of another rank
    {.dp = 4, .tp = 4, .pp = 2, .ep = 4, .peak_mb = 57},  // not a tested degree
    {.dp = 16, .tp = 1, .pp = 2, .ep = 8, .peak_mb = 20}, // grows with ep
    {.dp = 16, .tp = 1, .pp = 2, .ep = 16, .peak_mb = 26},
    {.dp = 2, .tp = 1, .pp = 2, .ep = 2, .peak_mb = 20}, // no group at all
};

static void fit_peaks(bool orig, struct nd_epfit_result *result)
{
    cr_assert_eq(nd_epfit(peaks, sizeof peaks / sizeof *peaks, (struct nd_test_degrees){8, 16},
                          16, 50, orig, result),
                 ND_EPFIT_OK);
    cr_assert_eq(result->n_groups, 3);
}

Test(nd_epfit, missing_and_growing_peaks)
{
    struct nd_epfit_result result;
    fit_peaks(false, &result);
    cr_expect_eq(result.groups[0].note, ND_EPFIT_FITTED);
    cr_expect_eq(result.groups[1].note, ND_EPFIT_INCOMPLETE);
    cr_expect_eq(result.groups[2].note, ND_EPFIT_NEGATIVE);
    // of the first group 8 and 16 fit, of the last all five degrees
    cr_assert_eq(result.n_candidates, 2 + 5);
    cr_expect(result.candidates[0].ep == 8 && result.candidates[0].peak_mb == 48);
    cr_expect(result.candidates[6].ep == 16 && result.candidates[6].peak_mb == 26);
    cr_assert_eq(result.n_checks, 1);
    cr_expect(result.checks[0].peak.ep == 4 && result.checks[0].fitted_mb == 40 + 64 / 4);
    nd_epfit_free(&result);
}

// As published a missing peak is 0: 30 at ep 8 and 0 at 16 make -30 + 480 / ep.
Test(nd_epfit, missing_peaks_as_published)
{
    struct nd_epfit_result result;
    fit_peaks(true, &result);
    cr_expect_eq(result.groups[1].fit.experts_mb, 480);
    cr_expect_eq(result.groups[1].fit.base_mb, -30);
    cr_assert_eq(result.n_candidates, 2 + 2 + 5);
    cr_expect(result.candidates[3].ep == 16 && result.candidates[3].peak_mb == 0);
    cr_expect_eq(result.groups[2].fit.experts_mb, -96);
    nd_epfit_free(&result);
}

Test(nd_epfit, refusals)
{
    struct nd_epfit_result result;
    const struct nd_test_degrees degrees = {8, 16}, same = {8, 8}, none = {0, 8};
    cr_expect_eq(nd_epfit(peaks, 1, degrees, 48, 50, true, &result), ND_EPFIT_EP_LIMIT);
    cr_expect_eq(nd_epfit(peaks, 1, degrees, 0, 50, true, &result), ND_EPFIT_EP_LIMIT);
    cr_expect_eq(nd_epfit(peaks, 1, same, 64, 50, true, &result), ND_EPFIT_DEGREES);
    cr_expect_eq(nd_epfit(peaks, 1, none, 64, 50, true, &result), ND_EPFIT_DEGREES);
    cr_assert_eq(nd_epfit(peaks, 0, degrees, 64, 50, true, &result), ND_EPFIT_OK);
    cr_expect_eq(result.n_candidates, 0);
    nd_epfit_free(&result);
}

// ---- dry runs -----------------------------------------------------------------------------------

Test(nd_dryrun, ranks)
{
    cr_expect_eq(nd_dryrun_rank(1024, 16, 61, false), 3 * 1024 / 16);
    cr_expect_eq(nd_dryrun_rank(1024, 16, 64, false), 1023); // pp divides the layers
    cr_expect_eq(nd_dryrun_rank(1024, 16, 61, true), 1023);
}

Test(nd_dryrun, groups)
{
    const struct nd_test_degrees degrees = {8, 16};
    struct nd_quad group = {2, 4, 1, 4};
    struct nd_dryrun runs[2];
    struct nd_space space;
    cr_assert(nd_space_init(&space, ND_FSDP, false, 32));
    space.layers = 8;
    space.experts = 64;
    space.gbs = 100;
    cr_assert_eq(nd_dryruns_of(&space, &group, degrees, false, runs), 1);
    cr_expect(runs[0].ep == 8 && runs[0].micro_batches == 50);
    cr_expect_eq(nd_dryruns_of(&space, &group, degrees, true, runs), 0); // 2 pp >= layers
    space.layers = 9;
    cr_expect_eq(nd_dryruns_of(&space, &group, degrees, true, runs), 1);
    space.experts = 0;
    group.dp = 1;
    cr_assert_eq(nd_dryruns_of(&space, &group, degrees, false, runs), 1);
    cr_expect_eq(runs[0].ep, 0);
}

// ---- reductions ---------------------------------------------------------------------------------

static enum nd_reduction reduce(enum nd_profile_style style, bool orig, int32_t rank_num,
                                struct nd_strategy candidate, struct nd_profile_run *profile)
{
    const struct nd_profile_options options = {.style = style,
                                               .orig = orig,
                                               .rank_num = rank_num,
                                               .devices = 1 << 20};
    return nd_reduce(&options, &candidate, profile);
}

Test(nd_profile, graph_reductions)
{
    struct nd_profile_run p;
    cr_assert_eq(reduce(ND_PROFILE_GRAPH, true, 48, tuple(3, 1, 48, 1, 1, 1), &p), ND_REJECTED);
    cr_expect_eq(p.strategy.pp,
                 16); // 3 times the cards, and 3 divides pp; no model of 16 stages
    cr_assert_eq(reduce(ND_PROFILE_GRAPH, true, 16, tuple(3, 1, 16, 1, 1, 1), &p), ND_REJECTED);
    cr_expect_eq(p.strategy.pp, 16); // divided by 3 / 3
    cr_assert_eq(reduce(ND_PROFILE_GRAPH, true, 16, tuple(2, 1, 16, 1, 1, 1), &p), ND_REDUCED);
    cr_expect(p.strategy.pp == 8 && p.layers == 12 && p.n_stages == 8 && p.split[7] == 1 &&
              p.recompute[5] == 2);
    // a dense candidate goes down to one stage
    cr_assert_eq(reduce(ND_PROFILE_GRAPH, true, 8, tuple(8, 1, 8, 0, 1, 8), &p), ND_REDUCED);
    cr_expect(p.strategy.pp == 1 && p.strategy.dp == 8 && p.layers == 31 && p.n_stages == 0);
    cr_expect_eq(reduce(ND_PROFILE_GRAPH, true, 0, tuple(8, 1, 8, 1, 1, 8), &p), ND_DIVIDED);
    // fewer devices than cards: times is 0, a multiple of 3
    cr_expect_eq(reduce(ND_PROFILE_GRAPH, true, 64, tuple(2, 1, 4, 1, 1, 1), &p), ND_DIVIDED);
    cr_expect_eq(reduce(ND_PROFILE_GRAPH, false, 64, tuple(2, 1, 4, 1, 1, 1), &p), ND_REJECTED);
}

Test(nd_profile, megatron_reductions)
{
    struct nd_profile_run p;
    cr_assert_eq(reduce(ND_PROFILE_MEGATRON, true, 64, tuple(64, 2, 4, 8, 1, 64), &p),
                 ND_REDUCED);
    cr_expect(p.strategy.dp == 16 && p.strategy.pp == 2 && p.nodes == 8 &&
              p.node_devices == 8 && p.record_ranks[1] == 32);
    cr_expect_eq(reduce(ND_PROFILE_MEGATRON, true, 64, tuple(64, 2, 4, 32, 1, 64), &p),
                 ND_REJECTED);
    cr_assert_eq(reduce(ND_PROFILE_MEGATRON, true, 64, tuple(2, 1, 4, 2, 1, 2), &p),
                 ND_REDUCED);
    cr_expect(p.strategy.dp == 2 && p.nodes == 1 && p.node_devices == 4);
    // context parallelism takes devices, too
    cr_assert_eq(reduce(ND_PROFILE_MEGATRON, false, 8, tuple(4, 1, 4, 1, 2, 4), &p),
                 ND_REDUCED);
    cr_expect(p.strategy.dp == 2 && p.strategy.cp == 2);
}

// -1 stands for dp; as published -1 divided by anything is -1.
Test(nd_profile, fsdp_reductions)
{
    struct nd_profile_run p;
    cr_assert_eq(reduce(ND_PROFILE_FSDP, true, 8, tuple(16, 1, 2, 8, 1, -1), &p), ND_REDUCED);
    cr_expect(p.strategy.dp == 8 && p.strategy.op == -1 && p.strategy.pp == 1);
    cr_assert_eq(reduce(ND_PROFILE_FSDP, false, 8, tuple(16, 1, 2, 8, 1, -1), &p), ND_REDUCED);
    cr_expect(p.strategy.dp == 8 && p.strategy.op == 8);
    cr_expect_eq(reduce(ND_PROFILE_FSDP, true, 8, tuple(16, 1, 2, 8, 1, 1), &p), ND_REJECTED);
    cr_expect_eq(reduce(ND_PROFILE_FSDP, true, 8, tuple(4, 1, 1, 1, 1, 4), &p), ND_REJECTED);
    // 8 experts' ranks do not go with 4 shards
    cr_expect_eq(reduce(ND_PROFILE_FSDP, true, 8, tuple(16, 1, 2, 8, 1, 8), &p), ND_REDUCED);
    cr_expect_eq(reduce(ND_PROFILE_FSDP, false, 8, tuple(16, 1, 2, 8, 1, 8), &p), ND_REJECTED);
}

// ---- choices ------------------------------------------------------------------------------------

Test(nd_profile, refusals)
{
    const struct nd_strategy candidate = tuple(2, 1, 4, 1, 1, 2);
    struct nd_profile_options options = {.style = ND_PROFILE_GRAPH, .orig = true, .devices = 8};
    struct nd_profile_run profiles[20];
    int n;
    char text[160] = "";
    cr_expect_eq(nd_profile_choose(&options, &candidate, 1, profiles, &n, text),
                 ND_PROFILE_DIVISION);
    cr_expect_eq(strncmp(text, "error", 5), 0);
    options.orig = false;
    cr_expect_eq(nd_profile_choose(&options, &candidate, 1, profiles, &n, text),
                 ND_PROFILE_RANKS);
    cr_expect_str_eq(text, "error: rank_num must be 1 or more (got 0)");
    options.style = ND_PROFILE_MEGATRON;
    options.orig = true; // no division comes into it: everything is rejected
    cr_expect_eq(nd_profile_choose(&options, &candidate, 1, profiles, &n, text), ND_PROFILE_OK);
    cr_expect_eq(n, 0);
}

static double seconds_of(void *context, const struct nd_strategy *c)
{
    (void)context;
    return 100.0 / c->ep + c->tp + (c->pp == 4 ? 0 : 10) + c->mbs;
}

static bool fits_small(void *context, const struct nd_profile_run *p)
{
    ++*(int *)context;
    return p->strategy.tp < 4;
}

// One of each kind, the quickest kinds first, by their quickest member.
Test(nd_profile, choice_covers_the_kinds)
{
    struct nd_strategy candidates[64];
    struct nd_profile_run profiles[20];
    size_t n = 0;
    int n_profiles, asked = 0;
    for (int32_t tp = 1; tp <= 4; tp *= 2)
        for (int32_t pp = 2; pp <= 8; pp *= 2)
            for (int32_t mbs = 1; mbs <= 2; mbs++)
                for (int32_t ep = 2; ep <= 8; ep *= 4) {
                    candidates[n] = tuple(256 / tp / pp, tp, pp, ep, 1, 256 / tp / pp);
                    candidates[n++].mbs = mbs;
                }
    struct nd_profile_options options = {.style = ND_PROFILE_MEGATRON,
                                         .rank_num = 64,
                                         .devices = 256,
                                         .seconds = seconds_of,
                                         .fits = fits_small,
                                         .context = &asked};
    cr_assert_eq(nd_profile_choose(&options, candidates, n, profiles, &n_profiles, NULL),
                 ND_PROFILE_OK);
    cr_expect_eq(n_profiles, 2 * 2 * 2); // tp 4 does not fit
    cr_expect_eq(asked, 36);
    for (int k = 0; k < n_profiles; k++) {
        const struct nd_strategy *of = &candidates[profiles[k].candidate];
        cr_expect_eq(of->pp, 4);
        if (k > 0)
            cr_expect_geq(seconds_of(NULL, of),
                          seconds_of(NULL, &candidates[profiles[k - 1].candidate]));
        for (int l = 0; l < k; l++)
            cr_expect(profiles[l].strategy.tp != of->tp || profiles[l].strategy.ep != of->ep ||
                      profiles[l].strategy.mbs != of->mbs);
    }
    options.n_max = 3;
    cr_assert_eq(nd_profile_choose(&options, candidates, n, profiles, &n_profiles, NULL),
                 ND_PROFILE_OK);
    cr_expect_eq(n_profiles, 3);
    cr_expect(profiles[0].strategy.ep == 8 && profiles[0].strategy.tp == 1);
}
