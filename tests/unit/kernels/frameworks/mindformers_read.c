// SPDX-License-Identifier: Apache-2.0
// MindFormers configurations: the run documents that they become, and the place and text of faults.
#include "kernels/frameworks/framework.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static size_t load(const char *path, char *text, size_t cap)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/sweep_configs/frameworks/mindformers/%s", PPS_SOURCE,
             path);
    FILE *file = fopen(whole, "rb");
    cr_assert_not_null(file, "%s", whole);
    const size_t n = fread(text, 1, cap, file);
    fclose(file);
    return n;
}

static void read_ok(struct framework_file *file, const char *text, size_t n)
{
    struct pps_fault fault = {.item = NULL};
    bool read;
    cr_assert(framework_read(file, &read, PLAINDOC_YAML, text, n, &fault), "%.400s\n%d:%d: %s",
              text, fault.line, fault.column, fault.text);
    cr_assert(read, "%.400s", text);
    cr_assert_eq(file->framework, FRAMEWORK_MINDFORMERS);
}

// Compares a part of the document with JSON.
static void check_part(const struct framework_file *file, const char *part, const char *json)
{
    const cJSON *got = cJSON_GetObjectItem(file->document.root, part);
    cJSON *wanted = cJSON_Parse(json);
    char *text = cJSON_PrintUnformatted(got);
    cr_assert_not_null(wanted, "%s", json);
    cr_expect(cJSON_Compare(got, wanted, true), "%s: %s", part, text);
    cJSON_free(text);
    cJSON_Delete(wanted);
}

Test(mindformers, deepseek_v3)
{
    static char text[1 << 16];
    struct framework_file file;
    read_ok(&file, text, load("deepseek-v3.yaml", text, sizeof text));
    check_part(
        &file, "model",
        "{\"name\": \"deepseek-v3\", \"num_layers\": 61, \"mtp_depth\": 1, \"hidden_size\": "
        "7168, \"num_attention_heads\": 128, \"num_query_groups\": 128, "
        "\"ffn_hidden_size\": 18432, \"vocab_size\": 129280, \"seq_length\": 4096, "
        "\"q_lora_rank\": 1536, \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, "
        "\"qk_rope_head_dim\": 64, \"v_head_dim\": 128, \"norm\": \"rms\", "
        "\"num_experts\": 256, \"topk\": 8, \"moe_intermediate_size\": 2048, "
        "\"n_shared_experts\": 1, \"first_k_dense_replace\": 3, \"router_bias\": true}");
    check_part(&file, "cluster",
               "{\"world_size\": 1024, \"max_device_memory\": \"58GB\", \"hardware\": "
               "\"Ascend910B\"}");
    check_part(&file, "training", "{\"gbs\": 3840, \"flash_attention\": true}");
    check_part(
        &file, "baseline",
        "{\"dp\": 16, \"tp\": 4, \"pp\": 16, \"cp\": 1, \"vp\": 1, \"ep\": 32, \"sp\": true, "
        "\"mbs\": 1, \"micro_batches\": 240, \"op\": -1, \"layers\": "
        "[[4,4,4,4,4,4,4,4,4,4,4,4,4,4,3,3]], \"recompute\": "
        "[[4,4,4,4,4,4,4,4,4,4,4,4,4,3,2,1]], \"select_recompute\": "
        "[[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]}");
    cr_expect_not_null(strstr(file.ignored.text, "lr_schedule, train_dataset, "));
    cr_expect_not_null(strstr(file.ignored.text, "parallel_config.gradient_aggregation_group"));
    framework_file_free(&file);
}

