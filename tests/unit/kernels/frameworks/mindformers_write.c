// SPDX-License-Identifier: Apache-2.0
// Settings written into MindFormers configurations: what the changed files read back as, and that all
// other lines stay as they are.
#include "kernels/frameworks/framework.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum { PARTS_MAX = 64 };

// Files with other forms of the same keys than the shipped examples.
static const char merged[] = "# defaults of all runs\r\n"
                             "x-parallel: &parallel\r\n"
                             "  data_parallel: &dp 4   # replicas\r\n"
                             "  model_parallel: 2\r\n"
                             "  pipeline_stage: 2\r\n"
                             "  micro_batch_num: &micro 8\r\n"
                             "x-copy: {dp: *dp, micro: *micro}\r\n"
                             "model:\r\n"
                             "  model_config: &shape\r\n"
                             "    num_layers: 24\r\n"
                             "    hidden_size: 256\r\n"
                             "    num_heads: 8\r\n"
                             "    vocab_size: 1000   # tokens\r\n"
                             "    offset:\r\n"
                             "    - 1   # first\r\n"
                             "    - -1\r\n"
                             "parallel_config:\r\n"
                             "  <<: *parallel\r\n"
                             "  use_seq_parallel: True\r\n"
                             "runner_config: {batch_size: 1}   # one\r\n"
                             "other: *shape";

static const char newer[] = "model_config: {num_hidden_layers: 24, hidden_size: 256, "
                            "num_attention_heads: 8, vocab_size: 1000}\n"
                            "# batches\n"
                            "training_args:\n"
                            "  micro_batch_size: 1\n"
                            "  global_batch_size: 64\n"
                            "distribute_parallel_config:\n"
                            "  tensor_model_parallel_size: 2\n"
                            "  pipeline_model_parallel_size: 4  # stages\n"
                            "  sequence_parallel: false\n"
                            "recompute_config: {recompute: true}\n";

static size_t load(const char *path, char *text, size_t cap)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/sweep_configs/frameworks/mindformers/%s", PPS_SOURCE,
             path);
    FILE *file = fopen(whole, "rb");
    cr_assert_not_null(file, "%s", whole);
    const size_t n = fread(text, 1, cap - 1, file);
    fclose(file);
    text[n] = '\0';
    return n;
}

static struct text_buffer write_ok(const char *text, size_t n,
                                   const struct framework_settings *settings)
{
    struct text_buffer out = {.text = NULL};
    struct pps_fault fault = {.item = NULL};
    cr_assert(framework_write(&out, FRAMEWORK_MINDFORMERS, PLAINDOC_YAML, text, n, settings,
                              NULL, &fault),
              "%d:%d: %s", fault.line, fault.column, fault.text);
    cr_assert_not(out.failed);
    return out;
}

static void read_ok(struct framework_file *file, const char *text, size_t n)
{
    struct pps_fault fault = {.item = NULL};
    bool read;
    cr_assert(framework_read(file, &read, PLAINDOC_YAML, text, n, &fault) && read,
              "%s\n%d:%d: %s", text, fault.line, fault.column, fault.text);
}

// ---- random settings ----------------------------------------------------------------------------

static uint32_t state;

static int draw(int n)
{
    state = state * 1664525 + 1013904223;
    return (int)((state >> 8) % (uint32_t)n);
}

static int power(int most)
{
    return 1 << draw(most + 1);
}

struct drawn {
    struct framework_settings s;
    int32_t layers[PARTS_MAX], full[PARTS_MAX], select[PARTS_MAX];
};

