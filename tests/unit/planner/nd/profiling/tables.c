// SPDX-License-Identifier: Apache-2.0
// Files that the search writes and reads: its table of candidates, the files of profile runs, peaks
// of dry runs. Also compares the heap of the best candidates with a sort of all candidates.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/nd/profiling/peaks.h"
#include "planner/nd/profiling/profile_files.h"
#include "planner/nd/strategies/candidates.h"

static void expect_text(struct text_buffer *text, const char *want)
{
    cr_expect_not(text->failed);
    cr_expect_str_eq(text->text, want);
    text_buffer_free(text);
    *text = (struct text_buffer){0};
}

// ---- candidates ---------------------------------------------------------------------------------

Test(nd_candidates, table)
{
    const struct nd_candidate c = {{8, 4, 1, 2, 16, -1, 3, 2, true, ND_RECOMPUTE_NONE},
                                   46174,
                                   1e3 / 3,
                                   NAN,
                                   12.5,
                                   0.4,
                                   0.5};
    struct text_buffer text = {0};
    nd_candidates_header(&text, ND_COLUMNS_DRYRUN, false);
    nd_candidates_line(&text, ND_COLUMNS_DRYRUN, false, &c);
    expect_text(&text, "dp,tp,pp,ep,evaluate_mem\n8,4,2,16,46174.000000\n");
    nd_candidates_header(&text, ND_COLUMNS_STATIC, false);
    nd_candidates_line(&text, ND_COLUMNS_STATIC, false, &c);
    expect_text(&text, "dp,tp,pp,ep,cp,op,evaluate_mem\n8,4,2,16,1,-1,46174.000000\n");
    nd_candidates_header(&text, ND_COLUMNS_ALL, true);
    nd_candidates_line(&text, ND_COLUMNS_ALL, true, &c);
    expect_text(&text, "dp,tp,pp,evaluate_mem,cp,op,sp,mbs,vp,mem_full_recompute,mem_none,"
                       "est_step_ms\n8,4,2,46174.000000,1,-1,1,2,3,333.333333,,12.500000\n");
}

static bool same(const struct nd_candidate *a, const struct nd_candidate *b)
{
    return a->step_ms == b->step_ms && a->strategy.dp == b->strategy.dp &&
           a->strategy.op == b->strategy.op;
}

// Whatever the order they come in; equal times and unknown ones among them.
Test(nd_candidates, the_best_of_many)
{
    enum { N = 3000 };
    static struct nd_candidate all[N];
    struct nd_best everything, best;
    srand(3);
    for (int k = 0; k < N; k++)
        all[k] = (struct nd_candidate){.strategy = {.dp = rand() % 50, .op = k},
                                       .step_ms = rand() % 20 == 0 ? NAN : rand() % 400};
    cr_assert(nd_best_init(&everything, N) && nd_best_init(&best, 0));
    for (int k = 0; k < N; k++) {
        nd_best_offer(&everything, &all[k]);
        nd_best_offer(&best, &all[k]);
    }
    cr_expect_eq(best.n, 0);
    nd_best_free(&best);
    nd_best_sort(&everything);
    cr_assert_eq(everything.n, N);
    for (size_t cap = 1; cap <= N; cap = 3 * cap + 1) {
        cr_assert(nd_best_init(&best, cap));
        for (int k = N - 1; k >= 0; k--)
            nd_best_offer(&best, &all[k]);
        nd_best_sort(&best);
        cr_assert_eq(best.n, cap);
        for (size_t k = 0; k < cap; k++)
            cr_expect(same(&best.heap[k], &everything.heap[k]) ||
                          (isnan(best.heap[k].step_ms) && isnan(everything.heap[k].step_ms)),
                      "%zu of %zu", k, cap);
        nd_best_free(&best);
    }
    for (size_t k = 1; k < N; k++)
        cr_expect(!(everything.heap[k].step_ms < everything.heap[k - 1].step_ms));
    cr_expect(isnan(everything.heap[N - 1].step_ms));
    nd_best_free(&everything);
}

// ---- plans --------------------------------------------------------------------------------------

static const char user[] = "{\"hidden_size\":4096,\"num_layers\":61,\"name\":\"a \\\"b\\\"\","
                           "\"gated\":true,\"sizes\":[1,2.5],\"deep\":{\"x\":\"y\"},"
                           "\"eps\":1e-06,\"a b\":1}";

// The plan keeps all keys of the document, except the keys that the run sets.
static void expect_plan(struct nd_plan plan, const struct nd_profile_run *run, const char *name,
                        const char *want)
{
    char got[ND_PLAN_NAME];
    struct text_buffer text = {0};
    cJSON *model = cJSON_Parse(user);
    plan.model = model;
    nd_plan_name(&plan, run, got);
    cr_expect_str_eq(got, name);
    nd_plan_write(&text, &plan, run);
    expect_text(&text, want);
    cJSON_Delete(model);
}

