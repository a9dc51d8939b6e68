// SPDX-License-Identifier: Apache-2.0
// Configurations of Megatron-LM and MindSpeed: the examples, the arguments that nd --launch prints,
// and the place and text of errors.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"
#include "kernels/frameworks/framework.h"
#include "planner/nd/launch/launch.h"
#include "tests/unit/support/documents.h"
#include "tests/unit/support/random.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static struct framework_file read_text(const char *text, enum plaindoc_form form)
{
    struct framework_file file;
    struct pps_fault fault;
    bool is_framework;
    cr_assert(framework_read(&file, &is_framework, form, text, strlen(text), &fault),
              "%d:%d: %s\n%s", fault.line, fault.column, fault.text, text);
    cr_assert(is_framework && file.framework == FRAMEWORK_MEGATRON, "%s", text);
    return file;
}

static const cJSON *part_of(const struct framework_file *file, const char *part)
{
    return pps_json_member(file->document.root, part);
}

// ---- the examples ----------------------------------------------------------------------------

static void expect_example(const char *name, const char *document, const char *baseline)
{
    char path[600];
    char *text = calloc(1, 1 << 16);
    snprintf(path, sizeof path, PPS_SOURCE "/sweep_configs/frameworks/megatron/%s", name);
    FILE *stream = fopen(path, "rb");
    cr_assert_not_null(stream);
    cr_assert(fread(text, 1, (1 << 16) - 1, stream) > 0);
    fclose(stream);
    struct framework_file file = read_text(text, plaindoc_form_of(path));
    snprintf(path, sizeof path, "sweep_configs/models/%s", document);
    struct pps_json json = document_in(path);
    struct modeldesc model, wanted;
    struct modeldesc_counts counts, wanted_counts;
    struct pps_fault fault;
    cr_assert(modeldesc_read(&model, part_of(&file, "model"), &fault), "%s", fault.text);
    cr_assert(modeldesc_read(&wanted, json.root, &fault), "%s", fault.text);
    modeldesc_count(&model, &counts);
    modeldesc_count(&wanted, &wanted_counts);
    cr_assert(counts.total == wanted_counts.total && counts.active == wanted_counts.active,
              "%s: %lld parameters, expected %lld", name, (long long)counts.total,
              (long long)wanted_counts.total);
    char *printed = cJSON_PrintUnformatted(part_of(&file, "baseline"));
    cr_assert_str_eq(printed, baseline, "%s: %s", name, printed);
    cJSON_free(printed);
    pps_json_free(&json);
    framework_file_free(&file);
    free(text);
}

Test(megatron_read, examples)
{
    expect_example(
        "deepseek-v3.sh", "deepseek-v3.json",
        "{\"dp\":32,\"tp\":2,\"pp\":16,\"cp\":1,\"ep\":64,\"mbs\":1,\"sp\":true,\"op\":32,"
        "\"vp\":2,\"layers\":[[3,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2],[2,2,2,2,2,2,2,2,2,2,2,2,2,2,"
        "1,0]],\"select_recompute\":[[3,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2],[2,2,2,2,2,2,2,2,2,2,2,"
        "2,2,2,1,0]],\"micro_batches\":256}");
    expect_example("deepseek-v3-mindspeed.sh", "deepseek-v3.json",
                   "{\"dp\":16,\"tp\":4,\"pp\":8,\"cp\":1,\"ep\":32,\"mbs\":1,\"sp\":true,"
                   "\"op\":16,\"vp\":1,\"layers\":[[8,8,8,8,8,8,8,6]],\"recompute\":[[8,8,8,8,"
                   "8,8,8,6]],\"micro_batches\":240}");
    expect_example("llama3-70b.sh", "llama3-70b.json",
                   "{\"dp\":2,\"tp\":8,\"pp\":4,\"cp\":1,\"ep\":1,\"mbs\":1,\"sp\":true,"
                   "\"op\":2,\"vp\":4,\"layers\":[[5,5,5,5],[5,5,5,5],[5,5,5,5],[5,5,5,5]],"
                   "\"recompute\":[[1,1,1,1],[1,1,1,1],[1,1,1,1],[1,1,1,1]],"
                   "\"micro_batches\":256}");
    expect_example("llama3-8b.txt", "llama3-8b.json",
                   "{\"dp\":4,\"tp\":2,\"pp\":1,\"cp\":1,\"ep\":1,\"mbs\":1,\"sp\":true,"
                   "\"op\":4,\"vp\":1,\"layers\":[[32]],\"micro_batches\":32}");
    expect_example("llama3-8b-core.yaml", "llama3-8b.json",
                   "{\"tp\":2,\"pp\":2,\"cp\":1,\"ep\":1,\"mbs\":1,\"sp\":true,\"vp\":1,"
                   "\"layers\":[[16,16]],\"recompute\":[[16,16]]}");
}

