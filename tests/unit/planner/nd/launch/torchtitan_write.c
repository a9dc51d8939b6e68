// SPDX-License-Identifier: Apache-2.0
// Writing strategies into torchtitan configurations: the bytes that change, and that a written file
// reads back as the strategy.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/frameworks/framework.h"
#include "planner/nd/launch/launch.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

#define USUAL                                                                                  \
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 4  # mbs\n" \
    "global_batch_size = 64\nseq_len = 8_192\n\n[parallelism]\n"                               \
    "data_parallel_shard_degree = 8\ntensor_parallel_degree = 2  # one node\n"                 \
    "pipeline_parallel_degree = 1\n\n[activation_checkpoint]\nmode = \"none\"\n"

static const struct framework_settings as_usual = {
    .strategy = {.dp = 8, .tp = 2, .cp = 1, .pp = 1, .op = 8, .vp = 1, .mbs = 4, .sp = true},
    .gbs = 64,
    .seq_length = 8192,
};

// Returns the text with the settings, which the caller frees; NULL: a fault.
static char *written(const char *text, const struct framework_settings *settings,
                     struct pps_fault *fault)
{
    struct text_buffer out = {.text = NULL};
    text_buffer_add_bytes(&out, "", 0);
    const bool ok = framework_write(&out, FRAMEWORK_TORCHTITAN, PLAINDOC_TOML, text,
                                    strlen(text), settings, NULL, fault);
    cr_assert_not(out.failed);
    if (ok)
        return out.text;
    text_buffer_free(&out);
    return NULL;
}

static void expect(const char *before, const struct framework_settings *settings,
                   const char *after)
{
    struct pps_fault fault;
    char *text = written(before, settings, &fault);
    cr_assert_not_null(text, "%s", fault.text);
    cr_assert_str_eq(text, after, "%s", text);
    free(text);
}

static void refuse(const char *before, const struct framework_settings *settings,
                   const char *wanted)
{
    struct pps_fault fault;
    cr_assert_null(written(before, settings, &fault));
    cr_assert_str_eq(fault.text, wanted, "%s", fault.text);
}

Test(torchtitan_write, unchanged)
{
    expect(USUAL, &as_usual, USUAL);
}

Test(torchtitan_write, degrees)
{
    struct framework_settings s = as_usual;
    s.strategy.dp = 4;
    s.strategy.op = 4;
    s.strategy.tp = 4;
    s.strategy.cp = 2;
    s.strategy.mbs = 1;
    expect(USUAL, &s,
           "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1  # "
           "mbs\nglobal_batch_size = 64\nseq_len = 8_192\n\n[parallelism]\n"
           "data_parallel_shard_degree = 2\ntensor_parallel_degree = 4  # one node\n"
           "pipeline_parallel_degree = 1\ndata_parallel_replicate_degree = 2\n"
           "context_parallel_degree = 2\n\n[activation_checkpoint]\nmode = \"none\"\n");
}

// A split that torchtitan does not make by itself becomes a list of modules.
Test(torchtitan_write, layers)
{
    static const int32_t layers[] = {5, 6, 6, 15}, full[] = {0, 0, 0, 0},
                         select[] = {5, 6, 6, 15};
    struct framework_settings s = as_usual;
    s.strategy.dp = s.strategy.op = 2;
    s.strategy.pp = 4;
    s.strategy.mbs = 1;
    s.layers = layers;
    s.full = full;
    s.select = select;
    expect(
        USUAL, &s,
        "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 32  # "
        "mbs\nglobal_batch_size = 64\nseq_len = 8_192\n\n[parallelism]\n"
        "data_parallel_shard_degree = 2\ntensor_parallel_degree = 2  # one node\n"
        "pipeline_parallel_degree = 4\nmodule_fqns_per_model_part = [\n"
        "  [\"tok_embeddings\", \"layers.0\", \"layers.1\", \"layers.2\", \"layers.3\", "
        "\"layers.4\"],\n"
        "  [\"layers.5\", \"layers.6\", \"layers.7\", \"layers.8\", \"layers.9\", "
        "\"layers.10\"],\n"
        "  [\"layers.11\", \"layers.12\", \"layers.13\", \"layers.14\", \"layers.15\", "
        "\"layers.16\"],\n"
        "  [\"layers.17\", \"layers.18\", \"layers.19\", \"layers.20\", \"layers.21\", "
        "\"layers.22\", \"layers.23\", \"layers.24\", \"layers.25\", \"layers.26\", "
        "\"layers.27\", \"layers.28\", \"layers.29\", \"layers.30\", \"layers.31\", \"norm\", "
        "\"output\"],\n]\n\n"
        "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = \"op\"\n");
}

