// SPDX-License-Identifier: Apache-2.0
// What a framework's file says after it was written costs what the configuration costs that was written:
// the price of read(write(c)) is that of c, for random configurations of every framework.
#include "kernels/configuration/step.h"
#include "kernels/frameworks/framework.h"
#include "kernels/schedule/catalogue/catalogue.h"
#include "tests/unit/support/random.h"
#include "tests/unit/support/rounds.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 32, LAYERS = 32, SEQUENCES = 64, PARTS_MAX = 64 };

static const char megatron[] =
    "#!/bin/bash\n"
    "torchrun --nnodes 4 --nproc-per-node 8 pretrain_gpt.py \\\n"
    "  --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --ffn-hidden-size 11008 \\\n"
    "  --group-query-attention --num-query-groups 8 --seq-length 4096 \\\n"
    "  --max-position-embeddings 4096 --position-embedding-type rope --vocab-size 131072 \\\n"
    "  --make-vocab-size-divisible-by 1 --normalization RMSNorm --swiglu --disable-bias-linear \\\n"
    "  --untie-embeddings-and-output-weights --bf16 --use-distributed-optimizer \\\n"
    "  --tensor-model-parallel-size 2 --pipeline-model-parallel-size 4 --sequence-parallel \\\n"
    "  --micro-batch-size 1 --global-batch-size 64 --use-flash-attn \\\n"
    "  --recompute-granularity selective --recompute-modules layernorm\n";

static const char mindformers[] =
    "model:\n"
    "  model_config: {num_layers: 32, hidden_size: 4096, num_heads: 32, n_kv_heads: 8,\n"
    "    vocab_size: 131072, seq_length: 4096, intermediate_size: 11008}\n"
    "parallel_config:\n"
    "  data_parallel: 4\n"
    "  model_parallel: 2\n"
    "  pipeline_stage: 4\n"
    "  micro_batch_num: 16\n"
    "  use_seq_parallel: True\n"
    "parallel:\n"
    "  enable_parallel_optimizer: True\n"
    "recompute_config:\n"
    "  recompute: False\n"
    "runner_config: {batch_size: 1}\n";

static const char torchtitan[] = "[model]\n"
                                 "name = \"llama3\"\n"
                                 "flavor = \"8B\"\n"
                                 "[training]\n"
                                 "local_batch_size = 16\n"
                                 "global_batch_size = 64\n"
                                 "seq_len = 4096\n"
                                 "[parallelism]\n"
                                 "tensor_parallel_degree = 2\n"
                                 "pipeline_parallel_degree = 4\n"
                                 "[activation_checkpoint]\n"
                                 "mode = \"none\"\n";

static const char titan_line[] =
    "torchrun --nnodes 4 --nproc_per_node 8 -m torchtitan.train --module llama3 --config llama3_8b \\\n"
    "  --training.local_batch_size 16 --training.global_batch_size=64 --training.seq_len 4096 \\\n"
    "  --parallelism.tensor_parallel_degree 2 --parallelism.pipeline_parallel_degree=4\n";

static const char titan_python[] =
    "from . import model_registry\n\n\n"
    "def llama3_mine() -> Trainer.Config:\n"
    "    return Trainer.Config(\n"
    "        loss=ChunkedCELoss.Config(),\n"
    "        model_spec=model_registry(\"8B\"),\n"
    "        training=TrainingConfig(local_batch_size=16, global_batch_size=64, seq_len=4096),\n"
    "        parallelism=ParallelismConfig(\n"
    "            tensor_parallel_degree=2,\n"
    "            pipeline_parallel_degree=4,\n"
    "        ),\n"
    "        activation_checkpoint=SelectiveAC.Config(),\n"
    "    )\n";

static const char verl[] =
    "TP=2\n"
    "python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer.yaml \\\n"
    "  actor_rollout_ref.model.path=/models/mine \\\n"
    "  actor_rollout_ref.actor.ppo_mini_batch_size=64 \\\n"
    "  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 \\\n"
    "  actor_rollout_ref.actor.megatron.tensor_model_parallel_size=$TP \\\n"
    "  actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=4 \\\n"
    "  data.max_prompt_length=1024 data.max_response_length=3072 \\\n"
    "  trainer.nnodes=4 trainer.n_gpus_per_node=8\n";

