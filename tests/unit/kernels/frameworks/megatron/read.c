// SPDX-License-Identifier: Apache-2.0
// Unit tests of the reader of Megatron-LM and MindSpeed files: every argument is evaluated, refused,
// named as not modelled, or listed as without effect.
#include "kernels/common/description/training.h"
#include "kernels/frameworks/framework.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

#define SHAPE                                                                                  \
    "p.py --num-layers 12 --hidden-size 64 --num-attention-heads 4 --vocab-size 1000 "         \
    "--seq-length 128 --max-position-embeddings 128 --micro-batch-size 1 --bf16 "
#define EXPERTS "--num-experts 8 --moe-grouped-gemm --moe-token-dispatcher-type flex "

static struct framework_file read_text(const char *text, enum plaindoc_form form)
{
    struct framework_file file;
    struct pps_fault fault;
    bool is_framework;
    cr_assert(framework_read(&file, &is_framework, form, text, strlen(text), &fault), "%s\n%s",
              fault.text, text);
    cr_assert(is_framework && file.framework == FRAMEWORK_MEGATRON, "%s", text);
    return file;
}

static const cJSON *part_of(const struct framework_file *file, const char *part)
{
    return pps_json_member(file->document.root, part);
}

// Expects that a part of the run document contains a text.
static void expect_in(const char *part, const char *arguments, const char *wanted)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s", strstr(arguments, "p.py") == NULL ? SHAPE : "",
             arguments);
    struct framework_file file = read_text(text, PLAINDOC_FLAT);
    char *printed = cJSON_PrintUnformatted(part_of(&file, part));
    cr_assert(strstr(printed, wanted) != NULL, "%s\n%s\nexpected %s", text, printed, wanted);
    cJSON_free(printed);
    framework_file_free(&file);
}

// Would catch layers of a kind that is dropped, and periods counted from the wrong end.
Test(megatron_values, kinds_of_layers)
{
    static const char delta[] =
        "--experimental-attention-variant gated_delta_net --linear-attention-freq 4 "
        "--attention-output-gate --linear-num-value-heads 64 ";
    expect_in("model", "--window-size 127,0 --window-attn-skip-freq 4",
              "\"layer_pattern\":[0,0,0,1,0,0,0,1,0,0,0,1]");
    expect_in("model", "--window-size 127,0 --window-attn-skip-freq [0]+[1]*11",
              "\"attention_window\":0},{\"mixer\":\"attention\",\"network\":\"dense\","
              "\"attention_window\":128}],\"layer_pattern\":[0,1,1,1,1,1,1,1,1,1,1,1]");
    expect_in("model", EXPERTS "--moe-layer-freq 3",
              "\"layer_pattern\":[0,1,1,0,1,1,0,1,1,0,1,1]");
    expect_in("model", EXPERTS "--moe-layer-freq ([1]*1+[0]*1)*6 --mtp-num-layers 1",
              "\"layer_pattern\":[0,1,0,1,0,1,0,1,0,1,0,1,1]");
    expect_in("model", delta, "\"mixer\":\"gated_delta_net\",\"network\":\"dense\"");
    expect_in("model", delta, "\"layer_pattern\":[0,0,0,1,0,0,0,1,0,0,0,1]");
    expect_in("model", delta, "\"scan_heads\":64,\"scan_head_dim\":128,\"scan_groups\":16");
    expect_in("model", delta, "\"attention_gate\":true");
    expect_in("model", "--hybrid-layer-pattern M-M*-E --mamba-num-heads 8 " EXPERTS,
              "\"num_layers\":6");
    expect_in("model", "--hybrid-layer-pattern M-M*-E --mamba-num-heads 8 " EXPERTS,
              "\"layer_pattern\":[0,1,0,2,1,3],\"scan_heads\":8,\"scan_head_dim\":64");
    expect_in("model", EXPERTS "--moe-latent-size 16", "\"moe_latent_size\":16");
    expect_in("model",
              "--multi-latent-attention --experimental-attention-variant dsa "
              "--dsa-indexer-n-heads 64 --dsa-indexer-head-dim 128 --dsa-indexer-topk 2048",
              "\"index_n_heads\":64,\"index_head_dim\":128,\"index_topk\":2048");
}