Test(mindformers, llama3)
{
    static char text[1 << 16];
    struct framework_file file;
    read_ok(&file, text, load("llama3-70b.yaml", text, sizeof text));
    check_part(&file, "model",
               "{\"name\": \"llama3-70b\", \"num_layers\": 80, \"hidden_size\": 8192, "
               "\"num_attention_heads\": 64, \"num_query_groups\": 8, \"head_dim\": 128, "
               "\"ffn_hidden_size\": 28672, \"vocab_size\": 128256, \"seq_length\": 8192, "
               "\"attention_bias\": false, \"linear_bias\": false, \"qk_norm\": false, "
               "\"tie_embeddings\": false, \"gated_ffn\": true, \"norm\": \"rms\"}");
    check_part(&file, "training", "{\"gbs\": 32, \"flash_attention\": true}");
    check_part(
        &file, "baseline",
        "{\"dp\": 2, \"tp\": 8, \"pp\": 4, \"cp\": 1, \"vp\": 2, \"sp\": true, \"mbs\": 1, "
        "\"micro_batches\": 16, \"op\": -1, \"layers\": [[11,10,10,10],[10,10,10,9]], "
        "\"recompute\": [[0,0,0,0],[0,0,0,0]], \"select_recompute\": "
        "[[11,10,10,10],[10,10,10,9]]}");
    framework_file_free(&file);
}

// ---- small files --------------------------------------------------------------------------------

// A model of 10 layers on a pipeline; more keys of the sections follow.
#define MODEL                                                                                  \
    "model: {model_config: {num_layers: 10, hidden_size: 64, num_heads: 4, vocab_size: 99"
#define STAGES                                                                                 \
    "}}\nparallel_config: {data_parallel: 2, model_parallel: 2, pipeline_stage: 2, "           \
    "micro_batch_num: 4"
#define END "}\nrunner_config: {batch_size: 3}\n"

struct row {
    const char *text, *part, *json; // members that the part must have
};

// Compares only the members of the JSON; null: the part must not have the member.
static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct framework_file file;
        read_ok(&file, rows[i].text, strlen(rows[i].text));
        cJSON *wanted = cJSON_Parse(rows[i].json);
        cr_assert_not_null(wanted, "%s", rows[i].json);
        const cJSON *part = cJSON_GetObjectItem(file.document.root, rows[i].part);
        for (const cJSON *item = wanted->child; item != NULL; item = item->next) {
            const cJSON *got = cJSON_GetObjectItemCaseSensitive(part, item->string);
            char *text = cJSON_PrintUnformatted(got);
            cr_expect(cJSON_IsNull(item) ? got == NULL : cJSON_Compare(got, item, true),
                      "%s\n%s: %s", rows[i].text, item->string, text);
            cJSON_free(text);
        }
        cJSON_Delete(wanted);
        framework_file_free(&file);
    }
}

Test(mindformers, batches)
{
    static const struct row rows[] = {
        {MODEL STAGES END, "training", "{\"gbs\": 24}"},
        {MODEL STAGES END, "baseline", "{\"mbs\": 3, \"micro_batches\": 4}"},
        {MODEL STAGES END "micro_batch_interleave_num: 2\n", "training", "{\"gbs\": 48}"},
        {MODEL STAGES END "micro_batch_interleave_num: 2\n", "baseline", "{\"mbs\": 6}"},
        // Without a pipeline, gradients accumulate.
        {MODEL "}}\nparallel_config: {data_parallel: 8, micro_batch_num: 4}\nrunner_config: "
               "{batch_size: 2, gradient_accumulation_steps: 16}\n",
         "training", "{\"gbs\": 256}"},
        {MODEL "}}\nparallel_config: {data_parallel: 8, micro_batch_num: 4}\nrunner_config: "
               "{batch_size: 2}\n",
         "baseline", "{\"micro_batches\": 1, \"pp\": 1}"},
        {MODEL "}}\nparallel_config: {data_parallel: 8}\n", "training", "{\"gbs\": null}"},
    };
    check_rows(rows, COUNT_OF(rows));
}