static const char verl_yaml[] = "actor_rollout_ref:\n"
                                "  model: {path: /models/mine}\n"
                                "  actor:\n"
                                "    strategy: megatron\n"
                                "    ppo_mini_batch_size: 64\n"
                                "    megatron:\n"
                                "      tensor_model_parallel_size: 2 # of the actor\n"
                                "data: {max_prompt_length: 1024, max_response_length: 3072}\n"
                                "trainer: {nnodes: 4, n_gpus_per_node: 8}\n";

static const char hugging_face[] =
    "torchrun --nnodes 4 --nproc_per_node 8 train.py --model_name_or_path /models/mine \\\n"
    "  --per_device_train_batch_size 2 --fsdp 'full_shard auto_wrap' --bf16 True \\\n"
    "  --model_max_length 4096\n";

static const char factory[] = "model_name_or_path: /models/mine\n"
                              "finetuning_type: full\n"
                              "cutoff_len: 4096\n"
                              "per_device_train_batch_size: 1\n"
                              "gradient_accumulation_steps: 2 # two\n"
                              "fsdp: full_shard\n"
                              "bf16: true\n";

// Of files that do not describe the model.
static const char own_model[] =
    "{\"num_layers\": 32, \"hidden_size\": 4096, \"num_attention_heads\": 32,"
    " \"num_query_groups\": 8, \"ffn_hidden_size\": 11008, \"vocab_size\": 131072,"
    " \"seq_length\": 4096}";

static const struct {
    enum framework framework;
    enum plaindoc_form form;
    const char *text;
} forms[] = {{FRAMEWORK_MEGATRON, PLAINDOC_FLAT, megatron},
             {FRAMEWORK_MINDFORMERS, PLAINDOC_YAML, mindformers},
             {FRAMEWORK_TORCHTITAN, PLAINDOC_TOML, torchtitan},
             {FRAMEWORK_TORCHTITAN, PLAINDOC_FLAT, titan_line},
             {FRAMEWORK_TORCHTITAN, PLAINDOC_PYTHON, titan_python},
             {FRAMEWORK_VERL, PLAINDOC_FLAT, verl},
             {FRAMEWORK_VERL, PLAINDOC_YAML, verl_yaml},
             {FRAMEWORK_TRAINER, PLAINDOC_FLAT, hugging_face},
             {FRAMEWORK_TRAINER, PLAINDOC_YAML, factory}};

// Whether a file of the form can list layers and their recomputation.
static bool has_lists(int form)
{
    return form < 3;
}

// ---- reading ------------------------------------------------------------------------------------

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

// Reads a text as commands do, on as many devices as the test has.
static void read_text(struct configuration *c, int form, const char *text)
{
    struct framework_file file;
    struct configuration_items items;
    struct pps_fault fault = {.line = 0};
    bool is_framework, no_memory;
    char why[256];
    cr_assert(
        framework_read(&file, &is_framework, forms[form].form, text, strlen(text), &fault),
        "line %d: %s\n%s", fault.line, fault.text, text);
    cr_assert(is_framework && file.framework == forms[form].framework, "%s", text);
    const cJSON *root = file.document.root;
    const cJSON *baseline = cJSON_GetObjectItemCaseSensitive(root, "baseline");
    const cJSON *model = cJSON_GetObjectItemCaseSensitive(root, "model");
    cJSON *own = model == NULL ? cJSON_Parse(own_model) : NULL;
    *c = (struct configuration){.parts = NULL};
    training_default(&c->training);
    cJSON *cluster = cJSON_Parse("{\"hardware\": \"H100\", \"world_size\": 32}");
    cr_assert(cluster_read(&c->cluster, cluster, &fault), "%s", fault.text);
    cJSON_Delete(cluster);
    c->cluster.world_size = DEVICES;
    cr_assert(modeldesc_read(&c->model, model != NULL ? model : own, &fault), "%s", fault.text);
    cJSON_Delete(own);
    cr_assert(
        training_read(&c->training, cJSON_GetObjectItemCaseSensitive(root, "training"), &fault),
        "%s", fault.text);
    cr_assert(configuration_read(c, baseline, &items, &no_memory, &fault), "%s\n%s", fault.text,
              text);
    if (number_of(baseline, "dp_replicate") > 0)
        c->strategy.op =
            c->strategy.dp / (int32_t)number_of(baseline, "dp_replicate") * c->strategy.cp;
    if (number_of(baseline, "replica_batch") > 0)
        c->training.gbs = (int64_t)number_of(baseline, "replica_batch") * c->strategy.dp;
    cr_assert(configuration_check(c, why, sizeof why), "%s\n%s", why, text);
    framework_file_free(&file);
}