Test(nd_plans, graph)
{
    const struct nd_profile_run run = {
        .strategy =
            {.dp = 4, .tp = 2, .cp = 1, .pp = 2, .ep = 8, .op = 4, .mbs = 2, .sp = true},
        .layers = 10,
        .n_stages = 2,
        .split = {1, 0},
        .recompute = {6, 0}};
    expect_plan((struct nd_plan){.style = ND_PROFILE_GRAPH, .gbs = 64}, &run,
                "DP4_TP2_PP2_EP8_MBS2_pretrain.yaml",
                "parallel_config:\n"
                "  data_parallel: 4\n"
                "  model_parallel: 2\n"
                "  pipeline_stage: 2\n"
                "  context_parallel: 1\n"
                "  expert_parallel: 8\n"
                "  use_seq_parallel: true\n"
                "  micro_batch_num: 8\n"
                "parallel:\n"
                "  parallel_optimizer_config:\n"
                "    optimizer_weight_shard_size: 4\n"
                "runner_config:\n"
                "  batch_size: 2\n"
                "recompute_config:\n"
                "  recompute: [6, 0]\n"
                "model:\n"
                "  model_config:\n"
                "    hidden_size: 4096\n"
                "    name: \"a \\\"b\\\"\"\n"
                "    gated: true\n"
                "    sizes: [1, 2.5]\n"
                "    deep:\n"
                "      x: \"y\"\n"
                "    eps: 1.0e-06\n"
                "    \"a b\": 1\n"
                "    num_layers: 10\n"
                "    offset: [1, 0]\n"
                "profile: true\n"
                "profile_start_step: 4\n"
                "profile_stop_step: 6\n");
}

// A dense model has no ep, and scalars in place of lists; as published mbs does not count.
Test(nd_plans, dense_graph)
{
    const struct nd_profile_run run = {
        .strategy = {.dp = 8, .tp = 1, .cp = 1, .pp = 1, .op = 8},
        .layers = 31};
    struct nd_plan plan = {.style = ND_PROFILE_GRAPH, .orig = true, .dense = true, .gbs = 64};
    char name[ND_PLAN_NAME];
    struct text_buffer text = {0};
    nd_plan_name(&plan, &run, name);
    cr_expect_str_eq(name, "DP8_TP1_PP1_pretrain.yaml");
    nd_plan_write(&text, &plan, &run);
    cr_expect(strstr(text.text, "recompute: 0\n") && strstr(text.text, "offset: 0\n"));
    cr_expect(strstr(text.text, "micro_batch_num: 8\n") && !strstr(text.text, "expert"));
    text_buffer_free(&text);
}

Test(nd_plans, megatron)
{
    const struct nd_profile_run run = {
        .strategy = {.dp = 16, .tp = 2, .cp = 1, .pp = 2, .ep = 8, .op = 16, .mbs = 1},
        .layers = 7,
        .n_stages = 2,
        .split = {4, 3},
        .recompute = {1, 1},
        .nodes = 8,
        .node_devices = 8,
        .record_ranks = {0, 32}};
    expect_plan((struct nd_plan){.style = ND_PROFILE_MEGATRON, .gbs = 100, .seq_length = 4096},
                &run, "DP16_TP2_PP2_EP8_NOSP_pretrain.sh",
                "NNODES=8\n"
                "GPUS_PER_NODE=8\n"
                "DP=16\n"
                "TP=2\n"
                "PP=2\n"
                "CP=1\n"
                "EP=8\n"
                "SEQUENCE_PARALLEL=false\n"
                "MBS=1\n"
                "GBS=96\n"
                "MICRO_BATCH_NUM=6\n"
                "NUM_LAYERS=7\n"
                "PIPELINE_NUM_LAYERS=4,3\n"
                "FIRST_K_DENSE_REPLACE=3\n"
                "RECOMPUTE_NUM_LAYERS=1\n"
                "SEQ_LEN=4096\n"
                "PROFILE=true\n"
                "PROFILE_STEP_START=5\n"
                "PROFILE_STEP_END=7\n"
                "PROFILE_RANKS=\"0 32\"\n");
}