Test(mindformers, degrees)
{
    static const struct row rows[] = {
        {MODEL STAGES ", context_parallel: 3" END, "cluster", "{\"world_size\": 24}"},
        {MODEL STAGES END, "baseline", "{\"sp\": false, \"ep\": null, \"op\": 1, \"vp\": 1}"},
        {MODEL STAGES ", expert_parallel: 4" END, "baseline", "{\"ep\": null}"},
        {MODEL STAGES ", expert_parallel: 4" END "moe_config: {expert_num: 1}\n", "baseline",
         "{\"ep\": null}"},
        {MODEL STAGES ", expert_parallel: 4" END "moe_config: {expert_num: 8}\n", "baseline",
         "{\"ep\": 4}"},
        {MODEL STAGES END "parallel: {enable_parallel_optimizer: False}\n", "baseline",
         "{\"op\": 1}"},
        {MODEL STAGES END "parallel: {enable_parallel_optimizer: True}\n", "baseline",
         "{\"op\": -1}"},
        {MODEL STAGES END "parallel: {enable_parallel_optimizer: True, "
                          "parallel_optimizer_config: {optimizer_weight_shard_size: 2}}\n",
         "baseline", "{\"op\": 2}"},
        {MODEL STAGES END "parallel: {enable_parallel_optimizer: True, "
                          "parallel_optimizer_config: {gradient_accumulation_shard: True}}\n",
         "training", "{\"zero_level\": 2}"},
        {MODEL ", pp_interleave_num: 2" STAGES END, "baseline", "{\"vp\": 2}"},
        {MODEL ", pp_interleave_num: 2" STAGES END
               "parallel: {pipeline_config: {pipeline_interleave: False}}\n",
         "baseline", "{\"vp\": 1}"},
        {MODEL "}}\nparallel_config: {data_parallel_size: 2, tensor_model_parallel_size: 4, "
               "pipeline_model_parallel_size: 2, sequence_parallel: True}\n",
         "baseline", "{\"dp\": 2, \"tp\": 4, \"pp\": 2, \"sp\": true}"},
        // The newer form derives the data-parallel degree from the devices.
        {"model_config: {num_hidden_layers: 10, hidden_size: 64, num_attention_heads: 4, "
         "vocab_size: 9}\ntraining_args: {micro_batch_size: 2, global_batch_size: "
         "64}\ndistribute_parallel_config: {tensor_model_parallel_size: 2, "
         "pipeline_model_parallel_size: 2, pipeline_parallel_config: {pipeline_stage_offset: "
         "[1, "
         "-1]}}\n",
         "baseline", "{\"dp\": null, \"tp\": 2, \"pp\": 2, \"mbs\": 2, \"layers\": [[6, 4]]}"},
        {MODEL STAGES END "context: {device_target: GPU, max_device_memory: 31.5GB}\n",
         "cluster", "{\"hardware\": null, \"max_device_memory\": \"31.5GB\"}"},
    };
    check_rows(rows, COUNT_OF(rows));
}