// Draws settings for a model with layers (MTP included) and maybe experts.
static void draw_settings(struct drawn *d, int total, int mtp, bool experts)
{
    struct nd_strategy *s = &d->s.strategy;
    memset(d, 0, sizeof *d);
    s->dp = power(4), s->tp = power(3), s->cp = draw(4) > 0 ? 1 : 2;
    s->vp = 1 + draw(2), s->pp = s->vp > 1 ? 2 << draw(2) : power(4);
    s->mbs = power(1), s->sp = draw(2) > 0;
    s->ep = experts ? 1 << draw(3) : 0;
    while (experts && (s->dp * s->tp * s->cp) % s->ep != 0)
        s->ep /= 2;
    s->op = draw(3) == 0 ? -1 : s->dp >> draw(2);
    s->op = s->op == 0 ? 1 : s->op;
    d->s.micro_batches = 1 + draw(64);
    d->s.gbs = d->s.micro_batches * s->dp * s->mbs;
    const int n = s->pp * s->vp;
    if (draw(4) == 0) {
        total = n + draw(40);
        d->s.num_layers = total - mtp < 1 ? 1 : total - mtp;
        total = d->s.num_layers + mtp;
    }
    for (int left = total, k = 0; k < n; k++) {
        d->layers[k] = k == n - 1 ? left : left / (n - k) + (left > n && draw(3) == 0);
        left -= d->layers[k];
        d->full[k] = d->layers[k] > 0 ? draw(d->layers[k] + 1) : 0;
        d->select[k] = draw(d->layers[k] - d->full[k] + 1);
    }
    d->s.layers = draw(4) > 0 ? d->layers : NULL;
    if (d->s.layers != NULL && draw(4) > 0)
        d->s.full = d->full;
    if (d->s.full != NULL && draw(2) > 0)
        d->s.select = d->select;
}

// ---- reading back -------------------------------------------------------------------------------

static double number(const cJSON *object, const char *key, double otherwise)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static void check_matrix(const cJSON *matrix, const struct nd_strategy *s,
                         const int32_t *wanted, const char *name, const char *text)
{
    for (int k = 0; k < s->pp * s->vp; k++) {
        const cJSON *row = cJSON_GetArrayItem(matrix, k / s->pp);
        const cJSON *item = cJSON_GetArrayItem(row, k % s->pp);
        cr_assert_not_null(item, "%s\n%s", name, text);
        cr_assert_eq(item->valueint, wanted[k], "%s[%d]: %d, expected %d\n%s", name, k,
                     item->valueint, wanted[k], text);
    }
}

static bool is_even(const struct drawn *d)
{
    for (int k = 1; k < d->s.strategy.pp * d->s.strategy.vp; k++)
        if (d->layers[k] != d->layers[0])
            return false;
    return true;
}

static void check_read(const struct drawn *d, const char *text, size_t n, bool has_dp)
{
    const struct nd_strategy *s = &d->s.strategy;
    struct framework_file file;
    read_ok(&file, text, n);
    const cJSON *base = cJSON_GetObjectItem(file.document.root, "baseline");
    const cJSON *training = cJSON_GetObjectItem(file.document.root, "training");
    const cJSON *model = cJSON_GetObjectItem(file.document.root, "model");
    const int wanted_op = s->op == -1 ? s->dp : s->op;
    const double op = number(base, "op", 1);
    cr_assert(!has_dp || number(base, "dp", 1) == s->dp, "%s", text);
    cr_assert(number(base, "tp", 1) == s->tp && number(base, "pp", 1) == s->pp, "%s", text);
    cr_assert(number(base, "cp", 1) == s->cp &&
              number(base, "vp", 1) == (s->pp > 1 ? s->vp : 1));
    cr_assert(s->ep == 0 || number(base, "ep", 1) == s->ep, "%s", text);
    cr_assert_eq(cJSON_IsTrue(cJSON_GetObjectItem(base, "sp")), s->sp, "%s", text);
    cr_assert(number(base, "mbs", 1) == s->mbs, "%s", text);
    cr_assert(!has_dp || (op == -1 ? s->dp : op) == wanted_op, "op %g %d\n%s", op, wanted_op,
              text);
    cr_assert(number(training, "gbs", 0) == (double)d->s.gbs, "%s", text);
    cr_assert(!has_dp || number(base, "micro_batches", 1) == (double)d->s.micro_batches);
    cr_assert(d->s.num_layers == 0 || number(model, "num_layers", 0) == d->s.num_layers);
    if (d->s.layers != NULL && !is_even(d))
        check_matrix(cJSON_GetObjectItem(base, "layers"), s, d->layers, "layers", text);
    if (d->s.full != NULL)
        check_matrix(cJSON_GetObjectItem(base, "recompute"), s, d->full, "recompute", text);
    if (d->s.select != NULL && cJSON_GetObjectItem(base, "select_recompute") != NULL)
        check_matrix(cJSON_GetObjectItem(base, "select_recompute"), s, d->select, "select",
                     text);
    framework_file_free(&file);
}