// ---- what nd --launch prints -----------------------------------------------------------------

static double number_in(const struct framework_file *file, const char *part, const char *key)
{
    const cJSON *item = pps_json_member(part_of(file, part), key);
    return cJSON_IsNumber(item) ? item->valuedouble : -2;
}

static void draw(struct random *r, const struct modeldesc *m, struct nd_strategy *s)
{
    *s = (struct nd_strategy){.dp = 1 << random_below(r, 6),
                              .tp = 1 << random_below(r, 4),
                              .cp = 1 << random_below(r, 3),
                              .pp = 1 << random_below(r, 4),
                              .ep = 1,
                              .vp = 1,
                              .mbs = 1 << random_below(r, 2),
                              .recompute = (enum nd_recompute)random_below(r, 3)};
    s->sp = s->tp > 1 && (m->experts > 0 || random_coin(r));
    if (s->pp > 1)
        s->vp = 1 + (int32_t)random_below(r, 3);
    if (m->experts > 0)
        s->ep = 1 << random_below(r, 5);
    s->op = random_coin(r) ? s->dp * s->cp : 1 << random_below(r, 3);
}

static void expect_shape(const struct framework_file *file, const struct modeldesc *m,
                         const char *text)
{
    struct modeldesc model;
    struct modeldesc_counts counts, wanted;
    struct pps_fault fault;
    cr_assert(modeldesc_read(&model, part_of(file, "model"), &fault), "%s\n%s", fault.text,
              text);
    modeldesc_count(&model, &counts);
    modeldesc_count(m, &wanted);
    // Megatron-LM normalises queries and keys per head.
    if (!m->output_bias && !m->qk_norm_full &&
        !(m->attention == MODELDESC_MLA && (m->attention_bias || m->qk_norm)))
        cr_assert(counts.total == wanted.total && counts.active == wanted.active,
                  "%lld parameters, expected %lld\n%s", (long long)counts.total,
                  (long long)wanted.total, text);
    cr_assert(model.num_layers == m->num_layers && model.mtp_depth == m->mtp_depth &&
              model.dense_layers == m->dense_layers && model.seq_length == m->seq_length &&
              model.vocab == m->vocab && model.query_groups == m->query_groups &&
              model.window == m->window);
}

static void expect_degrees(const struct framework_file *file, const struct nd_launch *launch,
                           const char *text)
{
    const struct nd_strategy *s = launch->strategy;
    const struct training *t = launch->training;
    const int zero = nd_launch_zero(launch);
    const struct {
        const char *part, *key;
        double wanted;
    } rows[] = {
        {"baseline", "dp", s->dp},   {"baseline", "tp", s->tp},
        {"baseline", "pp", s->pp},   {"baseline", "cp", s->cp},
        {"baseline", "ep", s->ep},   {"baseline", "vp", s->vp},
        {"baseline", "mbs", s->mbs}, {"training", "gbs", (double)t->gbs},
    };
    const cJSON *sp = pps_json_member(part_of(file, "baseline"), "sp");
    struct training read = *t;
    struct pps_fault fault;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        cr_assert(number_in(file, rows[i].part, rows[i].key) == rows[i].wanted,
                  "%s: %g, expected %g\n%s", rows[i].key,
                  number_in(file, rows[i].part, rows[i].key), rows[i].wanted, text);
    cr_assert(cJSON_IsTrue(sp) == s->sp, "sp\n%s", text);
    cr_assert(training_read(&read, part_of(file, "training"), &fault), "%s", fault.text);
    cr_assert((read.distributed_optimizer ? read.zero_level : 0) == zero &&
                  read.flash_attention == t->flash_attention &&
                  read.fused_cross_entropy == launch->fused_ce,
              "%s", text);
    if (zero > 0 && strstr(text, "sharded over all replicas") == NULL)
        cr_assert(number_in(file, "baseline", "op") == nd_launch_shards(s), "op\n%s", text);
}

