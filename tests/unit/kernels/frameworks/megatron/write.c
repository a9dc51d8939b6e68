// SPDX-License-Identifier: Apache-2.0
// Configurations of Megatron-LM and MindSpeed are changed to random strategies and read again: the
// strategy is the intended one, and lines that do not concern it stay as they are.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/description/training.h"
#include "kernels/frameworks/framework.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static const char *const names[] = {"deepseek-v3.sh", "deepseek-v3-mindspeed.sh",
                                    "llama3-70b.sh", "llama3-8b.txt", "llama3-8b-core.yaml"};

struct document {
    char *text;
    enum plaindoc_form form;
};

static struct document open_document(const char *name)
{
    char path[600];
    struct document document;
    snprintf(path, sizeof path, PPS_SOURCE "/sweep_configs/frameworks/megatron/%s", name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    document.text = calloc(1, 1 << 16);
    cr_assert(fread(document.text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    document.form = plaindoc_form_of(path);
    return document;
}

static struct framework_file read_text(const char *text, size_t n, enum plaindoc_form form)
{
    struct framework_file file;
    struct pps_fault fault;
    bool is_framework;
    cr_assert(framework_read(&file, &is_framework, form, text, n, &fault), "%d:%d: %s\n%s",
              fault.line, fault.column, fault.text, text);
    cr_assert(is_framework && file.framework == FRAMEWORK_MEGATRON);
    return file;
}

// ---- random settings -------------------------------------------------------------------------

static int draw(struct random *r, int n)
{
    return (int)random_below(r, n);
}

static double number_in(const struct framework_file *file, const char *part, const char *key)
{
    const cJSON *item = pps_json_member(pps_json_member(file->document.root, part), key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

struct wanted {
    struct framework_settings settings;
    int32_t layers[256], full[256], select[256];
    bool devices;
};

// Random layers of each chunk with the given sum; MTP layers are in the last chunk.
static void draw_layers(struct random *r, struct wanted *w, int total, int mtp)
{
    const int n = w->settings.strategy.pp * w->settings.strategy.vp;
    const bool even = (total - mtp) % n == 0 && draw(r, 3) == 0;
    for (int c = 0; c < n; c++)
        w->layers[c] = even ? (total - mtp) / n : 0;
    for (int i = 0; !even && i < total - mtp; i++)
        w->layers[i < n ? i : draw(r, n)]++;
    w->layers[n - 1] += mtp;
    w->settings.layers = w->layers;
}

static void draw_recompute(struct random *r, struct wanted *w)
{
    const int n = w->settings.strategy.pp * w->settings.strategy.vp, kind = draw(r, 5);
    const int block = 1 + draw(r, 3);
    for (int c = 0; c < n; c++) {
        const int layers = w->layers[c];
        w->full[c] = kind == 1 ? layers : kind == 2 ? (block < layers ? block : layers) : 0;
        w->select[c] = kind == 3 ? layers : 0;
    }
    if (kind < 4) {
        w->settings.full = w->full;
        w->settings.select = w->select;
    }
}

static void draw_settings(struct random *r, const struct framework_file *file, struct wanted *w)
{
    struct nd_strategy *s = &w->settings.strategy;
    *w = (struct wanted){.devices = number_in(file, "cluster", "npus_per_node") > 0};
    const int experts = (int)number_in(file, "model", "num_experts");
    const int mtp = (int)number_in(file, "model", "mtp_depth");
    int layers = (int)number_in(file, "model", "num_layers");
    s->tp = 1 << draw(r, 4);
    s->pp = 1 << draw(r, 5);
    s->cp = 1 << draw(r, 2);
    s->dp = 1 << draw(r, 6);
    s->vp = s->pp > 1 && layers / s->pp >= 2 ? 1 + draw(r, 2) : 1;
    s->ep = 0;
    if (experts > 0)
        for (s->ep = 1; draw(r, 4) > 0 && s->ep * 2 <= s->dp * s->cp && s->ep < experts;)
            s->ep *= 2;
    s->op = draw(r, 2) == 0 ? s->dp * s->cp : 1 << draw(r, 2);
    if (s->dp * s->cp % s->op != 0)
        s->op = s->dp * s->cp;
    s->mbs = 1 << draw(r, 3);
    s->sp = s->tp > 1 && draw(r, 2) == 0;
    w->settings.micro_batches = s->pp * (1 + draw(r, 4));
    w->settings.gbs = w->settings.micro_batches * s->mbs * s->dp;
    if (draw(r, 3) == 0)
        w->settings.num_layers = layers = s->pp * s->vp * 2 + 7;
    if (draw(r, 3) == 0)
        w->settings.seq_length = 1024 << draw(r, 6);
    draw_layers(r, w, layers + mtp, mtp);
    draw_recompute(r, w);
    if (draw(r, 3) == 0) {
        static const int32_t ranks[] = {0, 3};
        w->settings.profile = true;
        w->settings.profile_from = 5;
        w->settings.profile_to = 7;
        w->settings.record_ranks = ranks;
        w->settings.n_record_ranks = draw(r, 2) * 2;
    }
}

// ---- comparison ------------------------------------------------------------------------------

static void expect_number(const struct framework_file *file, const char *part, const char *key,
                          double wanted, const char *text)
{
    cr_assert(number_in(file, part, key) == wanted, "%s.%s: %g, expected %g\n%s", part, key,
              number_in(file, part, key), wanted, text);
}

static void expect_list(const struct framework_file *file, const char *key,
                        const int32_t *wanted, const struct nd_strategy *s, const char *text)
{
    const cJSON *list = pps_json_member(pps_json_member(file->document.root, "baseline"), key);
    bool zero = true;
    for (int i = 0; i < s->pp * s->vp; i++)
        zero = zero && wanted[i] == 0;
    cr_assert(list != NULL || zero, "%s\n%s", key, text);
    for (int c = 0; list != NULL && c < s->vp; c++)
        for (int p = 0; p < s->pp; p++) {
            const cJSON *item = cJSON_GetArrayItem(cJSON_GetArrayItem(list, c), p);
            cr_assert(item != NULL && item->valuedouble == wanted[c * s->pp + p],
                      "%s[%d][%d]: %g, expected %d\n%s", key, c, p,
                      item != NULL ? item->valuedouble : -1, wanted[c * s->pp + p], text);
        }
}

static void expect_strategy(const struct framework_file *file,
                            const struct framework_file *before, const struct wanted *w,
                            const char *text)
{
    const struct framework_settings *settings = &w->settings;
    const struct nd_strategy *s = &settings->strategy;
    static const char *const kept[] = {"hidden_size",           "num_attention_heads",
                                       "first_k_dense_replace", "mtp_depth",
                                       "num_experts",           "ffn_hidden_size"};
    const cJSON *sp = pps_json_member(pps_json_member(file->document.root, "baseline"), "sp");
    expect_number(file, "baseline", "tp", s->tp, text);
    expect_number(file, "baseline", "pp", s->pp, text);
    expect_number(file, "baseline", "cp", s->cp, text);
    expect_number(file, "baseline", "vp", s->vp, text);
    expect_number(file, "baseline", "ep", s->ep > 0 ? s->ep : 1, text);
    expect_number(file, "baseline", "mbs", s->mbs, text);
    cr_assert(cJSON_IsTrue(sp) == s->sp, "sp\n%s", text);
    expect_number(file, "training", "gbs", (double)settings->gbs, text);
    if (w->devices) {
        expect_number(file, "baseline", "dp", s->dp, text);
        expect_number(file, "baseline", "op", s->op, text);
        expect_number(file, "baseline", "micro_batches", (double)settings->micro_batches, text);
    }
    expect_list(file, "layers", settings->layers, s, text);
    if (settings->full != NULL) {
        expect_list(file, "recompute", settings->full, s, text);
        expect_list(file, "select_recompute", settings->select, s, text);
    }
    if (settings->seq_length > 0)
        expect_number(file, "model", "seq_length", (double)settings->seq_length, text);
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        expect_number(file, "model", kept[i], number_in(before, "model", kept[i]), text);
    cr_assert(!settings->profile || strstr(text, "profile") != NULL, "%s", text);
}

// Returns whether a line concerns the strategy.
static bool concerns(const char *line, size_t n)
{
    static const char *const words[] = {
        "parallel", "layers", "batch",  "recompute", "seq",   "SEQ_LEN",  "profile",   "nproc",
        "nnodes",   "NODE",   "TP",     "PP",        "CP=",   "CP_SIZE",  "EP=",       "MBS",
        "GBS",      "MICRO",  "GLOBAL", "VPP",       "BATCH", "LAYOUT",   "layout",    "freq",
        "distrib",  "--save", "dense",  "LAYERS",    "layer", "position", "group-size"};
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)n, line);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strstr(text, words[i]) != NULL)
            return true;
    return false;
}

// Checks that all lines that do not concern the strategy are in the new text, in the same order.
static void expect_lines(const char *before, const char *after)
{
    while (*before != '\0') {
        const size_t n = strcspn(before, "\n");
        if (n > 0 && !concerns(before, n)) {
            const char *found = after;
            while (found != NULL &&
                   !((found == after || found[-1] == '\n') && strncmp(found, before, n) == 0))
                found = *found == '\0' ? NULL : found + 1;
            cr_assert(found != NULL, "%.*s is missing in\n%s", (int)n, before, after);
            after = found + n;
        }
        before += n + (before[n] == '\n');
    }
}

// ---- tests -----------------------------------------------------------------------------------

static void round_trip(const struct document *document, struct random *r)
{
    struct pps_fault fault;
    struct text_buffer out = {.text = NULL};
    const size_t n = strlen(document->text);
    struct framework_file before = read_text(document->text, n, document->form);
    struct wanted w;
    draw_settings(r, &before, &w);
    cr_assert(framework_write(&out, FRAMEWORK_MEGATRON, document->form, document->text, n,
                              &w.settings, NULL, &fault),
              "%d:%d: %s", fault.line, fault.column, fault.text);
    struct framework_file after = read_text(out.text, out.n, document->form);
    expect_strategy(&after, &before, &w, out.text);
    expect_lines(document->text, out.text);
    // The same settings again change nothing.
    struct text_buffer again = {.text = NULL};
    cr_assert(framework_write(&again, FRAMEWORK_MEGATRON, document->form, out.text, out.n,
                              &w.settings, NULL, &fault));
    cr_assert_str_eq(again.text, out.text);
    text_buffer_free(&again);
    framework_file_free(&before);
    framework_file_free(&after);
    text_buffer_free(&out);
}

Test(megatron_write, round_trips)
{
    struct random r = {.state = 5};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct document document = open_document(names[i]);
        for (int k = 0; k < n_cases(100); k++)
            round_trip(&document, &r);
        free(document.text);
    }
}

// A strategy that the file has already leaves every byte alone, also CRLF and a byte-order mark.
Test(megatron_write, nothing_changes)
{
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct document document = open_document(names[i]);
        struct pps_fault fault;
        struct text_buffer text = {.text = NULL}, out = {.text = NULL};
        text_buffer_add(&text, "\xef\xbb\xbf");
        for (const char *c = document.text; *c != '\0'; c++)
            text_buffer_add(&text, *c == '\n' ? "\r\n" : "%c", *c);
        struct framework_file file = read_text(text.text, text.n, document.form);
        struct framework_settings settings = {
            .strategy = {.dp = (int32_t)number_in(&file, "baseline", "dp"),
                         .tp = (int32_t)number_in(&file, "baseline", "tp"),
                         .pp = (int32_t)number_in(&file, "baseline", "pp"),
                         .cp = (int32_t)number_in(&file, "baseline", "cp"),
                         .ep = (int32_t)number_in(&file, "baseline", "ep"),
                         .op = (int32_t)number_in(&file, "baseline", "op"),
                         .vp = (int32_t)number_in(&file, "baseline", "vp"),
                         .mbs = (int32_t)number_in(&file, "baseline", "mbs"),
                         .sp = true},
            .gbs = (int64_t)number_in(&file, "training", "gbs"),
        };
        int32_t layers[256] = {0};
        const cJSON *lists =
            pps_json_member(pps_json_member(file.document.root, "baseline"), "layers");
        const cJSON *list, *item;
        int n = 0;
        cJSON_ArrayForEach (list, lists)
            cJSON_ArrayForEach (item, list)
                layers[n++] = (int32_t)item->valuedouble;
        settings.layers = layers;
        if (settings.strategy.dp == 0)
            settings.strategy.dp = settings.strategy.op = 1;
        cr_assert(framework_write(&out, FRAMEWORK_MEGATRON, document.form, text.text, text.n,
                                  &settings, NULL, &fault),
                  "%s", fault.text);
        if (strcmp(names[i], "deepseek-v3.sh") != 0) // its MTP layer moves to the last chunk
            cr_assert_str_eq(out.text, text.text, "%s\n%s", names[i], out.text);
        framework_file_free(&file);
        text_buffer_free(&text);
        text_buffer_free(&out);
        free(document.text);
    }
}