// torchtitan's own split needs no list; a list of the file goes.
Test(torchtitan_write, own_split)
{
    static const char before[] =
        "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nlocal_batch_size = 8\n"
        "[parallelism]\ndata_parallel_shard_degree = 1\npipeline_parallel_degree = 2 # p\n"
        "pipeline_parallel_split_points = ['layers.20'] # late\n";
    static const int32_t layers[] = {16, 16}, four[] = {8, 9, 8, 7};
    struct framework_settings s = {
        .strategy = {.dp = 1, .tp = 1, .cp = 1, .pp = 2, .op = 1, .vp = 1, .mbs = 1},
        .gbs = 8,
        .layers = layers};
    expect(before, &s,
           "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nlocal_batch_size = 8\n"
           "[parallelism]\ndata_parallel_shard_degree = 1\npipeline_parallel_degree = 2 # p\n"
           "# late\n");
    s.strategy.vp = 2;
    s.layers = four;
    expect(before, &s,
           "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nlocal_batch_size = 8\n"
           "[parallelism]\ndata_parallel_shard_degree = 1\npipeline_parallel_degree = 2 # p\n"
           "# late\npipeline_parallel_schedule = \"Interleaved1F1B\"\n");
    s.strategy.vp = 3; // 34 layers with embedding and head: 6 per part
    s.layers = NULL;
    expect(before, &s,
           "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nlocal_batch_size = 8\n"
           "[parallelism]\ndata_parallel_shard_degree = 1\npipeline_parallel_degree = 2 # p\n"
           "# late\npipeline_parallel_schedule = \"Interleaved1F1B\"\n"
           "pipeline_parallel_layers_per_stage = 6\n");
}

Test(torchtitan_write, older_layout)
{
    static const int32_t layers[] = {17, 15};
    struct framework_settings s = {
        .strategy =
            {.dp = 4, .tp = 2, .cp = 1, .pp = 2, .op = 2, .vp = 1, .mbs = 2, .sp = true},
        .gbs = 32,
        .layers = layers};
    expect("[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nbatch_size = 2\n"
           "tensor_parallel_degree = 1\n[experimental]\npipeline_parallel_degree = 1\n",
           &s,
           "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nbatch_size = 8\n"
           "tensor_parallel_degree = 2\ndata_parallel_replicate_degree = 2\n"
           "data_parallel_shard_degree = 2\n[experimental]\npipeline_parallel_degree = 2\n"
           "pipeline_parallel_microbatches = 4\n"
           "pipeline_parallel_split_points = [\"layers.17\"]\n");
}

Test(torchtitan_write, switches)
{
    struct framework_settings s = as_usual;
    s.profile = true;
    expect(USUAL, &s, USUAL "\n[profiling]\nenable_profiling = true\nprofile_freq = 20\n");
    s.profile_from = 4;
    s.profile_to = 6;
    expect("[profiling]\nenable_profiling = false # off\n" USUAL, &s,
           "[profiling]\nenable_profiling = true # off\nprofile_freq = 6\n" USUAL);
    s.profile = false;
    s.dry_run = true;
    expect(USUAL, &s, USUAL "\n[memory_estimation]\nenable = true\n");
}

// torchtitan recomputes alike on all stages: the next mode above, and a comment.
Test(torchtitan_write, recompute)
{
    static const int32_t layers[] = {8, 9, 8, 7}, half[] = {4, 4, 4, 3}, some[] = {3, 1, 0, 0},
                         most[] = {8, 5, 0, 0}, none[] = {0, 0, 0, 0};
    static const struct {
        const int32_t *full;
        const char *wanted;
    } rows[] = {
        {none, "mode = \"none\"\n"},
        {layers, "mode = \"full\"\n"},
        {half, "mode = \"selective\"\nselective_ac_option = \"2\"\n"},
        {some,
         "# recomputed layers of the strategy, which torchtitan cannot choose by stage: full "
         "3,1,0,0; select 0,0,0,0\nmode = \"selective\"\nselective_ac_option = \"2\"\n"},
        {most,
         "# recomputed layers of the strategy, which torchtitan cannot choose by stage: full "
         "8,5,0,0; select 0,0,0,0\nmode = \"full\"\n"},
    };
    static const char before[] = USUAL "selective_ac_option = \"op\"\n";
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_settings s = as_usual;
        struct pps_fault fault;
        s.strategy.dp = s.strategy.op = 2;
        s.strategy.pp = 4;
        s.strategy.mbs = 1;
        s.layers = layers;
        s.full = rows[i].full;
        char *text = written(before, &s, &fault);
        cr_assert_not_null(text, "%s", fault.text);
        const char *end = strstr(text, "[activation_checkpoint]\n") + 24;
        cr_assert_eq(strncmp(end, rows[i].wanted, strlen(rows[i].wanted)), 0, "%zu: %s", i,
                     end);
        char *again = written(text, &s, &fault);
        cr_assert_str_eq(again, text, "%s", again);
        free(again);
        free(text);
    }
}

