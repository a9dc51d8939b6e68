// SPDX-License-Identifier: Apache-2.0
// Compares the search as published with its published figures: spaces, counts after each filter,
// static memory, candidates, profile choices, dry runs and fits. An error in a domain, a filter or
// the order of filters shows in a count.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/estimate/stage_layers.h"
#include "planner/nd/profiling/profile.h"
#include "planner/nd/strategies/expert_fit.h"
#include "planner/nd/strategies/published_memory.h"
#include "planner/nd/strategies/walk.h"
#include "tests/unit/support/kernels/golden.h"
#include "tests/unit/support/kernels/models.h"
#include "tests/unit/support/near.h"

static double cell(const cJSON *row, int k)
{
    return cJSON_GetArrayItem(row, k)->valuedouble;
}

static void expect_counts(const char *name, const struct nd_counts *counts,
                          const struct nd_filters *filters, const cJSON *expected)
{
    int k = 0;
    const cJSON *after;
    cr_expect_eq(counts->points, (uint64_t)golden_real(expected, "n_initial"),
                 "%s: %llu points", name, (unsigned long long)counts->points);
    cJSON_ArrayForEach (after, golden_item(expected, "n_after")) {
        cr_expect_eq(counts->after[k], (uint64_t)after->valuedouble, "%s %s: %llu", name,
                     after->string, (unsigned long long)counts->after[k]);
        k++;
    }
    cr_expect_eq(k, filters->n, "%s: %d filters", name, filters->n);
}

// ---- nd_search ----------------------------------------------------------------------------------

enum { CANDIDATES_MAX = 4096 };

struct candidates {
    const struct nd_origmem *memory;
    size_t n;
    struct nd_strategy list[CANDIDATES_MAX];
};

static bool keep_fitting(void *context, const struct nd_strategy *tuple)
{
    struct candidates *c = context;
    if (nd_origmem_estimate(c->memory, tuple) <= ND_ORIGMEM_LIMIT_MB)
        c->list[c->n++] = *tuple;
    return true;
}

static bool same_tuple(const struct nd_strategy *s, const cJSON *row)
{
    return s->dp == cell(row, 0) && s->tp == cell(row, 1) && s->pp == cell(row, 2) &&
           s->ep == cell(row, 3) && s->cp == cell(row, 4) && s->op == cell(row, 5);
}

static void expect_candidates(const char *name, struct candidates *c, const cJSON *expected)
{
    const cJSON *row;
    size_t found = 0;
    cr_expect_eq(c->n, (size_t)golden_real(expected, "n_after_memory"), "%s: %zu", name, c->n);
    cJSON_ArrayForEach (row, golden_item(expected, "candidates")) {
        for (size_t k = 0; k < c->n; k++)
            if (same_tuple(&c->list[k], row)) {
                near(nd_origmem_estimate(c->memory, &c->list[k]), cell(row, 6), 1e-6,
                     "%s memory", name);
                found++;
            }
    }
    cr_expect_eq(found, c->n, "%s: %zu of %zu", name, found, c->n);
    found = 0; // from here on c has the candidates of the file, in its order
    cJSON_ArrayForEach (row, golden_item(expected, "candidates"))
        c->list[found++] = (struct nd_strategy){.dp = (int32_t)cell(row, 0),
                                                .tp = (int32_t)cell(row, 1),
                                                .pp = (int32_t)cell(row, 2),
                                                .ep = (int32_t)cell(row, 3),
                                                .cp = (int32_t)cell(row, 4),
                                                .op = (int32_t)cell(row, 5)};
}

static void put_list(char *text, const int32_t *values, int n)
{
    strcat(text, "[");
    for (int k = 0; k < n; k++)
        sprintf(text + strlen(text), k > 0 ? ",%d" : "%d", values[k]);
    strcat(text, "]");
}