// ---- drawing ------------------------------------------------------------------------------------

static int32_t pick(struct random *r, int n, const int32_t *values)
{
    return values[random_below(r, n)];
}

// The level of ZeRO of torchtitan depends on whether there is a pipeline: it keeps one.
static void draw_strategy(struct random *r, int form, struct nd_strategy *s)
{
    const bool titan = forms[form].framework == FRAMEWORK_TORCHTITAN;
    *s = (struct nd_strategy){.cp = 1, .ep = 1};
    do {
        s->tp = pick(r, 4, (const int32_t[]){1, 2, 4, 8});
        s->pp = pick(r, 4, (const int32_t[]){1, 2, 4, 8});
        if (forms[form].framework == FRAMEWORK_TRAINER) // only data-parallel ranks
            s->tp = s->pp = 1;
    } while (s->tp * s->pp > DEVICES || (titan && s->pp == 1));
    s->dp = DEVICES / s->tp / s->pp;
    s->vp = s->pp > 1 ? pick(r, has_lists(form) ? 3 : 2, (const int32_t[]){1, 2, 3}) : 1;
    s->mbs = s->dp * 2 * s->pp <= SEQUENCES ? 1 + (int32_t)random_coin(r) : 1;
    s->sp = s->tp > 1 && (titan || random_coin(r));
    s->op = s->dp;
    if (forms[form].framework == FRAMEWORK_MEGATRON && random_coin(r))
        s->op = s->dp > 1 ? s->dp / 2 : 1;
}

// Draws an order that the framework has; NULL: that of a loop with 1F1B.
static void draw_family(struct random *r, int form, struct configuration *c)
{
    static const char *const names[] = {"pytorch_bfs", "pytorch_zb", "pytorch_zbv",
                                        "dualpipev"};
    const int32_t vp = c->strategy.vp;
    char why[128];
    c->family = NULL;
    if (forms[form].framework != FRAMEWORK_TORCHTITAN || random_coin(r))
        return;
    c->family = family_named(vp == 1 ? "gpipe" : names[random_below(r, vp == 2 ? 4 : 2)]);
    if (!configuration_has_order(c, why, sizeof why))
        c->family = NULL;
    else if (c->family == family_named("dualpipev"))
        c->training.schedule = TRAINING_DUALPIPE;
}

// Layers of every part, at least one.
static void draw_layers(struct random *r, int32_t n, int32_t *layers)
{
    for (int32_t k = 0; k < n; k++)
        layers[k] = 1;
    for (int32_t left = LAYERS - n; left > 0; left--)
        layers[random_below(r, n)]++;
}

// What a file of the framework can say, [chunk * pp + stage].
static void draw_again(struct random *r, int form, const struct nd_strategy *s,
                       const int32_t *layers, int32_t *full, int32_t *select)
{
    const int32_t way = (int32_t)random_below(r, 3), each = (int32_t)random_below(r, 5);
    const bool titan = forms[form].framework == FRAMEWORK_TORCHTITAN;
    for (int32_t k = 0; k < s->pp * s->vp; k++) {
        int32_t before = 0;
        for (int32_t j = k % s->pp; j < k; j += s->pp)
            before += layers[j];
        const int32_t every = each + 1, some = each < layers[k] ? each : layers[k];
        full[k] = titan ? (before + layers[k]) / every - before / every : some;
        select[k] = 0;
        if (forms[form].framework == FRAMEWORK_MINDFORMERS) {
            full[k] = (int32_t)random_below(r, layers[k] + 1);
            select[k] = (int32_t)random_below(r, layers[k] - full[k] + 1);
        }
        if (way == 0)
            full[k] = select[k] = 0;
        if (way == 1 && forms[form].framework != FRAMEWORK_MINDFORMERS) {
            full[k] = 0;
            select[k] = layers[k];
        }
    }
}

// Draws the modules that a file of Megatron-LM names.
static void draw_modules(struct random *r, int form, struct configuration *c)
{
    static const int32_t modules[] = {TRAINING_LAYERNORM, TRAINING_MLP,
                                      TRAINING_LAYERNORM | TRAINING_MLP, TRAINING_CORE_ATTN};
    if (forms[form].framework == FRAMEWORK_MEGATRON)
        c->training.recompute_modules = (unsigned)pick(r, 4, modules);
}