// The script switches --sequence-parallel on for two tensor ranks: it is removed there.
Test(megatron_write, conditions)
{
    static const char text[] =
        "TP=1\nA=(--tensor-model-parallel-size $TP)\nif [ $TP -gt 1 ]; then\n"
        "  A+=(--sequence-parallel)\nfi\nNNODES=1\nGPUS_PER_NODE=8\n"
        "srun p.py ${A[@]} --num-layers 12 --hidden-size 64 --num-attention-heads 4 "
        "--vocab-size 1000 --seq-length 128 --micro-batch-size 1 --global-batch-size 64\n";
    static const char wanted[] =
        "TP=2\nA=(--tensor-model-parallel-size $TP)\nif [ $TP -gt 1 ]; then\n"
        "  A+=()\nfi\nNNODES=2\nGPUS_PER_NODE=8\n"
        "srun p.py ${A[@]} --num-layers 12 --hidden-size 64 --num-attention-heads 4 "
        "--vocab-size 1000 --seq-length 128 --micro-batch-size 1 --global-batch-size 64\n";
    const struct framework_settings settings = {
        .strategy = {.dp = 8, .tp = 2, .cp = 1, .pp = 1, .op = -1, .vp = 1, .mbs = 1}};
    struct text_buffer out = {.text = NULL};
    struct pps_fault fault;
    cr_assert(framework_write(&out, FRAMEWORK_MEGATRON, PLAINDOC_FLAT, text, sizeof text - 1,
                              &settings, NULL, &fault),
              "%s", fault.text);
    cr_assert_str_eq(out.text, wanted, "%s", out.text);
    text_buffer_free(&out);
}