// ---- lines that stay ----------------------------------------------------------------------------

// Keys whose lines may change, and lines of values that follow them.
static bool may_change(const char *line)
{
    static const char *const starts[] = {
        "data_parallel:",
        "model_parallel:",
        "pipeline_stage:",
        "context_parallel:",
        "expert_parallel:",
        "micro_batch_num:",
        "use_seq_parallel:",
        "batch_size:",
        "offset:",
        "recompute:",
        "select_recompute:",
        "'feed_forward",
        "pp_interleave_num:",
        "pipeline_interleave:",
        "enable_parallel_optimizer:",
        "optimizer_weight_shard_size:",
        "parallel_optimizer_comm_recompute:",
        "mp_comm_recompute:",
        "recompute_slice_activation:",
        "runner_config: {",
        "num_layers:",
        "num_hidden_layers:",
        "micro_batch_size:",
        "gradient_accumulation_steps:",
        "global_batch_size:",
        "tensor_model_parallel_size:",
        "pipeline_model_parallel_size:",
        "sequence_parallel:",
        "recompute_config: {",
        "model_config: {",
        "- [",
        "- 1",
        "- -1",
        "0, 0]",
        "other: *shape",
        "dataset_strategy:",
    };
    line += strspn(line, " ");
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

// Checks that all other lines appear in the new text, in order, with the same bytes.
static void check_lines(const char *before, const char *after)
{
    const char *at = after;
    while (*before != '\0') {
        char line[512];
        const size_t n = strcspn(before, "\n");
        cr_assert(n < sizeof line - 1);
        memcpy(line, before, n + (before[n] == '\n'));
        line[n + (before[n] == '\n')] = '\0';
        before += n + (before[n] == '\n');
        if (may_change(line))
            continue;
        at = strstr(at, line);
        cr_assert_not_null(at, "\"%s\" is missing in\n%s", line, after);
        at += strlen(line);
    }
}

static void round_trips(const char *text, size_t n, int total, int mtp, bool experts,
                        bool has_dp)
{
    for (state = 1; state <= 400;) {
        const uint32_t seed = state;
        struct drawn d;
        draw_settings(&d, total, mtp, experts);
        if (d.s.strategy.pp * d.s.strategy.vp <= PARTS_MAX &&
            (d.s.num_layers > 0 || d.s.strategy.pp * d.s.strategy.vp <= total)) {
            struct text_buffer out = write_ok(text, n, &d.s);
            check_read(&d, out.text, out.n, has_dp);
            check_lines(text, out.text);
            struct text_buffer again = write_ok(out.text, out.n, &d.s);
            cr_assert(again.n == out.n && memcmp(again.text, out.text, out.n) == 0,
                      "written twice:\n%s\n%s", out.text, again.text);
            text_buffer_free(&again);
            text_buffer_free(&out);
        }
        state = seed + 1;
    }
}

static char text[1 << 16];

Test(mindformers_write, deepseek_v3_round_trips)
{
    round_trips(text, load("deepseek-v3.yaml", text, sizeof text), 62, 1, true, true);
}

Test(mindformers_write, llama3_round_trips)
{
    round_trips(text, load("llama3-70b.yaml", text, sizeof text), 80, 0, false, true);
}

Test(mindformers_write, merge_key_round_trips)
{
    round_trips(merged, sizeof merged - 1, 24, 0, false, true);
}

Test(mindformers_write, newer_form_round_trips)
{
    round_trips(newer, sizeof newer - 1, 24, 0, false, false);
}

// Settings that a file has already leave all bytes.
Test(mindformers_write, nothing_to_change)
{
    static const int32_t layers[16] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3};
    static const struct framework_settings deepseek = {
        .strategy = {.dp = 16,
                     .tp = 4,
                     .cp = 1,
                     .pp = 16,
                     .ep = 32,
                     .op = -1,
                     .vp = 1,
                     .mbs = 1,
                     .sp = true},
        .gbs = 3840,
        .layers = layers,
    };
    static const int32_t chunks[8] = {11, 10, 10, 10, 10, 10, 10, 9};
    static const struct framework_settings llama = {
        .strategy = {.dp = 2,
                     .tp = 8,
                     .cp = 1,
                     .pp = 4,
                     .ep = 0,
                     .op = 2,
                     .vp = 2,
                     .mbs = 1,
                     .sp = true},
        .gbs = 32,
        .layers = chunks,
    };
    static const struct {
        const char *path;
        const struct framework_settings *settings;
    } rows[] = {{"deepseek-v3.yaml", &deepseek}, {"llama3-70b.yaml", &llama}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const size_t n = load(rows[i].path, text, sizeof text);
        struct text_buffer out = write_ok(text, n, rows[i].settings);
        cr_expect(out.n == n && memcmp(out.text, text, n) == 0, "%s", rows[i].path);
        text_buffer_free(&out);
    }
}