Test(torchtitan_write, faults)
{
    struct framework_settings s = as_usual;
    s.strategy.op = 3;
    refuse(USUAL, &s,
           "torchtitan cannot shard parameters over 3 of 8 data and context ranks: cp=1 must "
           "divide the shards, and they the ranks");
    s = as_usual;
    s.strategy.ep = 32;
    refuse(USUAL, &s,
           "torchtitan cannot place 32 expert ranks: shards times tensor ranks (16) are not a "
           "multiple");
    s = as_usual;
    s.strategy.mbs = 3;
    refuse(USUAL, &s, "64 sequences per step are not a multiple of dp=8 times mbs=3");
    s = as_usual;
    s.num_layers = 16;
    refuse(
        USUAL, &s,
        "torchtitan has no key for the number of layers: llama3 8B has 32, the configuration "
        "needs 16");
}

// What torchtitan cannot do is written as near as it can, with a comment.
Test(torchtitan_write, comments)
{
    struct framework_settings s = as_usual;
    s.strategy.mbs = 1;
    expect(
        "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nbatch_size = 8\nseq_len = 8192\n"
        "data_parallel_degree = 8\ntensor_parallel_degree = 1\n",
        &s,
        "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\n# 8 sequences per step: "
        "torchtitan "
        "with batch_size does not accumulate gradients; the strategy has 64\nbatch_size = 1\n"
        "seq_len = 8192\ndata_parallel_degree = 8\ntensor_parallel_degree = 2\n");
    s = as_usual;
    s.strategy.ep = 16;
    s.strategy.sp = false;
    expect(
        "[parallelism]\ntensor_parallel_degree = 4\nexpert_tensor_parallel_degree = 4\n"
        "data_parallel_shard_degree = 8\n[training]\nglobal_batch_size = 64\nseq_len = 8192\n"
        "local_batch_size = 4\n",
        &s,
        "[parallelism]\n# tensor parallelism of torchtitan is always sequence parallel; the "
        "strategy is not\ntensor_parallel_degree = 2\n# experts are not split over tensor "
        "ranks: "
        "too few ranks for so many expert ranks\nexpert_tensor_parallel_degree = 1\n"
        "data_parallel_shard_degree = 8\nexpert_parallel_degree = 16\n[training]\n"
        "global_batch_size = 64\nseq_len = 8192\nlocal_batch_size = 4\n");
}

// ---- round trips --------------------------------------------------------------------------------

static unsigned next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static int32_t power(unsigned *state, unsigned most)
{
    return 1 << next(state) % (most + 1);
}

enum { MAX_PARTS = 64 };

struct lists {
    int32_t layers[MAX_PARTS], full[MAX_PARTS], select[MAX_PARTS];
};

// Draws a schedule that torchtitan has for the chunks.
static const char *draw_schedule(unsigned *state, const struct nd_strategy *x)
{
    static const char *const one[] = {NULL, NULL, "gpipe"};
    static const char *const two[] = {NULL, "pytorch_bfs", "pytorch_zb", "pytorch_zbv",
                                      "dualpipev"};
    return x->pp == 1   ? NULL
           : x->vp == 1 ? one[next(state) % 3]
           : x->vp == 2 ? two[next(state) % 5]
                        : two[next(state) % 3];
}

// Draws a strategy that torchtitan can express, with layers in each part.
static struct framework_settings draw(unsigned *state, int32_t n_layers, bool experts,
                                      struct lists *l)
{
    struct framework_settings s = {.gbs = 0};
    struct nd_strategy *x = &s.strategy;
    x->tp = power(state, 3);
    x->cp = power(state, 1);
    x->pp = power(state, 3);
    x->vp = x->pp > 1 ? 1 + (int32_t)(next(state) % 3) : 1;
    s.schedule = draw_schedule(state, x);
    const int32_t shard = power(state, 3), replicate = power(state, 2);
    x->dp = shard * replicate;
    x->op = shard * x->cp;
    x->mbs = power(state, 2);
    x->ep = experts ? power(state, 2) : 0;
    while (x->ep > 1 && shard * x->cp * x->tp % x->ep != 0)
        x->ep /= 2;
    x->sp = x->tp > 1;
    s.gbs = (int64_t)x->dp * x->mbs * x->pp * (1 + next(state) % 4);
    s.seq_length = 1024 << next(state) % 4;
    const int32_t parts = x->pp * x->vp;
    for (int32_t k = 0; k < parts; k++)
        l->layers[k] = n_layers / parts + (k < n_layers % parts);
    for (int32_t moves = (int32_t)(next(state) % 4); moves > 0; moves--) {
        const unsigned from = next(state) % (unsigned)parts, to = next(state) % (unsigned)parts;
        if (l->layers[from] > 1) {
            l->layers[from]--;
            l->layers[to]++;
        }
    }
    const unsigned mode = next(state) % 3;
    for (int32_t k = 0; k < parts; k++) {
        l->full[k] = mode == 1 ? l->layers[k] : 0;
        l->select[k] = mode == 2 ? l->layers[k] : 0;
    }
    s.layers = l->layers;
    s.full = l->full;
    s.select = l->select;
    return s;
}