// As the golden file shows it.
static void put_profile(char *text, enum nd_profile_style style, const struct nd_profile_run *p)
{
    const struct nd_strategy *s = &p->strategy;
    sprintf(text, "[%d,%d,%d,%d,", s->dp, s->tp, s->pp, s->ep);
    if (style == ND_PROFILE_MEGATRON) {
        put_list(text, p->split, p->n_stages);
        sprintf(text + strlen(text), ",%d,%d]", p->recompute[0], p->layers);
        return;
    }
    sprintf(text + strlen(text), "%d,%d", s->cp, s->op);
    if (style == ND_PROFILE_GRAPH) {
        strcat(text, ",");
        put_list(text, p->split, p->n_stages);
        strcat(text, ",");
        put_list(text, p->recompute, p->n_stages);
        sprintf(text + strlen(text), ",%d", p->layers);
    }
    strcat(text, "]");
}

static void expect_profiles(const char *name, const struct candidates *c, const cJSON *document,
                            enum nd_profile_style style)
{
    const cJSON *input = golden_item(document, "input");
    const cJSON *want =
        golden_item(golden_item(golden_item(document, "expected"), "profile_selection"),
                    nd_profile_style_name(style));
    const struct nd_profile_options options = {
        .style = style,
        .orig = true,
        .rank_num = (int32_t)golden_real(input, "profile_cards"),
        .devices = (int32_t)golden_real(input, "world_size")};
    struct nd_profile_run profiles[10];
    int n;
    char text[160];
    cr_assert_eq(nd_profile_choose(&options, c->list, c->n, profiles, &n, text), ND_PROFILE_OK);
    cr_assert_eq(n, cJSON_GetArraySize(want), "%s %s: %d", name, nd_profile_style_name(style),
                 n);
    for (int k = 0; k < n; k++) {
        char *wanted = cJSON_PrintUnformatted(cJSON_GetArrayItem(want, k));
        put_profile(text, style, &profiles[k]);
        cr_expect_str_eq(text, wanted, "%s %s %d: %s, not %s", name,
                         nd_profile_style_name(style), k, text, wanted);
        free(wanted);
    }
}

static bool is_on(const cJSON *switches, const char *key)
{
    return cJSON_IsTrue(golden_item(switches, key));
}

static void check_search(const char *name)
{
    static struct candidates candidates;
    cJSON *document = golden_read(name);
    const cJSON *input = golden_item(document, "input"),
                *expected = golden_item(document, "expected");
    const cJSON *switches = golden_item(input, "strategy");
    const struct modeldesc model = model_read(golden_item(input, "model"));
    struct nd_space space;
    struct nd_filters filters;
    struct nd_counts counts;
    struct nd_origmem memory;
    cr_assert(nd_space_init(&space, ND_FSDP, true, (int64_t)golden_real(input, "world_size")));
    space.vary = (struct nd_switches){.dp = is_on(switches, "DP"),
                                      .tp = is_on(switches, "TP"),
                                      .pp = is_on(switches, "PP"),
                                      .ep = is_on(switches, "EP"),
                                      .cp = is_on(switches, "CP"),
                                      .fsdp = is_on(switches, "FSDP")};
    nd_space_set_model(&space, &model);
    space.gbs = (int64_t)golden_real(input, "gbs");
    nd_filters_init(&filters, &space);
    nd_count(&space, &filters, &counts);
    expect_counts(name, &counts, &filters, expected);
    cr_expect_eq(counts.tuples,
                 (uint64_t)golden_real(expected, "n_unique_tuples_after_filters"),
                 "%s: %llu tuples", name, (unsigned long long)counts.tuples);
    nd_origmem_init(&memory, &model, true);
    candidates.memory = &memory;
    candidates.n = 0;
    nd_tuples(&space, &filters, keep_fitting, &candidates);
    expect_candidates(name, &candidates, expected);
    for (int style = ND_PROFILE_GRAPH; style <= ND_PROFILE_FSDP; style++)
        expect_profiles(name, &candidates, document, (enum nd_profile_style)style);
    cJSON_Delete(document);
}

