// SPDX-License-Identifier: Apache-2.0
// Filters of the strategy search: editing the list, reasons why a strategy is out, and what to
// relax where nothing survives. Reasons are held against the filters themselves over random
// strategies.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/nd/strategies/walk.h"

// 62 layers, 256 experts, 128 heads, corrected, on `devices` devices.
static struct nd_space space_of(enum nd_preset preset, bool orig, int64_t devices)
{
    static const struct modeldesc model = {.num_layers = 61,
                                           .mtp_depth = 1,
                                           .heads = 128,
                                           .query_groups = 128,
                                           .vocab = 129280,
                                           .ffn = 18432,
                                           .moe_ffn = 2048,
                                           .shared_ffn = 2048,
                                           .dense_layers = 3,
                                           .seq_length = 4096,
                                           .attention = MODELDESC_MLA,
                                           .experts = 256};
    static const struct training training = {.gbs = 1024, .mbs = {1, 2, 4}, .n_mbs = 3};
    struct nd_space space;
    cr_assert(nd_space_init(&space, preset, orig, devices));
    nd_space_set_model(&space, &model);
    nd_space_set_training(&space, &training);
    return space;
}

static const char *list_of(const struct nd_filters *filters)
{
    static char text[512];
    text[0] = '\0';
    for (int k = 0; k < filters->n; k++)
        sprintf(text + strlen(text), k > 0 ? ",%s" : "%s", nd_filter_name(filters->list[k]));
    return text;
}

// ---- the list -----------------------------------------------------------------------------------

Test(nd_filters, presets)
{
    struct nd_filters filters;
    struct nd_space space = space_of(ND_CLASSIC, true, 64);
    nd_filters_init(&filters, &space);
    cr_expect_str_eq(list_of(&filters),
                     "cp_one,tp_max,ep_max,sp_large,pp_mbs,gbs_dp,pp_gt1,pp_max,tp_no3,tp_56");
    space = space_of(ND_FSDP, true, 64);
    nd_filters_init(&filters, &space);
    cr_expect_str_eq(list_of(&filters),
                     "cp_one,tp_max,ep_max,sp_large,pp_mbs,gbs_dp,ep_fsdp,pp_max,tp_no3");
    cr_expect_eq(filters.tp_max, 64);
    space = space_of(ND_MEGATRON, false, 64);
    nd_filters_init(&filters, &space);
    cr_expect_str_eq(list_of(&filters),
                     "experts,heads,groups,vocab,ffn,seq,seq_sp,op,m_pp,"
                     "tp_max,ep_max,sp_large,pp_mbs,gbs_dp,ep_megatron,pp_max");
    cr_expect_eq(filters.tp_max, 8);
}

Test(nd_filters, edits)
{
    char unknown[32] = "";
    struct nd_filters filters;
    const struct nd_space space = space_of(ND_FSDP, true, 64);
    nd_filters_init(&filters, &space);
    cr_expect(nd_filters_drop(&filters, "pp_mbs") && nd_filters_drop(&filters, "pp_mbs"));
    cr_expect(nd_filters_add(&filters, "tp_56") && nd_filters_add(&filters, "cp_one"));
    cr_expect_str_eq(list_of(&filters),
                     "cp_one,tp_max,ep_max,sp_large,gbs_dp,ep_fsdp,pp_max,tp_no3,tp_56");
    cr_expect_not(nd_filters_add(&filters, "tp_max "));
    cr_expect_not(nd_filters_drop(&filters, ""));
    cr_expect_not(nd_filters_replace(&filters, "tp_max,pp_mx,ep_max", unknown, sizeof unknown));
    cr_expect_str_eq(unknown, "pp_mx");
    cr_expect_str_eq(list_of(&filters),
                     "cp_one,tp_max,ep_max,sp_large,gbs_dp,ep_fsdp,pp_max,tp_no3,tp_56");
    cr_expect(
        nd_filters_replace(&filters, "pp_max,heads,tp_max,pp_max", unknown, sizeof unknown));
    cr_expect_str_eq(list_of(&filters), "pp_max,heads,tp_max");
    cr_expect(nd_filters_replace(&filters, "", unknown, sizeof unknown)); // rules stay
    cr_expect_str_eq(list_of(&filters), "heads");
}