// ---- single settings ----------------------------------------------------------------------------

static void expect_line(const struct text_buffer *out, const char *line)
{
    cr_expect_not_null(strstr(out->text, line), "%s is missing in\n%s", line, out->text);
}

// A profile of the reduced model: aliases of the changed anchors follow.
Test(mindformers_write, profile)
{
    static const int32_t layers[] = {6, 5}, full[] = {6, 0}, ranks[] = {0, 32};
    const struct framework_settings settings = {
        .strategy = {.dp = 8,
                     .tp = 4,
                     .cp = 1,
                     .pp = 2,
                     .ep = 16,
                     .op = -1,
                     .vp = 1,
                     .mbs = 1,
                     .sp = true},
        .micro_batches = 240,
        .num_layers = 10,
        .layers = layers,
        .full = full,
        .profile = true,
        .profile_from = 4,
        .profile_to = 6,
        .record_ranks = ranks,
        .n_record_ranks = 2,
    };
    const size_t n = load("deepseek-v3.yaml", text, sizeof text);
    struct text_buffer out = write_ok(text, n, &settings);
    expect_line(&out, "\n  data_parallel: &dp 8\n");
    expect_line(&out, "\n  dataset_strategy: [[*dp, 1], [*dp, 1], [*dp, 1], [*dp, 1]]\n");
    expect_line(&out, "\n    num_layers: &num_layers 10\n");
    expect_line(&out, "\n    offset: [1, 0]\n");
    expect_line(&out, "\n  recompute: [6, 0]\n");
    expect_line(&out, "\n  parallel_optimizer_comm_recompute: True\n");
    expect_line(&out, "\nprofile: True\nprofile_start_step: 4\nprofile_stop_step: 6\n");
    expect_line(&out, "\nprofile_memory: True\nprofile_rank_ids: [0, 32]\n");
    text_buffer_free(&out);
}

Test(mindformers_write, solved_pipeline)
{
    static const int32_t layers[] = {11, 10, 10, 9, 10, 10, 10, 10},
                         full[] = {3, 2, 1, 0, 2, 1, 0, 0}, select[] = {1, 0, 0, 0, 0, 0, 0, 0};
    struct framework_settings settings = {
        .strategy =
            {.dp = 2, .tp = 8, .cp = 1, .pp = 4, .op = -1, .vp = 2, .mbs = 1, .sp = true},
        .gbs = 32,
        .layers = layers,
        .full = full,
        .select = select,
    };
    const size_t n = load("llama3-70b.yaml", text, sizeof text);
    struct text_buffer out = write_ok(text, n, &settings);
    expect_line(&out, "80 layers in 8 parts\n    offset: [[1, 0, 0, -1], [0, 0, 0, 0]]\n");
    expect_line(&out, "\n  recompute: [[3, 2, 1, 0], [2, 1, 0, 0]]\n");
    expect_line(&out, "[[4, 0, 0, 0], [0, 0, 0, 0]]");
    text_buffer_free(&out);
    settings.strategy.pp = 2, settings.strategy.vp = 1, settings.strategy.dp = 4;
    settings.layers = settings.full = settings.select = NULL;
    out = write_ok(text, n, &settings);
    expect_line(&out, "\n    offset: 0\n");
    expect_line(&out, "    pp_interleave_num: 1\n");
    expect_line(&out, "    pipeline_interleave: false\n");
    text_buffer_free(&out);
}