Test(nd_search, searches)
{
    check_search("nd_dsv2lite_cp_w24.json");
    check_search("nd_dsv3_w1024.json");
    check_search("nd_dsv3_w512.json");
    check_search("nd_llama2_7b_w8.json");
    check_search("nd_mixtral_8x7b_w32.json");
    check_search("nd_mixtral_nofsdp_w16.json");
    check_search("nd_qwen3_30b_w16.json");
    check_search("nd_tiny_moe_w8.json");
}

// ---- classic ------------------------------------------------------------------------------------

// Quadruples of survivors, each once.
struct groups {
    size_t n;
    struct nd_quad list[CANDIDATES_MAX];
};

static bool add_group(void *context, const struct nd_strategy *tuple)
{
    struct groups *g = context;
    const struct nd_quad quad = {tuple->dp, tuple->tp, tuple->cp, tuple->pp};
    if (g->n == 0 || memcmp(&g->list[g->n - 1], &quad, sizeof quad) != 0)
        g->list[g->n++] = quad;
    return true;
}

static bool is_group(const struct nd_quad *quad, const cJSON *row)
{
    return quad->dp == cell(row, 0) && quad->tp == cell(row, 1) && quad->cp == cell(row, 2) &&
           quad->pp == cell(row, 3);
}

static void expect_dryrun(const char *name, const struct nd_space *space,
                          const struct nd_dryrun *run, const cJSON *row)
{
    int32_t offset[64];
    const cJSON *want = cJSON_GetArrayItem(row, 4);
    cr_expect(run->dp == cell(row, 0) && run->tp == cell(row, 1) && run->pp == cell(row, 2) &&
                  run->ep == cell(row, 3),
              "%s: dp %d tp %d pp %d ep %d", name, run->dp, run->tp, run->pp, run->ep);
    const bool uneven = nd_offsets(space->layers, run->pp, offset);
    cr_expect_eq(uneven, cJSON_IsArray(want), "%s: pp %d", name, run->pp);
    for (int k = 0; k < cJSON_GetArraySize(want); k++)
        cr_expect_eq(offset[k], cell(want, k), "%s: pp %d stage %d", name, run->pp, k);
}

static void check_classic(const char *name)
{
    static struct groups groups;
    cJSON *document = golden_read(name);
    const cJSON *input = golden_item(document, "input"),
                *expected = golden_item(document, "expected");
    const cJSON *rows = golden_item(expected, "groups"),
                *runs = golden_item(expected, "dry_runs");
    struct nd_space space;
    struct nd_filters filters;
    struct nd_counts counts;
    int n_runs = 0;
    cr_assert(
        nd_space_init(&space, ND_CLASSIC, true, (int64_t)golden_real(input, "world_size")));
    space.vary.cp = true;
    space.layers = (int32_t)golden_real(input, "num_layers_total");
    space.gbs = (int64_t)golden_real(input, "gbs");
    nd_filters_init(&filters, &space);
    nd_count(&space, &filters, &counts);
    expect_counts(name, &counts, &filters, expected);
    groups.n = 0;
    nd_tuples(&space, &filters, add_group, &groups);
    cr_assert_eq((int)groups.n, cJSON_GetArraySize(rows), "%s: %zu", name, groups.n);
    for (size_t k = 0; k < groups.n; k++) {
        struct nd_dryrun of_group[2];
        cr_expect(is_group(&groups.list[k], cJSON_GetArrayItem(rows, (int)k)), "%s: %zu", name,
                  k);
        const int n = nd_dryruns_of(&space, &groups.list[k], (struct nd_test_degrees){8, 16},
                                    false, of_group);
        for (int r = 0; r < n; r++)
            expect_dryrun(name, &space, &of_group[r], cJSON_GetArrayItem(runs, n_runs + r));
        n_runs += n;
    }
    cr_expect_eq(n_runs, cJSON_GetArraySize(runs), "%s: %d runs", name, n_runs);
    cJSON_Delete(document);
}

Test(nd_search, classic)
{
    check_classic("classic_w1024_l62.json");
    check_classic("classic_w64_l32.json");
}

// ---- fits ---------------------------------------------------------------------------------------