Test(nd_filters, names_lead_back)
{
    for (int k = 0; k < ND_N_FILTERS; k++) {
        enum nd_filter filter = ND_N_FILTERS;
        cr_expect(nd_filter_find(nd_filter_name((enum nd_filter)k), &filter));
        cr_expect_eq(filter, (enum nd_filter)k);
        cr_expect(strlen(nd_filter_summary(filter)) > 5);
    }
}

// ---- corrections --------------------------------------------------------------------------------

static bool keeps(enum nd_filter filter, const struct nd_space *space, struct nd_strategy point)
{
    struct nd_filters filters;
    nd_filters_init(&filters, space);
    return nd_filter_keeps(filter, &filters, space, &point);
}

// The batch must split into whole micro-batches; as published only into replicas.
Test(nd_filters, batch_and_micro_batch)
{
    const struct nd_strategy point = {.dp = 3, .tp = 1, .cp = 1, .pp = 1, .mbs = 2};
    struct nd_space space = space_of(ND_FSDP, false, 3);
    space.gbs = 9;
    cr_expect_not(keeps(ND_GBS_DP, &space, point));
    space.orig = true;
    cr_expect(keeps(ND_GBS_DP, &space, point));
}

// As published a dense model keeps tp * cp == 1 alone, and op -1 keeps ep == tp * cp alone.
Test(nd_filters, expert_filters_of_dense_models)
{
    struct nd_space space = space_of(ND_FSDP, true, 8);
    struct nd_strategy point = {.dp = 4, .tp = 2, .cp = 1, .pp = 1, .ep = 4, .op = -1};
    cr_expect_not(keeps(ND_EP_FSDP, &space, point));
    space.orig = false;
    cr_expect(keeps(ND_EP_FSDP, &space, point)); // -1 is dp: 4 divides 4 * 2
    space.experts = 0;
    point.ep = 1;
    cr_expect(keeps(ND_EP_FSDP, &space, point));
    space.orig = true;
    cr_expect_not(keeps(ND_EP_FSDP, &space, point));
}

// Replicas of an expert: dp 2 * tp 4 / ep 16 is half a replica, of which any op is a multiple.
Test(nd_filters, fractions_of_replicas)
{
    const struct nd_space space = space_of(ND_CLASSIC, true, 8);
    struct nd_strategy point = {.dp = 2, .tp = 4, .cp = 1, .pp = 1, .ep = 16, .op = 1};
    cr_expect(keeps(ND_EP_GRAPH, &space, point));
    point.ep = 4;
    cr_expect_not(keeps(ND_EP_GRAPH, &space, point));
    point.op = 2;
    cr_expect(keeps(ND_EP_GRAPH, &space, point));
}

Test(nd_filters, corrected_domains)
{
    const struct nd_quad quad = {8, 1, 1, 2};
    struct nd_domains d;
    struct nd_space space = space_of(ND_FSDP, false, 16);
    space.experts = 12;
    space.vary.fsdp = false;
    nd_domains_of(&space, &quad, &d);
    cr_assert_eq(d.n_ep, 6); // 1 2 3 4 6 12
    cr_expect_eq(d.ep[2], 3);
    cr_assert_eq(d.n_op, 1);
    cr_expect_eq(d.op[0], 8);
    cr_expect_not(d.sp_on);
    space.orig = true;
    nd_domains_of(&space, &quad, &d);
    cr_assert_eq(d.n_ep, 7); // 1 and even ones
    cr_expect_eq(d.ep[2], 4);
    cr_assert_eq(d.n_op, 4);
    cr_expect(d.op[0] == -1 && d.op[2] == -1 && d.op[3] == 8);
    space = space_of(ND_CLASSIC, false, 16);
    nd_domains_of(&space, &quad, &d);
    cr_expect(d.first_vp == 1 && d.last_vp == 30 && !d.sp_on);
    space.schedule = TRAINING_1F1B;
    nd_domains_of(&space, &quad, &d);
    cr_expect(d.first_vp == 1 && d.last_vp == 1);
    space.schedule = TRAINING_VPP;
    nd_domains_of(&space, &quad, &d);
    cr_expect(d.first_vp == 2 && d.last_vp == 30);
    nd_domains_of(&space, &(struct nd_quad){16, 1, 1, 1}, &d);
    cr_expect(d.first_vp == 1 && d.last_vp == 1); // no pipeline, no schedule
    space.schedule = TRAINING_ANY_SCHEDULE;
    space.orig = true;
    nd_domains_of(&space, &quad, &d);
    cr_expect(d.first_vp == 0 && d.last_vp == 30 && d.sp_on);
}