static void expect_lists(const struct framework_file *file, const struct nd_launch *launch,
                         const char *text)
{
    const struct nd_strategy *s = launch->strategy;
    const cJSON *layers = pps_json_member(part_of(file, "baseline"), "layers");
    const cJSON *full = pps_json_member(part_of(file, "baseline"), "recompute");
    const cJSON *select = pps_json_member(part_of(file, "baseline"), "select_recompute");
    cr_assert((full != NULL) == (s->recompute == ND_RECOMPUTE_FULL) &&
                  (select != NULL) == (s->recompute == ND_RECOMPUTE_SELECT),
              "%s", text);
    for (int32_t c = 0; c < s->vp; c++)
        for (int32_t p = 0; p < s->pp; p++) {
            const cJSON *item = cJSON_GetArrayItem(cJSON_GetArrayItem(layers, c), p);
            cr_assert(item->valueint == launch->layers[c * s->pp + p], "layers[%d][%d]\n%s", c,
                      p, text);
        }
    cr_assert(full == NULL || cJSON_Compare(full, layers, true), "%s", text);
    cr_assert(select == NULL || cJSON_Compare(select, layers, true), "%s", text);
}

// Megatron-FSDP does not sum gradients in products, which no model counts.
static void expect_modelled(const struct framework_file *file, const char *text)
{
    cr_assert(file->cannot_run.text[0] == '\0', "%s\n%s", file->cannot_run.text, text);
    for (size_t i = 0; i < file->not_modelled.n; i++)
        cr_assert(
            strcmp(file->not_modelled.list[i].name, "--no-gradient-accumulation-fusion") == 0,
            "%s\n%s", file->not_modelled.list[i].name, text);
}

// Returns whether the arguments are those of a run that starts.
static bool try_one(struct random *r, const struct modeldesc *m)
{
    struct nd_strategy s;
    struct training t;
    struct text_buffer text = {.text = NULL};
    int32_t layers[64];
    draw(r, m, &s);
    const int64_t chunks = (int64_t)s.pp * s.vp, all = modeldesc_layers(m);
    if (chunks > 64 || all / chunks < 1 + m->mtp_depth || m->vocab % s.tp != 0)
        return false;
    for (int64_t c = 0; c < chunks; c++)
        layers[c] = (int32_t)(all / chunks + (c >= chunks - all % chunks));
    training_default(&t);
    t.gbs = s.dp * s.mbs * s.pp * (1 + random_below(r, 20));
    t.zero_level = (int)random_below(r, 4);
    t.expert_tensor_parallel = random_coin(r);
    t.flash_attention = random_coin(r);
    const struct nd_launch launch = {m, &t, &s, layers, random_coin(r)};
    text_buffer_add(&text, "torchrun --nnodes %d --nproc-per-node %d pretrain_gpt.py \\\n",
                    s.dp * s.pp, s.tp * s.cp);
    nd_launch_megatron(&text, &launch);
    const bool starts = strstr(text.text, "does not start") == NULL;
    if (starts) {
        struct framework_file file = read_text(text.text, PLAINDOC_FLAT);
        expect_modelled(&file, text.text);
        expect_shape(&file, m, text.text);
        expect_degrees(&file, &launch, text.text);
        expect_lists(&file, &launch, text.text);
        framework_file_free(&file);
    }
    text_buffer_free(&text);
    return starts;
}

Test(megatron_read, launch_lines)
{
    struct random r = {23};
    DIR *models = opendir(PPS_SOURCE "/sweep_configs/models");
    cr_assert_not_null(models);
    int n_read = 0;
    for (const struct dirent *entry; (entry = readdir(models)) != NULL;) {
        char path[600];
        struct modeldesc model;
        struct pps_fault fault;
        if (strstr(entry->d_name, ".json") == NULL)
            continue;
        snprintf(path, sizeof path, "sweep_configs/models/%s", entry->d_name);
        struct pps_json json = document_in(path);
        cr_assert(modeldesc_read(&model, json.root, &fault), "%s", fault.text);
        // The lines say that the kinds of layers must be added.
        for (int i = 0; i < 60 && model.n_kinds == 0; i++)
            n_read += try_one(&r, &model);
        pps_json_free(&json);
    }
    closedir(models);
    cr_assert(n_read > 200, "%d", n_read);
}