static double number_of(const cJSON *root, const char *part, const char *key)
{
    const cJSON *item =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, part), key);
    return cJSON_IsBool(item)     ? cJSON_IsTrue(item)
           : cJSON_IsNumber(item) ? item->valuedouble
                                  : -1;
}

static void check_list(const cJSON *root, const char *key, const struct nd_strategy *x,
                       const int32_t *wanted, const char *text)
{
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(root, "baseline"), key);
    cr_assert_eq(cJSON_GetArraySize(rows), x->vp, "%s\n%s", key, text);
    for (int v = 0; v < x->vp; v++)
        for (int i = 0; i < x->pp; i++)
            cr_assert_eq((int)cJSON_GetArrayItem(cJSON_GetArrayItem(rows, v), i)->valuedouble,
                         wanted[v * x->pp + i], "%s of chunk %d, stage %d\n%s", key, v, i,
                         text);
}

// Checks that a text reads as the settings; lists only if `layers`.
static void check_read(const char *text, const struct framework_settings *s, bool layers)
{
    struct framework_file file;
    struct pps_fault fault;
    bool read;
    const struct nd_strategy *x = &s->strategy;
    cr_assert(framework_read(&file, &read, PLAINDOC_TOML, text, strlen(text), &fault) && read,
              "%d:%d: %s\n%s", fault.line, fault.column, fault.text, text);
    const cJSON *root = file.document.root;
    const struct {
        const char *part, *key;
        double wanted;
    } rows[] = {
        {"baseline", "dp", x->dp},
        {"baseline", "tp", x->tp},
        {"baseline", "cp", x->cp},
        {"baseline", "pp", x->pp},
        {"baseline", "ep", x->ep > 0 ? x->ep : 1},
        {"baseline", "op", x->op},
        {"baseline", "vp", x->vp},
        {"baseline", "mbs", x->mbs},
        {"baseline", "sp", x->sp},
        {"baseline", "micro_batches", (double)(s->gbs / x->dp / x->mbs)},
        {"training", "gbs", (double)s->gbs},
        {"cluster", "world_size", (double)x->dp * x->tp * x->cp * x->pp},
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++)
        cr_assert_eq(number_of(root, rows[k].part, rows[k].key), rows[k].wanted,
                     "%s: %g, not %g\n%s", rows[k].key,
                     number_of(root, rows[k].part, rows[k].key), rows[k].wanted, text);
    if (layers) {
        const cJSON *schedule = cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(root, "baseline"), "schedule");
        cr_assert(s->schedule == NULL ? schedule == NULL
                                      : cJSON_IsString(schedule) &&
                                            strcmp(schedule->valuestring, s->schedule) == 0,
                  "%s", text);
        cr_assert_eq(number_of(root, "model", "seq_length"), (double)s->seq_length, "%s", text);
        check_list(root, "layers", x, s->layers, text);
        check_list(root, "recompute", x, s->full, text);
        check_list(root, "select_recompute", x, s->select, text);
    }
    framework_file_free(&file);
}

static const struct {
    const char *text;
    int32_t layers;
    bool experts, old;
} files[] = {
    {USUAL, 32, false, false},
    {"[model]\nname='deepseek_v3'\nflavor='16B'\n[parallelism]\n"
     "expert_parallel_degree = 4\nexpert_tensor_parallel_degree = 1\n"
     "pipeline_parallel_schedule = 'ZBVZeroBubble'\npipeline_parallel_layers_per_stage = 3\n",
     27, true, false},
    {"\xef\xbb\xbf# c\r\nmodel = { name = 'qwen3', flavor = '30B-A3B' }\r\n"
     "training.local_batch_size = 2 # two\r\nparallelism.tensor_parallel_degree = 1",
     48, true, false},
    {"[model]\nname = 'llama3'\nflavor = '405B'\n[training]\nbatch_size = 2\n"
     "data_parallel_degree = -1\n[experimental]\npipeline_parallel_degree = 1\n"
     "pipeline_parallel_schedule = 'interleaved_1f1b'\n",
     126, false, true},
};