Test(mindformers_write, dry_run)
{
    const struct framework_settings settings = {
        .strategy =
            {.dp = 2, .tp = 8, .cp = 1, .pp = 4, .op = -1, .vp = 2, .mbs = 1, .sp = true},
        .layers = (const int32_t[]){11, 10, 10, 10, 10, 10, 10, 9},
        .dry_run = true,
    };
    struct text_buffer out =
        write_ok(text, load("llama3-70b.yaml", text, sizeof text), &settings);
    expect_line(&out, "\nload_checkpoint: \"\"\n");
    expect_line(&out, "\nauto_trans_ckpt: false\n");
    text_buffer_free(&out);
}

// The anchored values stay: the changed keys become the map's own.
Test(mindformers_write, merge_keys)
{
    const struct framework_settings settings = {
        .strategy =
            {.dp = 8, .tp = 2, .cp = 1, .pp = 2, .op = 1, .vp = 1, .mbs = 2, .sp = true},
        .gbs = 64,
    };
    struct text_buffer out = write_ok(merged, sizeof merged - 1, &settings);
    expect_line(&out, "  data_parallel: &dp 4   # replicas\r\n");
    expect_line(&out,
                "  use_seq_parallel: True\r\n  data_parallel: 8\r\n  micro_batch_num: 4\r\n");
    expect_line(&out, "runner_config: {batch_size: 2}   # one\r\n");
    expect_line(&out, "\r\nother: *shape");
    cr_expect_eq(out.text[out.n - 1], 'e', "a new line at the end");
    text_buffer_free(&out);
}

Test(mindformers_write, faults)
{
    static const int32_t layers[] = {12, 13};
    static const struct {
        struct framework_settings settings;
        int line, column;
        const char *wanted;
    } rows[] = {
        {{.strategy = {.dp = 4, .tp = 1, .cp = 1, .pp = 2, .op = 3, .vp = 1}},
         3,
         22,
         "MindFormers cannot divide the optimizer into 3 parts: data_parallel is 4"},
        {{.strategy = {.dp = 4, .tp = 1, .cp = 1, .pp = 2, .op = -1, .vp = 1},
          .layers = layers},
         10,
         17,
         "the stages have 25 layers, the model has 24 (MTP included)"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct text_buffer out = {.text = NULL};
        struct pps_fault fault = {.item = NULL};
        cr_assert_not(framework_write(&out, FRAMEWORK_MINDFORMERS, PLAINDOC_YAML, merged,
                                      sizeof merged - 1, &rows[i].settings, NULL, &fault));
        cr_expect(fault.line == rows[i].line && fault.column == rows[i].column, "%d:%d: %s",
                  fault.line, fault.column, fault.text);
        cr_expect_str_eq(fault.text, rows[i].wanted, "%s", fault.text);
        text_buffer_free(&out);
    }
}

// The scheduler of the file becomes that of the strategy.
Test(mindformers_write, schedulers)
{
    static const char gpipe[] =
        "model: {model_config: {num_layers: 4, hidden_size: 8, num_heads: 2, vocab_size: 9}}\n"
        "parallel_config: {data_parallel: 1, model_parallel: 1, pipeline_stage: 2, "
        "micro_batch_num: 4}\n"
        "parallel: {pipeline_config: {pipeline_scheduler: gpipe}}\n"
        "runner_config: {batch_size: 1}\n";
    static const char *const families[] = {"gpipe", NULL};
    for (size_t i = 0; i < COUNT_OF(families); i++) {
        const struct framework_settings s = {
            .strategy = {.dp = 1, .tp = 1, .cp = 1, .pp = 2, .vp = 1, .op = 1, .mbs = 1},
            .micro_batches = 4,
            .schedule = families[i]};
        struct text_buffer out = write_ok(gpipe, sizeof gpipe - 1, &s);
        cr_expect_eq(strcmp(out.text, gpipe) == 0, families[i] != NULL, "%s", out.text);
        cr_expect_not_null(strstr(out.text, families[i] != NULL ? "gpipe" : "1f1b"));
        text_buffer_free(&out);
    }
}