Test(mindformers, models)
{
    static const struct row rows[] = {
        // llama2-70b: two thirds of 1.31 x 4 x 8192, rounded up to 4096.
        {"model: {model_config: {type: LlamaConfig, num_layers: 80, hidden_size: 8192, "
         "num_heads: "
         "64, n_kv_heads: 8, vocab_size: 32000, multiple_of: 4096, ffn_dim_multiplier: 1.3}}\n",
         "model", "{\"ffn_hidden_size\": 28672, \"num_query_groups\": 8, \"norm\": \"rms\"}"},
        {"model: {model_config: {type: LlamaConfig, num_layers: 32, hidden_size: 4096, "
         "num_heads: "
         "32, vocab_size: 32000, multiple_of: 256}}\n",
         "model", "{\"ffn_hidden_size\": 11008}"},
        {"model: {model_config: {type: LlamaConfig, num_layers: 32, hidden_size: 4096, "
         "num_heads: "
         "32, vocab_size: 32000, multiple_of: 256, intermediate_size: 11000, n_kv_heads: }}\n",
         "model", "{\"ffn_hidden_size\": 11000, \"num_query_groups\": null}"},
        {"model: {model_config: {type: TelechatConfig, num_layers: 38, hidden_size: 5120, "
         "num_heads: "
         "32, vocab_size: 120000, ffn_dim_multiplier: 12288}}\n",
         "model", "{\"ffn_hidden_size\": 12288}"},
        {"model: {model_config: {type: GPT2Config, num_layers: 2, hidden_size: 64, num_heads: "
         "4, "
         "vocab_size: 9, expand_ratio: 4}}\n",
         "model",
         "{\"ffn_hidden_size\": 256, \"norm\": \"layer\", \"gated_ffn\": false, "
         "\"linear_bias\": "
         "true}"},
        {"model: {model_config: {type: ChatGLM2Config, num_layers: 2, hidden_size: 64, "
         "num_attention_heads: 4, padded_vocab_size: 65024, kv_channels: 16, "
         "ffn_hidden_size: 100, multi_query_attention: True, multi_query_group_num: 2, "
         "rmsnorm: "
         "True, add_qkv_bias: True}}\n",
         "model",
         "{\"num_query_groups\": 2, \"head_dim\": 16, \"padded_vocab_size\": 65024, "
         "\"attention_bias\": true, \"norm\": \"rms\"}"},
        {"model: {model_config: {num_hidden_layers: 6, hidden_size: 64, num_attention_heads: "
         "4, "
         "vocab_size: 9, num_experts: 8, num_experts_per_tok: 2, moe_layer_freq: [0, 1, 1, 1, "
         "1, "
         "1], moe_shared_expert_intermediate_size: 30, tie_word_embeddings: True}}\n",
         "model",
         "{\"num_experts\": 8, \"topk\": 2, \"first_k_dense_replace\": 1, "
         "\"shared_expert_intermediate_size\": 30, \"tie_embeddings\": true}"},
        {"model: {model_config: {num_layers: 6, hidden_size: 64, num_heads: 4, vocab_size: 9, "
         "moe_config: {expert_num: 16, num_experts_chosen: 4}}}\nmoe_config: {expert_num: 1}\n",
         "model", "{\"num_experts\": 16, \"topk\": 4}"},
        {"model: {model_config: {num_layers: 6, hidden_size: 64, num_heads: 4, vocab_size: "
         "9}}\n"
         "moe_config: {expert_num: 1, num_experts_chosen: 1, shared_expert_num: 0}\n",
         "model", "{\"num_experts\": null, \"topk\": null}"},
    };
    check_rows(rows, COUNT_OF(rows));
}

Test(mindformers, layers)
{
    static const struct row rows[] = {
        {MODEL ", offset: 0" STAGES END, "baseline", "{\"layers\": null}"},
        {MODEL ", offset: [1, -1]" STAGES END, "baseline", "{\"layers\": [[6, 4]]}"},
        {MODEL ", mtp_depth: 1, offset: [1, 0]" STAGES END, "baseline",
         "{\"layers\": [[6, 5]]}"},
        {MODEL ", pp_interleave_num: 2, offset: [[0, 1], [1, 0]]" STAGES END, "baseline",
         "{\"layers\": [[2, 3], [3, 2]]}"},
        {MODEL STAGES END "recompute_config: {recompute: True}\n", "baseline",
         "{\"recompute\": [[5, 5]], \"select_recompute\": null}"},
        {MODEL STAGES END "recompute_config: {recompute: 2}\n", "baseline",
         "{\"recompute\": [[2, 2]]}"},
        {MODEL STAGES END "recompute_config: {recompute: [9, False]}\n", "baseline",
         "{\"recompute\": [[5, 0]]}"},
        // A number per stage fills the chunks in turn.
        {MODEL ", pp_interleave_num: 2, offset: [[0, 1], [1, 0]]" STAGES END
               "recompute_config: {recompute: [3, 9]}\n",
         "baseline", "{\"recompute\": [[2, 3], [1, 2]]}"},
        {MODEL ", pp_interleave_num: 2, offset: [[0, 1], [1, 0]]" STAGES END
               "recompute_config: {recompute: [True, [1, False]]}\n",
         "baseline", "{\"recompute\": [[2, 3], [1, 0]]}"},
        // The first layers of a stage are recomputed as a whole, the next ones in parts.
        {MODEL STAGES END "recompute_config: {recompute: [2, 0], select_recompute: [4, 1]}\n",
         "baseline", "{\"recompute\": [[2, 0]], \"select_recompute\": [[2, 1]]}"},
        {MODEL STAGES END
         "recompute_config: {recompute: False, select_recompute: ['a', 'b']}\n",
         "baseline", "{\"select_recompute\": [[5, 5]]}"},
        {MODEL STAGES END
         "recompute_config: {recompute: False, select_recompute: {'a': [1, 2], "
         "'b': False, 'c': [2, 0]}}\n",
         "baseline", "{\"select_recompute\": [[2, 2]]}"},
    };
    check_rows(rows, COUNT_OF(rows));
}