// The parts without a layer have the embedding or the loss alone.
Test(megatron_values, empty_chunks)
{
    expect_in("baseline",
              "--pipeline-model-parallel-size 7 --num-layers-per-virtual-pipeline-stage 1 "
              "--account-for-embedding-in-pipeline-split "
              "--account-for-loss-in-pipeline-split",
              "\"vp\":2,\"layers\":[[0,1,1,1,1,1,1],[1,1,1,1,1,1,0]]");
    expect_in("baseline",
              "--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "
              "'E|t*5|t*7||||t*0|L'",
              "\"vp\":2,\"layers\":[[0,5,7,0],[0,0,0,0]]");
}

Test(megatron_values, recomputation)
{
    static const struct {
        const char *arguments, *part, *wanted;
    } rows[] = {
        {"--recompute-granularity full --recompute-method uniform --recompute-num-layers 3",
         "baseline", "\"recompute_group\":3,\"recompute\":[[12]]"},
        {"--recompute-granularity full --recompute-method block --recompute-num-layers 3",
         "baseline", "\"layers\":[[12]],\"recompute\":[[3]]"},
        {"--recompute-granularity selective", "baseline", "\"select_recompute\":[[12]]"},
        {"--recompute-granularity selective", "training",
         "\"recompute_modules\":[\"core_attn\"]"},
        {"--recompute-activations", "training", "\"recompute_modules\":[\"core_attn\"]"},
        {"--recompute-granularity selective --recompute-modules mlp layernorm", "training",
         "\"recompute_modules\":[\"layernorm\",\"mlp\"]"},
        {"--recompute-granularity selective --recompute-modules=moe_act", "training",
         "\"recompute_modules\":[\"moe_act\"]"},
        {"--recompute-norm", "training", "\"recompute_modules\":[\"layernorm\"]"},
        {"--recompute-norm --recompute-norm-num-layers 5", "baseline",
         "\"select_recompute\":[[5]]"},
        // MindSpeed: with attention on the host only networks; the last layer of the model never.
        {"--swap-attention --recompute-num-layers 5", "baseline",
         "\"layers\":[[12]],\"select_recompute\":[[5]]"},
        {"--swap-attention --recompute-granularity full --recompute-method uniform "
         "--recompute-num-layers 1",
         "training", "\"recompute_modules\":[\"mlp\",\"moe\"]"},
        {"--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3 "
         "--recompute-in-advance --recompute-granularity full --recompute-method block "
         "--recompute-num-layers 3",
         "baseline", "\"recompute\":[[3,3],[3,2]]"},
        {"--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3 "
         "--enable-recompute-layers-per-pp-rank --recompute-granularity full "
         "--recompute-method block --recompute-num-layers 3",
         "baseline", "\"recompute\":[[2,2],[1,1]]"},
        {"--recompute-norm", "baseline", "\"select_recompute\":[[12]]"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_in(rows[i].part, rows[i].arguments, rows[i].wanted);
}

Test(megatron_values, precision_and_bytes)
{
    static const struct {
        const char *arguments, *wanted;
    } rows[] = {
        {"", "\"bytes_param\":2,\"bytes_grad\":4,\"bytes_optim\":12"},
        {"--fp8-format hybrid", "\"precision\":\"fp8\""},
        {"--fp8-format e4m3 --fp8-recipe blockwise", "\"precision\":\"fp8\""},
        {"--fp8-format e4m3 --fp8-recipe mxfp8 --fp8-param-gather",
         "\"precision\":\"mxfp8\",\"bytes_param\":1"},
        {"--grad-reduce-in-bf16", "\"bytes_grad\":2"},
        {"--main-grads-dtype bf16", "\"bytes_grad\":4"}, // not without the next argument
        {"--use-precision-aware-optimizer --main-grads-dtype bf16 --exp-avg-dtype bf16 "
         "--exp-avg-sq-dtype fp8",
         "\"bytes_grad\":2,\"bytes_optim\":5"},
        {"--optimizer sgd", "\"bytes_optim\":8"},
        {"--hidden-dropout 0.0", "\"dropout\":false"},
        {"--hidden-dropout 0.1", "\"dropout\":true"},
        {"--cross-entropy-loss-fusion", "\"fused_cross_entropy\":true"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_in("training", rows[i].arguments, rows[i].wanted);
    expect_in("training", "p.py --num-layers 1 --hidden-size 8 --num-attention-heads 1",
              "\"bytes_param\":4,\"bytes_grad\":4,\"bytes_optim\":8");
}

// Would catch a training of all weights where the file has adapters, and adapters without modules.
Test(megatron_values, adapters)
{
    expect_in("training", "--lora-r 8 --lora-alpha 16 --lora-target-modules linear_qkv dense",
              "\"lora_rank\":8,\"lora_modules\":[\"linear_qkv\",\"linear_proj\"]");
    expect_in("training", "--lora-target-modules linear_fc2",
              "\"lora_rank\":16,\"lora_modules\":[\"linear_fc2\"]");
    expect_in(
        "training", "--lora-r 8",
        "\"stack\":{\"dp_hidden\":0,\"bucket\":0,\"assumed\":true,\"base\":\"megatron\"}}");
}

Test(megatron_values, overlap)
{
    static const struct {
        const char *arguments, *wanted;
    } rows[] = {
        {"", "\"stack\":{\"dp_hidden\":0,\"bucket\":0,\"assumed\":true,\"base\":\"megatron\"}"},
        {"--overlap-grad-reduce",
         "\"stack\":{\"dp_hidden\":0.33,\"bucket\":160000000,\"assumed\":true,\"base\":\"megatron\"}"},
        {"--overlap-grad-reduce --overlap-param-gather", "\"stack\":\"megatron-tuned\""},
        {"--overlap-grad-reduce --overlap-param-gather --tp-comm-overlap",
         "\"stack\":\"megatron-tuned\""},
        {EXPERTS "--overlap-grad-reduce --overlap-param-gather --use-ascend-mc2 "
                 "--overlap-moe-expert-parallel-comm",
         "\"stack\":{\"ep_exposed\":0,\"base\":\"megatron-tuned\"}"},
        {"--num-experts 8 --overlap-grad-reduce --overlap-param-gather --tp-comm-overlap "
         "--moe-token-dispatcher-type alltoall",
         "\"stack\":{\"node_copies\":false,\"base\":\"megatron-tuned\"}"},
        {"--use-torch-fsdp2", "\"stack\":\"fsdp\""},
        {"--use-megatron-fsdp --tp-comm-overlap --no-overlap-p2p-communication",
         "\"stack\":{\"pp_exposed\":1,\"base\":\"megatron-tuned\"}"},
        {"--cuda-graph-impl local", "\"launch\":0"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_in("training", rows[i].arguments, rows[i].wanted);
}

Test(megatron_values, windows)
{
    expect_in("model", "--window-size 127,0", "\"attention_window\":128");
    expect_in("model", "--window-size '(127, 0)'", "\"attention_window\":128");
    expect_in("model", "--sliding-window 128", "\"attention_window\":128");
    expect_in("model", "--window-size -1,0", "\"norm\":\"layer\",\"tie_embeddings\"");
    expect_in("model", EXPERTS "--moe-router-num-groups 4 --moe-router-group-topk 2",
              "\"expert_groups\":4,\"routed_groups\":2");
}

// What the reader writes is read as a training.
Test(megatron_values, training_is_read)
{
    struct framework_file file = read_text(
        SHAPE EXPERTS "--overlap-grad-reduce --overlap-param-gather --fp8-format e4m3 "
                      "--overlap-moe-expert-parallel-comm --recompute-granularity selective",
        PLAINDOC_FLAT);
    struct training training;
    struct pps_fault fault;
    training_default(&training);
    cr_assert(training_read(&training, part_of(&file, "training"), &fault), "%s", fault.text);
    cr_assert(training.precision == TRAINING_FP8 && training.stack.ep_exposed == 0 &&
              training.stack.tp_exposed == 0.5 &&
              training.recompute_modules == TRAINING_CORE_ATTN);
    cr_assert_str_eq(training.stack.base, "megatron-tuned");
    framework_file_free(&file);
}

// The second chunk of the first device is the end of the model.
Test(megatron_values, v_schedule)
{
    expect_in(
        "baseline",
        "--pipeline-model-parallel-size 3 --schedules-method dualpipev --mtp-num-layers 1",
        "\"vp\":2,\"schedule\":\"dualpipev\",\"layers\":[[2,2,2],[3,2,2]]");
}

// A share of the optimizer state, and what 4 of the 12 layers store.
Test(megatron_values, offload)
{
    expect_in("training", "--optimizer-cpu-offload --optimizer-offload-fraction 0.5",
              "\"offload_optimizer\":0.5");
    expect_in("training", "--cpu-offloading-num-layers 4",
              "\"offload_activations\":0.3333333333333333");
}

// ---- not evaluated -------------------------------------------------------------------------------

static void expect_not_modelled(const char *arguments, const char *wanted)
{
    char text[2000], list[600] = "";
    snprintf(text, sizeof text, SHAPE "%s", arguments);
    struct framework_file file = read_text(text, PLAINDOC_FLAT);
    for (size_t i = 0; i < file.not_modelled.n; i++) {
        const struct framework_key *key = &file.not_modelled.list[i];
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? "; " : "",
                 key->name);
        cr_assert(key->line == 1 && key->column >= 150, "%s: %d", key->name, key->column);
    }
    cr_assert(strcmp(list, wanted) == 0, "%s\n%s", arguments, list);
    framework_file_free(&file);
}

// Would catch layers that a pattern takes in place of those that the user wrote, without a word.
Test(megatron_values, pattern_beside_num_layers)
{
    struct framework_file other = read_text(SHAPE "--hybrid-layer-pattern M-M*", PLAINDOC_FLAT);
    struct framework_file same =
        read_text(SHAPE "--hybrid-layer-pattern M-M*M-M*M-M*", PLAINDOC_FLAT);
    cr_expect(same.not_modelled.n == 0);
    cr_assert(other.not_modelled.n == 1);
    cr_expect_str_eq(other.not_modelled.list[0].name,
                     "num-layers 12: ignored, --hybrid-layer-pattern has 4 layers");
    cr_expect(other.not_modelled.list[0].line == 1 && other.not_modelled.list[0].column < 30);
    framework_file_free(&other);
    framework_file_free(&same);
}

Test(megatron_values, not_modelled)
{
    static const struct {
        const char *arguments, *wanted;
    } rows[] = {
        {"--lr 1e-4 --adam-beta1 0.9 --save-interval 5 --tokenizer-type X --seed 3 --load $DIR",
         ""},
        {"--optimizer-cpu-offload --cpu-offloading-num-layers 4", ""},
        {"--fine-grained-activation-offloading --offload-modules attn_norm",
         "--fine-grained-activation-offloading; --offload-modules attn_norm"},
        {"--cpu-offloading-num-layers 0 --cp-comm-type p2p", ""},
        {"--context-parallel-size 2 --cp-comm-type a2a", "--cp-comm-type a2a"},
        {"--cp-comm-type a2a --moe-expert-capacity-factor 2 --mla-zero-memory", ""},
        {EXPERTS "--moe-expert-capacity-factor 2", "--moe-expert-capacity-factor 2"},
        {"--no-such-argument $X", "--no-such-argument"},
        {"--fp4-format e2m1", "--fp4-format e2m1"},
        {"--window-size 127,0 --window-attn-skip-freq 4", ""},
        {"--optimizer muon", "--optimizer muon"},
        {"--recompute-granularity selective --recompute-modules gdn_norm",
         "--recompute-modules gdn_norm"},
        {"--recompute-modules gdn_norm", ""}, // without granularity: no effect
        {"--pipeline-model-parallel-size 2 --schedules-method ripipe",
         "--schedules-method ripipe"},
        {"--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 2 "
         "--microbatch-group-size-per-virtual-pipeline-stage 3",
         "--microbatch-group-size-per-virtual-pipeline-stage 3"},
        {"--fp8-format $F", "--fp8-format"},
        {"--num-experts 8", "experts one after another (no --moe-grouped-gemm)"},
        {EXPERTS "--delay-wgrad-compute", "--delay-wgrad-compute"},
        {EXPERTS "--delay-wgrad-compute --moe-fb-overlap", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_not_modelled(rows[i].arguments, rows[i].wanted);
}

// Options of the launcher are none of the program.
Test(megatron_values, launcher)
{
    struct framework_file file = read_text(
        "srun --container-image x torchrun --rdzv-backend c10d --nproc-per-node 8 " SHAPE,
        PLAINDOC_FLAT);
    cr_assert(file.not_modelled.n == 0 && file.n_ignored == 2);
    framework_file_free(&file);
}

Test(megatron_values, refused)
{
    static const struct {
        const char *arguments, *wanted;
    } rows[] = {
        {"--enable-mhc", "--enable-mhc: the layers that it describes are not known here"},
        {"--experimental-attention-variant kda",
         "--experimental-attention-variant: only gated_delta_net and dsa are known here"},
        {"--experimental-attention-variant gated_delta_net",
         "--experimental-attention-variant: --experimental-attention-variant gated_delta_net "
         "and --linear-attention-freq need each other"},
        {"--experimental-attention-variant dsa",
         "--experimental-attention-variant: dsa needs --multi-latent-attention"},
        {"--multi-latent-attention --experimental-attention-variant dsa",
         "--dsa-indexer-n-heads: missing; dsa needs it"},
        {"--window-size 9,0 --window-attn-skip-freq [1,0]",
         "--window-attn-skip-freq: expected a period, or a list as ([1]*3+[0]*1)*4, one number "
         "for each of 12 layers"},
        {EXPERTS "--moe-layer-freq [1,0]",
         "--moe-layer-freq: expected a period, or a list as ([0]*3+[1]*58), one number for each "
         "of 12 layers"},
        {"--hybrid-override-pattern M*",
         "--hybrid-override-pattern: has 2 layers, --num-layers is 12"},
        {"--hybrid-layer-pattern 'M*|M*'",
         "--hybrid-layer-pattern: |: only M, *, -, E and G are supported, without parts for "
         "pipeline stages and MTP modules"},
        {"--hybrid-layer-pattern MEM*",
         "--hybrid-layer-pattern: has layers with experts (E), but --num-experts is missing"},
        {"--noop-layers 11 --window-size 9,0 --window-attn-skip-freq 4",
         "--noop-layers: layers of several kinds are not supported beside it"},
        {"--lora-target-modules linear_qkv router",
         "router: adapters of this module are not known here"},
        {"--expert-tensor-parallel-size 2 --tensor-model-parallel-size 4",
         "--expert-tensor-parallel-size: expected 1, or --tensor-model-parallel-size, 4"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_file file;
        struct pps_fault fault = {.line = 0};
        char text[1000];
        bool is_framework;
        snprintf(text, sizeof text, SHAPE "%s", rows[i].arguments);
        cr_assert_not(
            framework_read(&file, &is_framework, PLAINDOC_FLAT, text, strlen(text), &fault));
        cr_assert_str_eq(fault.text, rows[i].wanted);
    }
}

// Would catch an encoder that is priced as a decoder.
Test(megatron_values, other_program)
{
    struct framework_file file;
    struct pps_fault fault = {.line = 0};
    bool is_framework;
    static const char text[] = "torchrun --nproc-per-node 8 a/pretrain_bert.py --num-layers 12 "
                               "--hidden-size 64 --num-attention-heads 4 --vocab-size 1000";
    cr_assert_not(
        framework_read(&file, &is_framework, PLAINDOC_FLAT, text, sizeof text - 1, &fault));
    cr_assert_str_eq(fault.text, "pretrain_bert.py: only decoders of text are known here");
}

// A run that does not start leaves the model, the training and the degrees.
Test(megatron_values, cannot_run)
{
    static const struct {
        const char *launcher, *arguments;
        int column;
        const char *wanted;
    } rows[] = {
        {"torchrun --nproc-per-node 8 ", "--tensor-model-parallel-size 3", 27,
         "--nproc-per-node: 8 devices cannot be shared by tensor x pipeline x context = 3 x 1 "
         "x 1 = 3 ranks; correct the devices or a degree"},
        {"torchrun --nproc-per-node 8 ", "--global-batch-size 12", 0,
         "--global-batch-size: 12 is not a multiple of --micro-batch-size x replicas = 1 x 8"},
        {"", "--pipeline-model-parallel-size 5", 19,
         "--num-layers: 12 layers cannot be split over 5 stages of 1 chunks"},
        {"", "--pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 2", 0,
         "--num-layers-per-virtual-pipeline-stage: 12 layers cannot be split over 4 stages in "
         "chunks of 2 layers"},
        {"", "--pipeline-model-parallel-size 2 --num-layer-list 5,6", 0,
         "--num-layer-list: the sum is 11, but --num-layers is 12"},
        {"", "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'Ettt|L'", 0,
         "--pipeline-model-parallel-layout: 3 layers t and 0 m, but --num-layers is 12 and "
         "--mtp-num-layers 0"},
        {"", "--num-experts 8 --expert-model-parallel-size 3", 0,
         "--expert-model-parallel-size: 3 does not divide the 8 experts"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s" SHAPE "%s", rows[i].launcher, rows[i].arguments);
        struct framework_file file = read_text(text, PLAINDOC_FLAT);
        cr_assert(strcmp(file.cannot_run.text, rows[i].wanted) == 0 &&
                      file.cannot_run.line == 1 &&
                      (rows[i].column == 0 || file.cannot_run.column == rows[i].column),
                  "%s\n%d: %s", text, file.cannot_run.column, file.cannot_run.text);
        cr_assert(pps_json_member(part_of(&file, "model"), "num_layers")->valueint == 12 &&
                  pps_json_member(part_of(&file, "baseline"), "tp") != NULL &&
                  pps_json_member(part_of(&file, "training"), "bytes_param") != NULL);
        framework_file_free(&file);
    }
}

// ---- YAML ----------------------------------------------------------------------------------------

#define NEMO                                                                                   \
    "trainer:\n  devices: 8\n  num_nodes: 2\n  precision: bf16\n  max_steps: 5\n"              \
    "model:\n  micro_batch_size: 1\n  global_batch_size: 32\n"                                 \
    "  tensor_model_parallel_size: 2\n  virtual_pipeline_model_parallel_size: 2\n"             \
    "  pipeline_model_parallel_size: 2\n  encoder_seq_length: 128\n  num_layers: 8\n"          \
    "  hidden_size: 64\n  num_attention_heads: 4\n  vocab_size: 1000\n"

static void expect_parts(const char *text, const char *const *wanted)
{
    struct framework_file file = read_text(text, PLAINDOC_YAML);
    char *printed = cJSON_PrintUnformatted(file.document.root);
    for (; *wanted != NULL; wanted++)
        cr_assert(strstr(printed, *wanted) != NULL, "%s\n%s\nexpected %s", text, printed,
                  *wanted);
    cJSON_free(printed);
    framework_file_free(&file);
}

Test(megatron_values, nemo)
{
    expect_parts(NEMO, (const char *const[]){"\"dp\":4", "\"vp\":2", "\"layers\":[[2,2],[2,2]]",
                                             "\"gated_ffn\":false", "\"linear_bias\":true",
                                             "\"norm\":\"layer\"", "\"tie_embeddings\":true",
                                             "\"use_distributed_optimizer\":false",
                                             "\"bytes_param\":2", NULL});
    expect_parts(
        NEMO "  activation: fast-swiglu\n  bias: false\n  normalization: rmsnorm\n"
             "  num_query_groups: 2\n  share_embeddings_and_output_weights: false\n"
             "  activations_checkpoint_granularity: full\n"
             "  activations_checkpoint_method: uniform\n"
             "  activations_checkpoint_num_layers: 2\n  fp8: true\n"
             "  optim:\n    name: mcore_distributed_optim\n    overlap_grad_sync: true\n"
             "    overlap_param_sync: true\n    lr: 1e-4\n",
        (const char *const[]){"\"gated_ffn\":true", "\"linear_bias\":false", "\"norm\":\"rms\"",
                              "\"num_query_groups\":2", "\"tie_embeddings\":false",
                              "\"recompute_group\":2", "\"precision\":\"fp8\"",
                              "\"use_distributed_optimizer\":true",
                              "\"stack\":\"megatron-tuned\"", NULL});
    // values that stand for others
    expect_parts(NEMO "  max_position_embeddings: ${.encoder_seq_length}\n"
                      "  ffn_hidden_size: ${model.vocab_size}\n",
                 (const char *const[]){"\"ffn_hidden_size\":1000", NULL});
}

Test(megatron_values, nemo_refused)
{
    static const char *const texts[][2] = {
        {NEMO "  activations_checkpoint_recurrent: false\n  hybrid_override_pattern: null\n",
         "model.activations_checkpoint_recurrent: only decoders"},
        {NEMO "  mcore_bert: true\n", "model.mcore_bert: only decoders"},
        {NEMO "  retro:\n    layers: null\n", "model.retro.layers: only decoders"},
        {NEMO "  ffn_hidden_size: ${sum:${.hidden_size},1}\n", "ffn-hidden-size: the value is"},
        {"exp_manager:\n  name: t5\nmodel:\n  encoder:\n    arch: transformer\n",
         "exp_manager: a file of NeMo without"},
        {"defaults:\n  - actor\n", "defaults: Hydra makes this configuration"},
        {"model_name_or_path: Qwen/Qwen3-4B\ntemplate: qwen3\n",
         "model_name_or_path: a file of LLaMA-Factory"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct framework_file file;
        struct pps_fault fault = {.line = 0};
        bool read;
        cr_expect_not(framework_read(&file, &read, PLAINDOC_YAML, texts[i][0],
                                     strlen(texts[i][0]), &fault),
                      "%s", texts[i][0]);
        cr_expect(strstr(fault.text, texts[i][1]) != NULL, "%s", fault.text);
    }
}

#define RECORD                                                                                 \
    "model:\n  _target_: some.Provider\n  num_layers: 8\n  hidden_size: 64\n"                  \
    "  ffn_hidden_size: 128\n  num_attention_heads: 4\n  num_query_groups: 2\n"                \
    "  kv_channels: null\n  normalization: RMSNorm\n  add_bias_linear: false\n"                \
    "  add_qkv_bias: true\n  gated_linear_unit: true\n  position_embedding_type: rope\n"       \
    "  activation_func:\n    _target_: torch.nn.functional.silu\n    _call_: false\n"          \
    "  multi_latent_attention: false\n  num_moe_experts: null\n  seq_length: 128\n"            \
    "  vocab_size: 1000\n  tensor_model_parallel_size: 2\n"

Test(megatron_values, records)
{
    expect_parts(RECORD "  share_embeddings_and_output_weights: false\n"
                        "train: {micro_batch_size: 1, global_batch_size: 8}\n"
                        "ddp: {use_distributed_optimizer: true, grad_reduce_in_fp32: false}\n"
                        "optimizer: {use_distributed_optimizer: false}\n"
                        "mixed_precision: bf16_with_mxfp8_mixed\n"
                        "checkpoint: {save: x}\n",
                 (const char *const[]){"\"gated_ffn\":true", "\"num_query_groups\":2",
                                       "\"attention_bias\":true", "\"tie_embeddings\":false",
                                       "\"use_distributed_optimizer\":true",
                                       "\"precision\":\"mxfp8\"", "\"bytes_grad\":2", NULL});
}

// Would catch the precision of the model's record, which that of mixed precision replaces.
Test(megatron_values, precision_of_records)
{
    expect_parts("ddp: {grad_reduce_in_fp32: false}\n"
                 "mixed_precision: {bf16: true, fp8: e4m3, fp8_recipe: mxfp8, "
                 "grad_reduce_in_fp32: true}\n" RECORD
                 "  share_embeddings_and_output_weights: false\n  fp8: null\n"
                 "  fp8_recipe: delayed\n",
                 (const char *const[]){"\"precision\":\"mxfp8\"", "\"bytes_grad\":4", NULL});
    expect_parts("mixed_precision: {bf16: true, fp8: null, fp8_recipe: delayed}\n" RECORD
                 "  share_embeddings_and_output_weights: false\n  fp8: hybrid\n",
                 (const char *const[]){"\"bytes_param\":2", "\"stack\"", NULL});
}

// Would catch exchanges that wait although the record of overlaps hides them.
Test(megatron_values, overlap_of_records)
{
    expect_parts("comm_overlap: {tp_comm_overlap: false, overlap_grad_reduce: null}\n"
                 "ddp: {use_distributed_optimizer: true, overlap_grad_reduce: false}\n" RECORD
                 "  share_embeddings_and_output_weights: false\n",
                 (const char *const[]){"\"stack\":\"megatron-tuned\"", NULL});
    expect_parts(
        "comm_overlap: {overlap_grad_reduce: false, overlap_param_gather: false}\n"
        "ddp: {use_distributed_optimizer: true, overlap_grad_reduce: true}\n" RECORD
        "  share_embeddings_and_output_weights: false\n",
        (const char *const[]){
            "\"dp_hidden\":0,\"bucket\":0,\"assumed\":true,\"base\":\"megatron\"", NULL});
}

// A record of a class whose defaults are not known is not misread.
Test(megatron_values, incomplete_record)
{
    struct framework_file file;
    struct pps_fault fault = {.line = 0};
    bool is_framework;
    cr_assert_not(
        framework_read(&file, &is_framework, PLAINDOC_YAML, RECORD, strlen(RECORD), &fault));
    cr_assert_str_eq(fault.text,
                     "share_embeddings_and_output_weights: missing; the default of "
                     "some.Provider is not known here, write the value (null: none)");
    cr_assert(fault.line == 2 && fault.column == 13);
}

// The general classes have the defaults of Megatron Core; a layout may be lists of words.
Test(megatron_values, general_record)
{
    expect_parts("model:\n  _target_: megatron.bridge.models.gpt_provider.GPTModelProvider\n"
                 "  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n"
                 "  vocab_size: 1000\n  pipeline_model_parallel_size: 2\n  mtp_num_layers: 1\n"
                 "  num_moe_experts: null\n  muon_tp_mode: blockwise\n"
                 "  pipeline_model_parallel_layout:\n"
                 "  - [embedding, decoder]\n  - [decoder, decoder, decoder, mtp, loss]\n"
                 "train: {micro_batch_size: 1, global_batch_size: 8}\n"
                 "trainer: {devices: 4, num_nodes: 2}\n",
                 (const char *const[]){"\"layers\":[[1,4]]", "\"seq_length\":1024", "\"dp\":4",
                                       "\"tie_embeddings\":true", "\"learned_positions\":true",
                                       "\"fused_cross_entropy\":true", NULL});
}

// Records of Megatron Core have no flag for grouped queries.
Test(megatron_values, core_records)
{
    expect_parts("num_layers: 4\nhidden_size: 64\nnum_attention_heads: 4\nnum_query_groups: 2\n"
                 "gated_linear_unit: true\nmicro_batch_size: 1\nvocab_size: 100\n"
                 "num_moe_experts: 4\nmoe_layer_freq: [0, 1, 1, 1]\n",
                 (const char *const[]){"\"num_query_groups\":2", "\"gated_ffn\":true",
                                       "\"first_k_dense_replace\":1", NULL});
}