// A plan that Megatron-LM cannot express becomes one that needs no more memory, with a comment.
Test(megatron_write, uneven_recompute)
{
    static const char text[] =
        "torchrun --nproc-per-node 2 p.py --num-layers 12 --hidden-size 64 "
        "--num-attention-heads 4 --vocab-size 1000 --seq-length 128 --micro-batch-size 1 "
        "--global-batch-size 8 --pipeline-model-parallel-size 2";
    static const char wanted[] =
        " --recompute-granularity full --recompute-method block --recompute-num-layers 4\n"
        "# Megatron-LM recomputes the same number of layers in each stage and chunk; the plan "
        "is "
        "to recompute fully: 4 1\n";
    static const int32_t full[] = {4, 1};
    const struct framework_settings settings = {
        .strategy = {.dp = 1, .tp = 1, .cp = 1, .pp = 2, .op = -1, .vp = 1, .mbs = 1},
        .full = full};
    struct text_buffer out = {.text = NULL}, again = {.text = NULL};
    struct pps_fault fault;
    cr_assert(framework_write(&out, FRAMEWORK_MEGATRON, PLAINDOC_FLAT, text, sizeof text - 1,
                              &settings, NULL, &fault));
    cr_assert(out.n == sizeof text - 1 + sizeof wanted - 1 &&
                  strcmp(out.text + sizeof text - 1, wanted) == 0,
              "%s", out.text);
    cr_assert(framework_write(&again, FRAMEWORK_MEGATRON, PLAINDOC_FLAT, out.text, out.n,
                              &settings, NULL, &fault));
    cr_assert_str_eq(again.text, out.text);
    text_buffer_free(&out);
    text_buffer_free(&again);
}