// A model without a shape is in another document.
Test(mindformers, without_a_shape)
{
    static const char text[] = "pretrained_model_dir: /models/x\n"
                               "model: {model_config: {compute_dtype: bfloat16}}\n"
                               "parallel_config: {data_parallel: 4}\n";
    struct framework_file file;
    read_ok(&file, text, strlen(text));
    cr_expect_null(cJSON_GetObjectItem(file.document.root, "model"));
    check_part(&file, "cluster", "{\"world_size\": 4, \"hardware\": \"Ascend910B\"}");
    framework_file_free(&file);
}

Test(mindformers, other_documents)
{
    static const char *const texts[] = {
        "model: {num_layers: 4}\ncluster: {world_size: 4}\n",
        "parallel_config: {data_parallel: 4}\n",
        "model: llama2-7b\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct framework_file file;
        struct pps_fault fault;
        bool read;
        cr_assert(
            framework_read(&file, &read, PLAINDOC_YAML, texts[i], strlen(texts[i]), &fault));
        cr_expect_not(read, "%s", texts[i]);
    }
}

// ---- faults -------------------------------------------------------------------------------------

Test(mindformers, faults)
{
    static const struct {
        const char *text;
        int line, column;
        const char *wanted;
    } rows[] = {
        {"model: {model_config: {num_layers: 4}}\nparallel_config:\n  data_parallel: ${DP}\n",
         3, 18, "data_parallel: expected a whole number from 1; found \"${DP}\""},
        {"model: {model_config: {num_layers: 4}}\nparallel_config:\n  model_parallel: 1.5\n", 3,
         19, "model_parallel: expected a whole number from 1; found 1.5"},
        {"model: {model_config: {num_layers: 4}}\nparallel_config:\n  model_parallel:\n", 3, 18,
         "model_parallel: the value is missing; write a whole number"},
        {"model: {model_config: {num_layers: 4}}\nparallel_config:\n  use_seq_parallel: 1\n", 3,
         21, "use_seq_parallel: expected True or False; found 1"},
        {"model: {model_config: {num_layers: 4}}\nparallel_config:\n  pipeline_stage: 2\n"
         "  pipeline_model_parallel_size: 4\n",
         4, 33,
         "pipeline_model_parallel_size contradicts pipeline_stage in line 3, which means the "
         "same"},
        {"model:\n  model_config:\n    num_layers: 4\n    num_hidden_layers: 5\n", 4, 24,
         "num_hidden_layers contradicts num_layers in line 3, which means the same"},
        {"model: {model_config: {num_layers: 4, moe_layer_freq: 2, expert_num: 8}}\n", 1, 55,
         "moe_layer_freq: all layers after the first layer with experts must have experts"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_file file;
        struct pps_fault fault = {.item = NULL};
        bool read;
        const char *text = rows[i].text;
        cr_assert_not(framework_read(&file, &read, PLAINDOC_YAML, text, strlen(text), &fault),
                      "%s", text);
        cr_expect(fault.line == rows[i].line && fault.column == rows[i].column, "%s%d:%d: %s",
                  text, fault.line, fault.column, fault.text);
        cr_expect_str_eq(fault.text, rows[i].wanted, "%s%s", text, fault.text);
    }
}