// Hundreds of strategies, one after the other, through each file: each reads back, and a second write
// of the same strategy changes nothing.
Test(torchtitan_write, random_strategies)
{
    unsigned state = 7;
    for (size_t f = 0; f < COUNT_OF(files); f++) {
        char *text = strdup(files[f].text);
        for (int round = 0; round < 300; round++) {
            struct lists lists;
            struct pps_fault fault;
            struct framework_settings s =
                draw(&state, files[f].layers, files[f].experts, &lists);
            if (files[f].old && s.strategy.pp == 1)
                s.gbs = (int64_t)s.strategy.dp * s.strategy.mbs;
            char *after = written(text, &s, &fault);
            cr_assert_not_null(after, "%d:%d: %s\n%s", fault.line, fault.column, fault.text,
                               text);
            check_read(after, &s, true);
            char *again = written(after, &s, &fault);
            cr_assert_str_eq(again, after, "%s\n%s", again, after);
            free(again);
            free(text);
            text = after;
        }
        free(text);
    }
}

// An order of the user's, or of another schedule, is not the one of the strategy.
Test(torchtitan_write, schedules)
{
    static const struct {
        const char *before, *after;
        int32_t vp;
        const char *family;
    } rows[] = {
        {"'GPipe'", "'1F1B'", 1, NULL},
        {"'gpipe'", "'gpipe'", 1, "gpipe"},
        {"'InterleavedZeroBubble'", "'Interleaved1F1B'", 2, NULL},
        {"'interleavedzerobubble'", "'interleavedzerobubble'", 2, "pytorch_zb"},
        {"'Interleaved1F1B'", "'ZBVZeroBubble'", 2, "pytorch_zbv"},
        {"'FlexibleInterleaved1F1B'", "'FlexibleInterleaved1F1B'", 2, "interleaved"},
        {"'1F1B'", "'DualPipeV'", 2, "dualpipev"},
        {"'PipelineScheduleMulti'\npipeline_parallel_schedule_csv = 'a.csv'",
         "'Interleaved1F1B'", 2, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct framework_settings s = {
            .strategy =
                {.dp = 1, .tp = 1, .cp = 1, .pp = 2, .vp = rows[i].vp, .op = 1, .mbs = 1},
            .schedule = rows[i].family};
        static const char head[] = "[model]\nname = 'llama3'\nflavor = 'debugmodel'\n"
                                   "[parallelism]\ndata_parallel_shard_degree = 1\n"
                                   "pipeline_parallel_degree = 2\n"
                                   "pipeline_parallel_schedule = ";
        char before[512], after[512];
        snprintf(before, sizeof before, "%s%s\n[training]\nlocal_batch_size = 8\n", head,
                 rows[i].before);
        snprintf(after, sizeof after, "%s%s\n[training]\nlocal_batch_size = 8\n", head,
                 rows[i].after);
        expect(before, &s, after);
    }
    const struct framework_settings chimera = {
        .strategy = {.dp = 1, .tp = 1, .cp = 1, .pp = 2, .vp = 1, .op = 1, .mbs = 1},
        .schedule = "chimera"};
    refuse(USUAL, &chimera,
           "torchtitan has no schedule chimera with 1 parts per pipeline rank");
}

// The launch file of a strategy reads back as the strategy.
Test(torchtitan_write, launch_files)
{
    unsigned state = 11;
    for (int round = 0; round < 500; round++) {
        struct lists lists;
        const struct framework_settings s = draw(&state, 32, round % 2 == 1, &lists);
        struct text_buffer text = {.text = NULL};
        struct training training;
        struct modeldesc model = {.num_layers = 32,
                                  .layer_norms = 2,
                                  .hidden = 4096,
                                  .experts = round % 2 == 1 ? 64 : 0,
                                  .seq_length = s.seq_length};
        struct nd_strategy strategy = s.strategy;
        training_default(&training);
        training.gbs = s.gbs;
        training.zero_level = 3;
        strategy.ep = strategy.ep > 0 ? strategy.ep : 1;
        const struct nd_launch launch = {.model = &model,
                                         .training = &training,
                                         .strategy = &strategy,
                                         .layers = lists.layers};
        nd_launch_torchtitan(&text, &launch);
        check_read(text.text, &s, false);
        text_buffer_free(&text);
    }
}