Test(nd_plans, fsdp)
{
    const struct nd_profile_run run = {
        .strategy = {.dp = 8, .tp = 1, .cp = 2, .pp = 1, .ep = 4, .op = 4, .mbs = 2}};
    expect_plan((struct nd_plan){.style = ND_PROFILE_FSDP, .gbs = 64}, &run,
                "DP8_TP1_PP1_EP4_CP2_FSDP4_MBS2_pretrain.toml",
                "[parallelism]\n"
                "data_parallel_replicate_degree = 2\n"
                "data_parallel_shard_degree = 4\n"
                "tensor_parallel_degree = 1\n"
                "pipeline_parallel_degree = 1\n"
                "context_parallel_degree = 2\n"
                "expert_parallel_degree = 4\n"
                "\n"
                "[training]\n"
                "local_batch_size = 2\n"
                "global_batch_size = 64\n"
                "micro_batch_num = 4\n"
                "\n"
                "[profiling]\n"
                "enable_profiling = true\n"
                "profile_freq = 20\n"
                "\n"
                "[model]\n"
                "hidden_size = 4096\n"
                "num_layers = 61\n"
                "name = \"a \\\"b\\\"\"\n"
                "gated = true\n"
                "sizes = [1, 2.5]\n"
                "eps = 1.0e-06\n"
                "\"a b\" = 1\n"
                "\n"
                "[model.deep]\n"
                "x = \"y\"\n");
}

// ---- peaks --------------------------------------------------------------------------------------

static bool read_csv(const char *text, bool dense, struct nd_dryrun_peaks *peaks,
                     struct pps_fault *fault)
{
    struct table *table;
    *peaks = (struct nd_dryrun_peaks){0};
    if (!table_read_csv(&table, text, strlen(text), fault))
        return false;
    const bool good = nd_dryrun_peaks_read(peaks, table, dense, fault);
    table_free(table);
    return good;
}

static void expect_two_peaks(struct nd_dryrun_peaks *peaks)
{
    cr_assert_eq(peaks->n, 2);
    const struct nd_dryrun_peak *p = peaks->rows;
    cr_expect(p[0].dp == 8 && p[0].tp == 2 && p[0].pp == 4 && p[0].ep == 16 && p[0].op == -1 &&
              p[0].mbs == 0 && p[0].cp == 0 && p[0].peak_mb == 1234.5);
    cr_expect(p[1].dp == 4 && p[1].op == 0 && p[1].peak_mb == 3);
    nd_dryrun_peaks_free(peaks);
}

// Columns in any order, a byte-order mark, comments, columns of others; and the JSON twin.
Test(nd_peaks, csv_and_json)
{
    struct nd_dryrun_peaks peaks;
    struct pps_fault fault;
    struct table *table;
    cr_assert(
        read_csv(
            "\xef\xbb\xbf# of Tuesday\npeak_mb,ep,who,dp,op,tp,pp\n1234.5,16,me,8,-1,2,4\r\n"
            "# again\n3,8,,4,,1,1\n",
            false, &peaks, &fault),
        "%s", fault.text);
    expect_two_peaks(&peaks);
    cJSON *document = cJSON_Parse("[{\"dp\":8,\"tp\":2,\"pp\":4,\"ep\":16,\"op\":-1,\"x\":[],"
                                  "\"peak_mb\":1234.5},"
                                  "{\"dp\":4,\"tp\":1,\"pp\":1,\"ep\":8,\"peak_mb\":3}]");
    cr_assert(table_read_json(&table, document, &fault));
    cr_assert(nd_dryrun_peaks_read(&peaks, table, false, &fault));
    expect_two_peaks(&peaks);
    table_free(table);
    cJSON_Delete(document);
}

Test(nd_peaks, faults)
{
    static const struct {
        const char *text;
        int64_t line;
        const char *says;
    } cases[] = {
        {"dp,tp,pp,ep\n1,1,1,1\n", 0, "peak_mb"},
        {"dp,tp,pp,peak_mb\n1,1,1,5\n", 0, "ep"},
        {"dp,tp,pp,ep,peak_mb\n1,1,1,1,5\n1,1,1,x,5\n", 3, "ep"},
        {"dp,tp,pp,ep,peak_mb\n1,1.5,1,1,5\n", 2, "tp"},
        {"dp,tp,pp,ep,peak_mb\n1,1,1,1,-5\n", 2, "peak_mb"},
        {"dp,tp,pp,ep,peak_mb\n0,1,1,1,5\n", 2, "dp"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct nd_dryrun_peaks peaks;
        struct pps_fault fault = {0};
        cr_expect_not(read_csv(cases[k].text, false, &peaks, &fault), "case %zu", k);
        cr_expect(strstr(fault.text, cases[k].says) != NULL, "case %zu: %s", k, fault.text);
        cr_expect(cases[k].line == 0 || fault.line == cases[k].line, "case %zu: line %d", k,
                  fault.line);
        nd_dryrun_peaks_free(&peaks);
    }
}

Test(nd_peaks, dense_models_have_no_ep)
{
    struct nd_dryrun_peaks peaks;
    struct pps_fault fault;
    cr_assert(read_csv("dp,tp,pp,peak_mb\n1,2,3,5\n", true, &peaks, &fault));
    cr_expect(peaks.n == 1 && peaks.rows[0].ep == 0 && peaks.rows[0].pp == 3);
    nd_dryrun_peaks_free(&peaks);
}