static size_t read_peaks(const cJSON *rows, struct nd_dryrun_peak peaks[])
{
    size_t n = 0;
    const cJSON *row;
    cJSON_ArrayForEach (row, rows)
        peaks[n++] = (struct nd_dryrun_peak){.dp = (int32_t)cell(row, 0),
                                             .tp = (int32_t)cell(row, 1),
                                             .pp = (int32_t)cell(row, 2),
                                             .ep = (int32_t)cell(row, 3),
                                             .peak_mb = cell(row, 4)};
    return n;
}

static void check_fit(const char *name)
{
    static struct nd_dryrun_peak peaks[CANDIDATES_MAX];
    cJSON *document = golden_read(name);
    const cJSON *input = golden_item(document, "input");
    const cJSON *rows = golden_item(golden_item(document, "expected"), "candidates");
    const cJSON *test_ep = golden_item(input, "test_ep");
    const struct nd_test_degrees degrees = {(int32_t)cell(test_ep, 0),
                                            (int32_t)cell(test_ep, 1)};
    struct nd_epfit_result result;
    cr_assert_eq(nd_epfit(peaks, read_peaks(golden_item(input, "dry_runs"), peaks), degrees,
                          (int32_t)golden_real(input, "max_expert_parallel"),
                          1024 * golden_real(input, "max_device_memory_gb"), true, &result),
                 ND_EPFIT_OK);
    cr_assert_eq((int)result.n_candidates, cJSON_GetArraySize(rows), "%s: %zu", name,
                 result.n_candidates);
    for (int k = 0; k < cJSON_GetArraySize(rows); k++) {
        const struct nd_epfit_candidate *c = &result.candidates[k];
        const cJSON *row = cJSON_GetArrayItem(rows, k);
        cr_expect(c->dp == cell(row, 0) && c->tp == cell(row, 1) && c->pp == cell(row, 2) &&
                      c->ep == cell(row, 3),
                  "%s row %d: dp %d tp %d pp %d ep %d", name, k, c->dp, c->tp, c->pp, c->ep);
        near(c->peak_mb, cell(row, 4), 1e-9, "%s peak", name);
    }
    nd_epfit_free(&result);
    cJSON_Delete(document);
}

Test(nd_search, fits)
{
    check_fit("grey_dsv3_1024.json");
    check_fit("grey_synth_small.json");
}

// ---- layer memory -------------------------------------------------------------------------------

static void check_layers(const cJSON *row, const cJSON *models)
{
    const char *name = golden_item(row, "model_name")->valuestring;
    const struct modeldesc model = model_read(golden_item(models, name));
    const struct nd_strategy strategy = {.dp = 1,
                                         .tp = (int32_t)golden_real(row, "tp"),
                                         .cp = 1,
                                         .pp = (int32_t)golden_real(row, "pp"),
                                         .ep = (int32_t)golden_real(row, "ep"),
                                         .op = (int32_t)golden_real(row, "op")};
    struct nd_origmem memory;
    struct nd_origmem_layers mb;
    nd_origmem_init(&memory, &model, cJSON_IsTrue(golden_item(row, "distributed_optimizer")));
    nd_origmem_layers(&memory, &strategy, &mb);
    near(mb.dense_mb, golden_real(row, "dense_layer_mb"), 1e-6, "%s dense", name);
    near(mb.moe_mb, golden_real(row, "moe_layer_mb"), 1e-6, "%s moe", name);
    near(mb.vocab_mb, golden_real(row, "vocab_mb"), 1e-6, "%s vocab", name);
    const double estimate = nd_origmem_estimate(&memory, &strategy);
    cr_expect_eq(estimate > ND_ORIGMEM_LIMIT_MB, cJSON_IsTrue(golden_item(row, "over_limit")));
    if (estimate <= ND_ORIGMEM_LIMIT_MB)
        near(estimate, golden_real(row, "estimate_mb"), 1e-6, "%s estimate", name);
}

Test(nd_search, layer_memory)
{
    cJSON *document = golden_read("layermem_a.json");
    const cJSON *row;
    cJSON_ArrayForEach (row, golden_item(document, "rows"))
        check_layers(row, golden_item(document, "models"));
    cJSON_Delete(document);
}