// ---- forms and faults ------------------------------------------------------------------------

#define SHAPE                                                                                  \
    "--num-layers 12 --hidden-size 64 --num-attention-heads 4 --vocab-size 1000 "              \
    "--seq-length 128 --max-position-embeddings 128 --micro-batch-size 1 "

static void expect_baseline(const char *text, enum plaindoc_form form, const char *wanted)
{
    struct framework_file file = read_text(text, form);
    char *printed = cJSON_PrintUnformatted(part_of(&file, "baseline"));
    cr_assert(strstr(printed, wanted) != NULL, "%s\n%s", text, printed);
    cJSON_free(printed);
    framework_file_free(&file);
}

Test(megatron_read, splits)
{
    static const struct {
        const char *arguments, *wanted;
    } rows[] = {
        {"--pipeline-model-parallel-size 3", "\"layers\":[[4,4,4]]"},
        {"--pipeline-model-parallel-size 3 --num-layers-per-virtual-pipeline-stage 2",
         "\"vp\":2,\"layers\":[[2,2,2],[2,2,2]]"},
        {"--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 3",
         "\"vp\":3,\"layers\":[[2,2],[2,2],[2,2]]"},
        {"--pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 2 "
         "--decoder-last-pipeline-num-layers 4",
         "\"layers\":[[2,3,3,4]]"},
        {"--pipeline-model-parallel-size 2 --decoder-last-pipeline-num-layers 4 "
         "--num-virtual-stages-per-pipeline-rank 2",
         "\"layers\":[[4,2],[4,2]]"},
        {"--pipeline-model-parallel-size 7 --account-for-embedding-in-pipeline-split "
         "--account-for-loss-in-pipeline-split",
         "\"layers\":[[1,2,2,2,2,2,1]]"},
        {"--pipeline-model-parallel-size 4 --num-layer-list 2,3,4,3", "\"layers\":[[2,3,4,3]]"},
        {"--pipeline-model-parallel-size 2 --mtp-num-layers 1 "
         "--pipeline-model-parallel-layout 'Et*3|(tt|)*2t*5,m,L'",
         "\"vp\":2,\"layers\":[[3,2],[2,6]]"},
        {"--pipeline-model-parallel-size 4 --noop-layers 0,11 --mtp-num-layers 1",
         "\"layers\":[[2,3,3,3]]"},
        {"--pipeline-model-parallel-size 2 --recompute-granularity full --recompute-method "
         "block "
         "--recompute-num-layers 3 --num-virtual-stages-per-pipeline-rank 2 "
         "--enable-recompute-layers-per-pp-rank",
         "\"recompute\":[[2,2],[1,1]]"},
        {"--recompute-activations", "\"select_recompute\":[[12]]"},
        {"--recompute-activation-function --recompute-activation-function-num-layers 5",
         "\"select_recompute\":[[5]]"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[1000];
        snprintf(text, sizeof text, "pretrain_gpt.py " SHAPE "%s\n", rows[i].arguments);
        expect_baseline(text, PLAINDOC_FLAT, rows[i].wanted);
    }
}

Test(megatron_read, devices)
{
    expect_baseline("NNODES=2\nGPUS_PER_NODE=4\nsrun pretrain_gpt.py " SHAPE, PLAINDOC_FLAT,
                    "\"dp\":8");
    expect_baseline("msrun --worker_num 16 --local_worker_num 8 p.py " SHAPE, PLAINDOC_FLAT,
                    "\"dp\":16");
    expect_baseline("#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\nsrun p.py " SHAPE,
                    PLAINDOC_FLAT, "\"dp\":32");
    expect_baseline("srun --nodes=2 --ntasks-per-node=8 python p.py " SHAPE, PLAINDOC_FLAT,
                    "\"dp\":16");
    expect_baseline("srun --nodes=2 --ntasks-per-node=1 torchrun --nnodes=2 --nproc-per-node=4 "
                    "p.py " SHAPE "--merge-file $MERGES --tokenizer-model",
                    PLAINDOC_FLAT, "\"dp\":8");
    expect_baseline("torchrun --nproc_per_node=8 p.py " SHAPE, PLAINDOC_FLAT, "\"dp\":8");
    expect_baseline("ENV:\n  A: 1\nMODEL_ARGS:\n  --num-layers: 4\n  --hidden-size: 8\n"
                    "  --num-attention-heads: 2\n  --vocab-size: 100\n  --micro-batch-size: 1\n"
                    "  --tensor-model-parallel-size: 2\n  --sequence-parallel: true\n",
                    PLAINDOC_YAML, "\"tp\":2,\"pp\":1,\"cp\":1,\"ep\":1,\"mbs\":1,\"sp\":true");
}

Test(megatron_read, faults)
{
    static const struct {
        const char *text;
        int line, column;
        const char *wanted;
    } rows[] = {
        {"p.py " SHAPE "\\\n --tensor-model-parallel-size $TP", 2, 31,
         "--tensor-model-parallel-size: the value is TP, which this file does not set; set the "
         "value in the file"},
        {"TP=$(nproc)\np.py " SHAPE "--tensor-model-parallel-size $TP", 1, 4,
         "--tensor-model-parallel-size: the value comes from $(...), which only a shell can "
         "evaluate; write the arguments to a file, one --name value per line"},
        {"if [ -f x ]; then A=--sequence-parallel; fi\np.py " SHAPE "$A", 1, 1,
         "--sequence-parallel: the argument depends on this if, which only a shell can "
         "evaluate; "
         "write the arguments to a file, one --name value per line"},
        {"p.py " SHAPE
         "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'Etq|L'",
         1, 216,
         "--pipeline-model-parallel-layout: expected the letters E, t, m, L, the sign |, and "
         "repetitions such as t*3 or (tt|)*4"},
        {"p.py " SHAPE "--tensor-model-parallel-size '${TP}'", 1, 179,
         "--tensor-model-parallel-size: the value is ${TP}, which this file does not set; set "
         "the value in the file"},
        {"p.py --num-layers many", 1, 19,
         "--num-layers: expected a whole number above 0, not \"many\""},
        {"#!/bin/bash\npython tool.py\n", 2, 1,
         "no command of this script has arguments of a known framework: \"python tool.py\"; "
         "known frameworks: Megatron-LM, MindSpeed, NeMo, Megatron-Bridge, "
         "MindFormers, torchtitan, DeepSpeed, Hugging Face Trainer, LLaMA-Factory, Accelerate, "
         "verl"},
        {"p.py --num-layers \"12", 1, 19, "this quote does not end"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_file file;
        struct pps_fault fault = {.line = 0};
        bool is_framework;
        cr_assert_not(framework_read(&file, &is_framework, PLAINDOC_FLAT, rows[i].text,
                                     strlen(rows[i].text), &fault),
                      "%s", rows[i].text);
        cr_assert(strcmp(fault.text, rows[i].wanted) == 0 && fault.line == rows[i].line &&
                      fault.column == rows[i].column,
                  "%s\n%d:%d: %s", rows[i].text, fault.line, fault.column, fault.text);
    }
}

// Without a vocabulary there is no model, but the strategy is read.
Test(megatron_read, unknown_vocabulary)
{
    struct framework_file file = read_text(
        "p.py --num-layers 12 --hidden-size 8 --num-attention-heads 2 --seq-length 64",
        PLAINDOC_FLAT);
    cr_assert_str_eq(file.unknown_model.text,
                     "--vocab-size: missing, and the tokenizer's vocabulary is not known here; "
                     "add --vocab-size N to the arguments");
    cr_assert(file.unknown_model.line == 1 && part_of(&file, "model") == NULL &&
              number_in(&file, "baseline", "seq_length") == 64);
    framework_file_free(&file);
}

// Documents of our own are not taken for scripts.
Test(megatron_read, other_documents)
{
    static const struct {
        const char *text;
        enum plaindoc_form form;
    } rows[] = {
        {"num_layers = 12\nhidden_size = 64\n", PLAINDOC_FLAT},
        {"num_layers: 12\nhidden_size: 64\n", PLAINDOC_YAML},
        {"[model]\nnum_layers = 12\n", PLAINDOC_TOML},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_file file;
        struct pps_fault fault;
        bool is_framework = true;
        cr_assert(framework_read(&file, &is_framework, rows[i].form, rows[i].text,
                                 strlen(rows[i].text), &fault));
        cr_assert_not(is_framework, "%s", rows[i].text);
    }
}