// Modules replace those of the file; what Megatron-LM refuses beside other arguments is refused here.
Test(megatron_write, modules)
{
    static const char text[] =
        "torchrun --nproc-per-node 8 p.py --num-layers 2 --hidden-size 64 "
        "--num-attention-heads 4 --vocab-size 1000 --seq-length 128 --micro-batch-size 1 "
        "--global-batch-size 8 --num-experts 4 --moe-shared-expert-intermediate-size 64 "
        "--moe-shared-expert-overlap --recompute-granularity selective --recompute-modules ";
    static const struct {
        unsigned modules;
        const char *before, *after; // after: what is refused if it ends with a full stop
    } cases[] = {{0, "moe mlp", "moe mlp"},
                 {TRAINING_MOE, "moe mlp", "moe"},
                 {TRAINING_LAYERNORM | TRAINING_MOE, "core_attn", "layernorm moe"},
                 {TRAINING_MOE_ACT, "moe", "moe_act needs --moe-grouped-gemm."},
                 {TRAINING_SHARED_EXPERTS, "moe",
                  "shared_experts does not go with --moe-shared-expert-overlap."}};
    static const int32_t none[] = {0}, all[] = {2};
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        const struct framework_settings settings = {
            .strategy =
                {.dp = 8, .tp = 1, .cp = 1, .pp = 1, .ep = 1, .op = -1, .vp = 1, .mbs = 1},
            .full = none,
            .select = all,
            .modules = cases[k].modules};
        char before[512], after[512];
        struct text_buffer out = {.text = NULL};
        struct pps_fault fault;
        snprintf(before, sizeof before, "%s%s\n", text, cases[k].before);
        snprintf(after, sizeof after, "%s%s\n", text, cases[k].after);
        if (framework_write(&out, FRAMEWORK_MEGATRON, PLAINDOC_FLAT, before, strlen(before),
                            &settings, NULL, &fault))
            cr_expect_str_eq(out.text, after);
        else
            cr_expect(strncmp(strstr(fault.text, "modules ") + strlen("modules "),
                              cases[k].after, strlen(cases[k].after) - 1) == 0,
                      "%s", fault.text);
        text_buffer_free(&out);
    }
}