Test(nd_filters, sizes_of_micro_batches)
{
    struct nd_space space = space_of(ND_FSDP, false, 16);
    const struct training training = {.gbs = 64, .mbs = {8, 2, 8, 1, 2}, .n_mbs = 5};
    nd_space_set_training(&space, &training);
    cr_assert_eq(space.n_mbs, 3);
    cr_expect(space.mbs[0] == 1 && space.mbs[1] == 2 && space.mbs[2] == 8);
    cr_expect_not(nd_space_init(&space, ND_FSDP, false, 0));
    cr_expect_not(nd_space_init(&space, ND_FSDP, false, ND_DEVICES_MAX + INT64_C(1)));
    cr_expect(
        nd_space_init(&space, ND_FSDP, false, 14414400)); // as many divisors as there can be
    cr_expect_eq(space.n_divisors, 504);
}

// ---- why ----------------------------------------------------------------------------------------

static void expect_reasons(struct nd_strategy point, const char *const want[], int n)
{
    const struct nd_space space = space_of(ND_FSDP, false, 1024);
    struct nd_filters filters;
    struct nd_reason reasons[ND_REASONS_MAX];
    nd_filters_init(&filters, &space);
    const int got = nd_filters_explain(&filters, &space, &point, reasons);
    for (int k = 0; k < got && k < n; k++) {
        char text[256];
        snprintf(text, sizeof text, "%s: %s", reasons[k].name, reasons[k].text);
        cr_expect_str_eq(text, want[k]);
    }
    cr_expect_eq(got, n, "%d reasons, the last one %s", got,
                 got > 0 ? reasons[got - 1].text : "");
}

Test(nd_filters, reasons)
{
    struct nd_strategy point = {8, 8, 1, 16, 8, 8, 2, 1, true, ND_RECOMPUTE_NONE};
    expect_reasons(point, NULL, 0);
    point = (struct nd_strategy){64, 8, 1, 2, 48, 3, 2, 3, false, ND_RECOMPUTE_NONE};
    expect_reasons(
        point,
        (const char *[]){
            "space: ep 48 is not one of the degrees searched with 256 experts",
            "space: op 3 is not one of the 7 degrees searched with dp 64",
            "space: mbs 3 is not one of the micro-batch sizes searched",
            "experts: ep 48 does not divide the 256 experts",
            "op: op 3 does not divide dp 64 * cp 1",
            "m_pp: with vp 2, pp 2 does not divide the 5 micro-batches",
            "sp_large: 1024 devices are at least --large 1000, and sequence parallelism is off",
            "gbs_dp: gbs 1024 is not a multiple of dp 64 * mbs 3",
            "ep_fsdp: ep 48 does not divide op 3 * cp 1 * tp 8",
        },
        9);
    point = (struct nd_strategy){1, 1, 2, 64, 1, 1, 1, 1, true, ND_RECOMPUTE_NONE};
    expect_reasons(
        point,
        (const char *[]){
            "space: dp 1 * tp 1 * cp 2 * pp 64 is 128, but the cluster has 1024 devices",
            "cp_one: cp is 2, not 1",
            "pp_mbs: pp 64 is above the 62 layers",
            "ep_fsdp: ep 1 is not a multiple of cp 2 * tp 1",
            "pp_max: pp 64 is above 32",
        },
        5);
    point.tp = 0;
    expect_reasons(
        point, (const char *[]){"space: every degree must be at least 1 (op may be -1)"}, 1);
}

