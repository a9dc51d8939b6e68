// SPDX-License-Identifier: Apache-2.0
// Launch lines of a strategy for two frameworks.
#include "planner/nd/launch/launch.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <string.h>

static struct modeldesc model_of(const char *text)
{
    struct modeldesc model;
    struct pps_fault fault;
    cJSON *document = cJSON_Parse(text);
    cr_assert(modeldesc_read(&model, document, &fault), "%s", fault.text);
    cJSON_Delete(document);
    return model;
}

static const char moe[] =
    "{\"num_layers\": 7, \"mtp_depth\": 1, \"hidden_size\": 512, \"num_attention_heads\": 8, "
    "\"ffn_hidden_size\": 2048, \"vocab_size\": 1000, \"num_experts\": 16, \"topk\": 4, "
    "\"moe_intermediate_size\": 256, \"first_k_dense_replace\": 2}";
static const char dense[] =
    "{\"num_layers\": 8, \"hidden_size\": 512, \"num_attention_heads\": 8, "
    "\"num_query_groups\": 2, "
    "\"ffn_hidden_size\": 2048, \"vocab_size\": 1000, \"tie_embeddings\": true}";

typedef void writer(struct text_buffer *text, const struct nd_launch *launch);

static void expect(writer *write, const struct nd_launch *launch, const char *const *wanted,
                   const char *const *unwanted)
{
    struct text_buffer text = {.text = NULL};
    write(&text, launch);
    cr_assert(!text.failed && text.n > 0);
    for (; *wanted != NULL; wanted++)
        cr_expect(strstr(text.text, *wanted) != NULL, "no %s in\n%s", *wanted, text.text);
    for (; *unwanted != NULL; unwanted++)
        cr_expect(strstr(text.text, *unwanted) == NULL, "%s in\n%s", *unwanted, text.text);
    text_buffer_free(&text);
}

// Catches a split, or an MTP layer, that the framework would not hear of.
Test(nd_launch, uneven_pipelines_are_laid_out_layer_by_layer)
{
    const struct modeldesc model = model_of(moe);
    const struct nd_strategy strategy = {4, 2, 1, 3, 4, 2, 1, 1, true, ND_RECOMPUTE_FULL};
    const int32_t layers[] = {3, 3, 2};
    struct training training;
    training_default(&training);
    const struct nd_launch launch = {&model, &training, &strategy, layers, true};
    static const char *const wanted[] = {"--pipeline-model-parallel-layout 'Ettt|ttt|tmL'",
                                         "--expert-model-parallel-size 4 ",
                                         "--expert-tensor-parallel-size 1 ",
                                         "--num-distributed-optimizer-instances 2 ",
                                         "--moe-layer-freq '([0]*2+[1]*5)'",
                                         "--mtp-num-layers 1 ",
                                         "--recompute-granularity full ",
                                         "--sequence-parallel ",
                                         "--num-layers 7 ",
                                         NULL};
    static const char *const unwanted[] = {"num-virtual", "multi-latent", NULL};
    expect(nd_launch_megatron, &launch, wanted, unwanted);
}

// Catches a model that the framework would start as another one.
Test(nd_launch, what_a_framework_lacks_of_the_model)
{
    const struct modeldesc model = model_of(
        "{\"num_layers\":8,\"hidden_size\":1024,\"num_heads\":8,\"V\":512,\"norm\":\"layer_no_bias\","
        "\"gated\":true,\"layer_norms\":1,\"qk_norm_full\":true,\"ffn_bias\":true,\"head_bias\":true,"
        "\"embedding_norm\":true,\"attention_sinks\":true}");
    const struct nd_strategy strategy = {2, 1, 1, 1, 1, 2, 1, 1, false, ND_RECOMPUTE_NONE};
    const int32_t layers[] = {8};
    struct training training;
    training_default(&training);
    const struct nd_launch launch = {&model, &training, &strategy, layers, true};
    static const char *const megatron[] = {
        "# Megatron-LM has two norms in a layer",
        "# Megatron-LM has norms of single heads",
        "# Megatron-LM has LayerNorm with weights and bias only",
        "# Megatron-LM has no norm after the embedding",
        "# Megatron-LM has no bias on feed-forward networks alone",
        "# Megatron-LM has no bias on the output head",
        "# sinks of attention: --softmax-type learnable",
        NULL};
    static const char *const torchtitan[] = {
        "# no language model of torchtitan has LayerNorm or learned positions",
        "# no language model of torchtitan has these norms", NULL};
    static const char *const unwanted[] = {"shared-expert-gate", NULL};
    expect(nd_launch_megatron, &launch, megatron, unwanted);
    expect(nd_launch_torchtitan, &launch, torchtitan, unwanted);
}

Test(nd_launch, even_pipelines_say_their_chunks)
{
    const struct modeldesc model = model_of(dense);
    const struct nd_strategy strategy = {2, 1, 2, 2, 1, 4, 2, 2, true, ND_RECOMPUTE_NONE};
    const int32_t layers[] = {2, 2, 2, 2};
    struct training training;
    training_default(&training);
    const struct nd_launch launch = {&model, &training, &strategy, layers, true};
    static const char *const wanted[] = {"--num-virtual-stages-per-pipeline-rank 2 ",
                                         "--context-parallel-size 2 ",
                                         "--micro-batch-size 2 ",
                                         "--num-query-groups 2 ",
                                         "--global-batch-size 1024 ",
                                         NULL};
    // Sequence parallel means nothing without tensor parallel.
    static const char *const unwanted[] = {"layout", "recompute", "expert",
                                           "untie-", "instances", "--sequence-parallel",
                                           "\\\n\n", NULL};
    expect(nd_launch_megatron, &launch, wanted, unwanted);
    static const char *const titan[] = {"data_parallel_shard_degree = 2\n",
                                        "data_parallel_replicate_degree = 1\n",
                                        "pipeline_parallel_schedule = \"Interleaved1F1B\"\n",
                                        "local_batch_size = 512\n",
                                        "mode = \"none\"\n",
                                        "  [\"layers.2\", \"layers.3\"],\n",
                                        NULL};
    static const char *const none[] = {"expert", "always sequence parallel;", NULL};
    expect(nd_launch_torchtitan, &launch, titan, none);
}

// Catches shards that the framework would spread over other devices than the estimate, unsaid.
Test(nd_launch, what_torchtitan_cannot_do_is_said)
{
    const struct modeldesc model = model_of(moe);
    const struct nd_strategy strategy = {8, 2, 4, 1, 8, 2, 1, 1, false, ND_RECOMPUTE_SELECT};
    const int32_t layers[] = {8};
    struct training training;
    training_default(&training);
    training.recompute_modules = TRAINING_MLP;
    training.precision = TRAINING_MXFP8;
    const struct nd_launch launch = {&model, &training, &strategy, layers, true};
    static const char *const wanted[] = {
        "# parameters are sharded over all 32 replicas: 2 shards as in the estimate",
        "# parameters and gradients are sharded, too; the estimate prices zero_level 1",
        "# linear layers multiply bf16; the estimate prices 8 bits: add the converter "
        "\"quantize.linear.mx\"",
        "# torchtitan selects operations, not the recompute_modules",
        "# tensor parallelism is always sequence parallel",
        "data_parallel_shard_degree = 8\n",
        "expert_parallel_degree = 8\n",
        "local_batch_size = 1\n",
        "mode = \"selective\"\n",
        NULL};
    static const char *const unwanted[] = {"pipeline_parallel_schedule", "layers.", NULL};
    expect(nd_launch_torchtitan, &launch, wanted, unwanted);
}