// Sets the parts to lists, [chunk * pp + stage].
static void set_parts(struct configuration *c, int32_t *const lists[3])
{
    int32_t parts[3][PARTS_MAX];
    const int32_t pp = c->strategy.pp;
    for (int list = 0; list < 3; list++)
        for (int32_t k = 0; k < c->n_parts; k++)
            parts[list][configuration_part_at(c, k / pp, k % pp)] = lists[list][k];
    configuration_set_layers(c, parts[0], parts[1], parts[2]);
}

// ---- the test -----------------------------------------------------------------------------------

static void expect_same(const struct configuration *a, const struct configuration *b,
                        const char *text)
{
    struct configuration_step before, after;
    cr_assert_eq(configuration_step_brief(&before, a, NULL), CONFIGURATION_DONE);
    cr_assert_eq(configuration_step_brief(&after, b, NULL), CONFIGURATION_DONE);
    cr_assert(fabs(before.seconds - after.seconds) <= 1e-9 * before.seconds,
              "%.17g s written, %.17g s read\n%s", before.seconds, after.seconds, text);
    cr_assert(fabs(before.peak - after.peak) <= 1, "%.17g bytes written, %.17g read\n%s",
              before.peak, after.peak, text);
    configuration_step_free(&before);
    configuration_step_free(&after);
}

static void take_lists(struct configuration *to, const struct configuration *from)
{
    int32_t lists[3][PARTS_MAX];
    cr_assert_eq(to->n_parts, from->n_parts);
    for (int32_t k = 0; k < from->n_parts; k++) {
        const struct configuration_part *part = &from->parts[k];
        lists[0][k] = configuration_part_layers(part);
        lists[1][k] = part->full[0] + part->full[1];
        lists[2][k] = part->select[0] + part->select[1];
    }
    configuration_set_layers(to, lists[0], lists[1], lists[2]);
}

static void write_and_read(struct random *r, int form)
{
    int32_t layers[PARTS_MAX], full[PARTS_MAX], select[PARTS_MAX];
    struct configuration now, c, again;
    struct text_buffer text = {.text = NULL};
    struct pps_fault fault = {.line = 0};
    read_text(&now, form, forms[form].text);
    c = now;
    c.parts = NULL;
    draw_strategy(r, form, &c.strategy);
    cr_assert(configuration_spread(&c));
    draw_family(r, form, &c);
    draw_layers(r, c.n_parts, layers);
    draw_again(r, form, &c.strategy, layers, full, select);
    draw_modules(r, form, &c);
    set_parts(&c, (int32_t *const[3]){layers, full, select});
    const struct framework_settings settings = {
        .strategy = c.strategy,
        .schedule = c.family != NULL ? c.family->name : NULL,
        .gbs = c.training.gbs,
        .micro_batches = configuration_micro_batches(&c),
        .run_batch = configuration_run_batch(&c),
        .layers = has_lists(form) ? layers : NULL,
        .full = has_lists(form) ? full : NULL,
        .select = has_lists(form) ? select : NULL,
        .modules = c.training.recompute_modules};
    cr_assert(framework_write(&text, forms[form].framework, forms[form].form, forms[form].text,
                              strlen(forms[form].text), &settings, NULL, &fault),
              "%s", fault.text);
    read_text(&again, form, text.text);
    if (!has_lists(form))
        take_lists(&c, &again);
    expect_same(&c, &again, text.text);
    text_buffer_free(&text);
    configuration_free(&now);
    configuration_free(&c);
    configuration_free(&again);
}

static void run(int form)
{
    struct random r = {first_point() + 41 + (uint64_t)form};
    for (int round = 0; round < n_rounds(500); round++)
        write_and_read(&r, form);
}

Test(configuration_written, megatron)
{
    run(0);
}

Test(configuration_written, mindformers)
{
    run(1);
}

Test(configuration_written, torchtitan)
{
    run(2);
}

Test(configuration_written, torchtitan_line)
{
    run(3);
}

Test(configuration_written, torchtitan_python)
{
    run(4);
}

Test(configuration_written, verl)
{
    run(5);
}

Test(configuration_written, verl_yaml)
{
    run(6);
}

Test(configuration_written, hugging_face)
{
    run(7);
}

Test(configuration_written, llama_factory)
{
    run(8);
}