// Each filter that does not keep a strategy is named, once, in order, and no other is.
Test(nd_filters, reasons_are_those_of_the_filters)
{
    srand(7);
    for (int round = 0; round < 20000; round++) {
        const struct nd_space space =
            space_of((enum nd_preset)(rand() % 3), rand() % 2 == 0, 1 << rand() % 12);
        struct nd_filters filters;
        struct nd_reason reasons[ND_REASONS_MAX];
        const struct nd_strategy point = {1 + rand() % 9,   1 + rand() % 80, 1 + rand() % 4,
                                          1 + rand() % 70,  1 + rand() % 99, 1 + rand() % 9,
                                          rand() % 9 + 1,   1 + rand() % 5,  rand() % 2 == 0,
                                          ND_RECOMPUTE_NONE};
        nd_filters_init(&filters, &space);
        const int n = nd_filters_explain(&filters, &space, &point, reasons);
        int at = 0;
        while (at < n && strcmp(reasons[at].name, "space") == 0)
            at++;
        for (int k = 0; k < filters.n; k++)
            if (!nd_filter_keeps(filters.list[k], &filters, &space, &point)) {
                cr_assert_lt(at, n);
                cr_expect_str_eq(reasons[at].name, nd_filter_name(filters.list[k]));
                cr_expect_lt(strlen(reasons[at].text), sizeof reasons->text - 1);
                at++;
            }
        cr_expect_eq(at, n);
    }
}

// ---- nothing survives ---------------------------------------------------------------------------

Test(nd_filters, bounds_that_suffice)
{
    struct nd_space space = space_of(ND_FSDP, false, 1024);
    struct nd_filters filters;
    struct nd_counts counts;
    struct nd_relaxation relaxation;
    space.vary.dp = space.vary.pp = false; // tp alone: 1024
    nd_filters_init(&filters, &space);
    nd_filters_drop(&filters, "heads");
    nd_filters_drop(&filters, "ffn");
    nd_filters_drop(&filters, "vocab");
    nd_filters_drop(&filters, "ep_fsdp");
    nd_count(&space, &filters, &counts);
    cr_assert_eq(counts.survivors, 0);
    cr_expect_eq(nd_last_filter(&filters, &counts), ND_TP_MAX);
    nd_relax(&space, &filters, &relaxation);
    cr_assert_eq(relaxation.n, 1);
    cr_expect_eq(relaxation.filters[0], ND_TP_MAX);
    cr_expect_eq(relaxation.bounds[0], 1024);
    cr_expect_gt(relaxation.survivors, 0);
    cr_expect_eq(relaxation.example.tp, 1024);
}

// Two at once: the experts' rule and a bound.
Test(nd_filters, two_filters_to_relax)
{
    struct nd_space space = space_of(ND_FSDP, false, 64);
    struct nd_filters filters;
    struct nd_relaxation relaxation;
    space.vary =
        (struct nd_switches){.pp = true, .ep = true, .fsdp = true}; // pp 64 of 62 layers
    space.layers = 200;
    space.gbs = 32; // and fewer micro-batches than stages
    nd_filters_init(&filters, &space);
    nd_relax(&space, &filters, &relaxation);
    cr_assert_eq(relaxation.n, 2);
    cr_expect_eq(relaxation.filters[0], ND_PP_MBS);
    cr_expect_eq(relaxation.filters[1], ND_PP_MAX);
    cr_expect_eq(relaxation.bounds[0], 0);
    cr_expect_eq(relaxation.bounds[1], 64);
    cr_expect_eq(relaxation.example.pp, 64);
}

Test(nd_filters, spaces_without_points)
{
    struct nd_space space = space_of(ND_FSDP, true, 64);
    struct nd_filters filters;
    struct nd_counts counts;
    struct nd_relaxation relaxation;
    space.vary = (struct nd_switches){.pp = true};
    space.layers = 64; // no number of chunks is left
    nd_filters_init(&filters, &space);
    nd_count(&space, &filters, &counts);
    cr_expect_eq(counts.points, 0);
    cr_expect_eq(nd_last_filter(&filters, &counts), ND_N_FILTERS);
    nd_relax(&space, &filters, &relaxation);
    cr_expect_eq(relaxation.n, 0);
}
