// SPDX-License-Identifier: Apache-2.0
// torchtitan configurations: what the reader makes of keys, defaults and older layouts, and the place
// and text of its errors.
#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/description/model.h"
#include "kernels/frameworks/framework.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

#define LLAMA   "[model]\nname = \"llama3\"\nflavor = \"8B\"\n"
#define DEGREES "[parallelism]\n"

static bool read_text(struct framework_file *file, const char *text, struct pps_fault *fault)
{
    bool read;
    const bool ok = framework_read(file, &read, PLAINDOC_TOML, text, strlen(text), fault);
    cr_assert(!ok || read, "%s", text);
    return ok;
}

// Parses JSON with ' in place of ".
static cJSON *json_of(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    cJSON *json = cJSON_Parse(copy);
    cr_assert_not_null(json, "%s", text);
    free(copy);
    return json;
}

// Every key of the wanted parts must have this value; null: no such key.
static void compare(const char *text, const cJSON *root, const char *wanted)
{
    cJSON *parts = json_of(wanted);
    for (const cJSON *part = parts->child; part != NULL; part = part->next)
        for (const cJSON *item = part->child; item != NULL; item = item->next) {
            const cJSON *got = cJSON_GetObjectItemCaseSensitive(
                cJSON_GetObjectItemCaseSensitive(root, part->string), item->string);
            char *print = cJSON_PrintUnformatted(root);
            cr_assert(cJSON_IsNull(item) ? got == NULL : cJSON_Compare(got, item, true),
                      "%s\n%s.%s: %s", text, part->string, item->string, print);
            cJSON_free(print);
        }
    cJSON_Delete(parts);
}

struct good {
    const char *text, *json;
};

Test(torchtitan_read, configurations)
{
    static const struct good rows[] = {
        // torchtitan's defaults
        {LLAMA,
         "{'model':{'name':'llama3 8B','num_layers':32,'ffn_hidden_size':14336,"
         "'num_query_groups':8,'seq_length':2048},'cluster':{'world_size':null},"
         "'training':{'gbs':null,'zero_level':3,'fused_cross_entropy':false,"
         "'mbs_options':[1,2,4,8],'bytes_param':null},"
         "'baseline':{'dp':null,'dp_replicate':1,'replica_batch':8,'tp':1,'pp':1,'cp':1,'ep':1,"
         "'vp':1,'mbs':8,'sp':false,'micro_batches':1,'layers':[[32]],'recompute':[[16]],"
         "'select_recompute':[[0]]}}"},
        // all degrees: the number of devices is their product; shards are shared with cp
        {LLAMA "[training]\nlocal_batch_size = 4\nglobal_batch_size = 64\nseq_len = 8192\n"
               "[parallelism]\ndata_parallel_replicate_degree = 2\n"
               "data_parallel_shard_degree = 4\ntensor_parallel_degree = 8\n"
               "context_parallel_degree = 2\n[activation_checkpoint]\nmode = \"full\"\n",
         "{'model':{'seq_length':8192},'cluster':{'world_size':128},'training':{'gbs':64},"
         "'baseline':{'dp':8,'op':8,'tp':8,'cp':2,'mbs':4,'sp':true,'micro_batches':2,"
         "'recompute':[[32]],'dp_replicate':null}}"},
        // a pipeline: micro-batches have their own size, the ends of the model have fewer layers
        {LLAMA "[training]\nlocal_batch_size = 16\n[parallelism]\n"
               "data_parallel_shard_degree = 2\npipeline_parallel_degree = 4\n"
               "pipeline_parallel_microbatch_size = 2\n[activation_checkpoint]\n"
               "mode = \"selective\"\nselective_ac_option = \"op\"\n[compile]\nenable = true\n",
         "{'training':{'gbs':32,'zero_level':2,'fused_cross_entropy':true,'mbs_options':null},"
         "'baseline':{'pp':4,'vp':1,'mbs':2,'micro_batches':8,'layers':[[8,9,8,7]],"
         "'recompute':[[0,0,0,0]],'select_recompute':[[8,9,8,7]]}}"},
        // two parts per rank; each third layer of a rank, over all its parts
        {LLAMA "[parallelism]\ndata_parallel_shard_degree = 1\npipeline_parallel_degree = 2\n"
               "pipeline_parallel_schedule = \"Interleaved1F1B\"\n[activation_checkpoint]\n"
               "selective_ac_option = 3\n",
         "{'baseline':{'vp':2,'layers':[[8,9],[8,7]],'recompute':[[2,3],[3,2]]}}"},
        // the second part of a V comes back
        {LLAMA "[parallelism]\ndata_parallel_shard_degree = 1\npipeline_parallel_degree = 2\n"
               "pipeline_parallel_schedule = \"ZBVZeroBubble\"\n",
         "{'baseline':{'vp':2,'layers':[[8,9],[7,8]]}}"},
        {LLAMA "[parallelism]\ndata_parallel_shard_degree = 1\npipeline_parallel_degree = 2\n"
               "pipeline_parallel_layers_per_stage = 9\n"
               "pipeline_parallel_schedule = \"interleaved1f1b\"\n"
               "pipeline_parallel_first_stage_less_layers = 3\n",
         "{'baseline':{'vp':2,'layers':[[6,9],[9,8]]}}"},
        {LLAMA
         "[parallelism]\ndata_parallel_shard_degree = 1\npipeline_parallel_degree = 2\n"
         "module_fqns_per_model_part = [\n  ['tok_embeddings', 'layers.0',], # one\n"
         "  ['layers.1','layers.2','layers.3','layers.4','layers.5','layers.6','layers.7',"
         "'layers.8','layers.9','layers.10','layers.11','layers.12','layers.13','layers.14',"
         "'layers.15','layers.16','layers.17','layers.18','layers.19','layers.20',"
         "'layers.21','layers.22','layers.23','layers.24','layers.25','layers.26',"
         "'layers.27','layers.28','layers.29','layers.30','layers.31','norm','output']]\n",
         "{'baseline':{'vp':1,'layers':[[1,31]]}}"},
        // layouts until early 2025
        {LLAMA "[training]\nbatch_size = 8\nseq_len = 4096\ndata_parallel_shard_degree = 4\n"
               "tensor_parallel_degree = 2\n[experimental]\npipeline_parallel_degree = 2\n"
               "pipeline_parallel_split_points = ['layers.20']\n",
         "{'cluster':{'world_size':16},'training':{'gbs':32},'baseline':{'dp':4,'tp':2,'pp':2,"
         "'mbs':4,'micro_batches':2,'layers':[[20,12]]}}"},
        {LLAMA "[training]\nbatch_size = 8\ndata_parallel_degree = 4\n[experimental]\n"
               "pipeline_parallel_degree = 2\npipeline_parallel_microbatches = 8\n",
         "{'baseline':{'dp':4,'mbs':1,'micro_batches':8}}"},
        // experts
        {"[model]\nname = 'deepseek_v3'\nflavor = '16B'\n[parallelism]\n"
         "data_parallel_shard_degree = 8\ntensor_parallel_degree = 2\n"
         "expert_parallel_degree = 4\nexpert_tensor_parallel_degree = 2\n",
         "{'model':{'num_experts':64,'kv_lora_rank':512,'q_lora_rank':null,"
         "'first_k_dense_replace':1},'training':{'expert_tensor_parallel':'tp'},"
         "'baseline':{'ep':4,'op':8}}"},
        // types of all states, and of computation
        {LLAMA "[training]\ndtype = 'bfloat16'\n",
         "{'training':{'bytes_param':2,'bytes_grad':2,'bytes_optim':4}}"},
        {LLAMA "[training]\nmixed_precision_param = 'float32'\n",
         "{'training':{'bytes_param':4,'bytes_grad':4,'bytes_optim':8}}"},
        {LLAMA "[parallelism]\nfsdp_reshard_after_forward = 'always'\n"
               "pipeline_parallel_degree = 2\n[activation_checkpoint]\nmode = 'memory_budget'\n"
               "[compile]\nenable = true\ncomponents = ['model']\n",
         "{'training':{'zero_level':3,'fused_cross_entropy':false},"
         "'baseline':{'recompute':null}}"},
        // without a model, as ppsweep nd -o writes it
        {"[parallelism]\ndata_parallel_shard_degree = 2\n",
         "{'model':{'num_layers':null},'baseline':{'dp':2,'layers':null,'seq_length':2048}}"},
        // the form of tables does not matter
        {"model = {name = 'llama3', flavor = '8B_flex'}\nparallelism.tensor_parallel_degree = "
         "0x8\n"
         "lr.nan = nan\nday = 2025-01-01\n",
         "{'model':{'num_layers':32},'baseline':{'tp':8}}"},
        // a shape in [model], as ppsweep nd -o writes it without a file of the user
        {"[model]\nname = 'mine'\nnum_layers = 6\nhidden_size = 64\nconverters = "
         "[]\nseq_length = 1\n"
         "[training]\nseq_len = 512\n[parallelism]\ndata_parallel_shard_degree = 2\n"
         "pipeline_parallel_degree = 2\n",
         "{'model':{'name':'mine','num_layers':6,'hidden_size':64,'seq_length':512,"
         "'converters':null},'baseline':{'dp':2,'layers':[[3,3]]}}"},
        {"[model]\nname = 'simple_fsdp.llama3'\nflavor = 'debugmodel_flex_attn'\n",
         "{'model':{'num_layers':6,'ffn_hidden_size':768}}"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_file file;
        struct pps_fault fault = {.line = 0};
        cr_assert(read_text(&file, rows[i].text, &fault), "%s\n%d:%d: %s", rows[i].text,
                  fault.line, fault.column, fault.text);
        cr_assert_eq(file.framework, FRAMEWORK_TORCHTITAN);
        compare(rows[i].text, file.document.root, rows[i].json);
        framework_file_free(&file);
    }
}

struct bad {
    const char *text;
    int line, column;
    const char *wanted;
};

Test(torchtitan_read, faults)
{
    static const struct bad rows[] = {
        {DEGREES "tensor_parallel_degree = 0\n", 2, 26,
         "parallelism.tensor_parallel_degree: expected a whole number from 1"},
        {DEGREES "tensor_parallel_degree = '8'\n", 2, 26,
         "parallelism.tensor_parallel_degree: expected a whole number from 1, without quotes"},
        {DEGREES "data_parallel_shard_degree = -2\n", 2, 30,
         "parallelism.data_parallel_shard_degree: expected a whole number from 1"},
        {DEGREES "tensor_parallel_degree = 4096\npipeline_parallel_degree = 4096\n", 3, 28,
         "the degrees need more than 1048576 devices"},
        {DEGREES "fsdp_reshard_after_forward = 'sometimes'\n", 2, 30,
         "parallelism.fsdp_reshard_after_forward = \"sometimes\": expected \"default\", "
         "\"always\", \"never\""},
        {DEGREES "pipeline_parallel_degree = 2\npipeline_parallel_schedule = '1f1bb'\n", 3, 30,
         "parallelism.pipeline_parallel_schedule = \"1f1bb\": unknown schedule; did you mean "
         "1F1B"},
        {"[activation_checkpoint]\nmode = 'some'\n", 2, 8,
         "activation_checkpoint.mode = \"some\": expected \"selective\", \"full\", \"none\", "
         "\"memory_budget\""},
        {"[activation_checkpoint]\nselective_ac_option = 'ops'\n", 2, 23,
         "activation_checkpoint.selective_ac_option: expected \"op\" or the text of a whole "
         "number"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_file file;
        struct pps_fault fault = {.line = 0};
        cr_assert_not(read_text(&file, rows[i].text, &fault), "%s", rows[i].text);
        cr_assert_str_eq(fault.text, rows[i].wanted, "%s\n%s", rows[i].text, fault.text);
        cr_assert(fault.line == rows[i].line && fault.column == rows[i].column, "%s\n%d:%d",
                  rows[i].text, fault.line, fault.column);
    }
}

// An unknown model is no error by itself: another document may describe the model.
Test(torchtitan_read, unknown_models)
{
    static const struct bad rows[] = {
        {"[model]\nname = 'lama3'\nflavor = '8B'\n", 2, 8,
         "model.name = \"lama3\": unknown model; did you mean llama3? known: llama2 llama3 "
         "llama4 "
         "deepseek_v3 qwen3 gpt_oss; or name the model's own file first: "
         "ppsweep check config.json FILE"},
        {"[model]\nname = 'deepseek_v3'\nflavor = '671b'\n", 3, 10,
         "model.flavor = \"671b\": unknown flavor; did you mean 671B? known: debugmodel 16B "
         "236B "
         "671B; or name the model's own file first: ppsweep check config.json FILE"},
        {"[model]\nname = 'llama3'\nflavor = 'tiny'\n", 3, 10,
         "model.flavor = \"tiny\": unknown flavor; known: debugmodel 1B 3B 8B 70B 405B; or "
         "name the "
         "model's own file first: ppsweep check config.json FILE"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_file file;
        struct pps_fault fault;
        cr_assert(read_text(&file, rows[i].text, &fault));
        cr_assert_str_eq(file.unknown_model.text, rows[i].wanted, "%s",
                         file.unknown_model.text);
        cr_assert(file.unknown_model.line == rows[i].line &&
                  file.unknown_model.column == rows[i].column);
        framework_file_free(&file);
    }
}

// Parameters of flavors whose models publish them.
Test(torchtitan_read, parameters)
{
    static const struct {
        const char *model, *flavor;
        int64_t parameters;
    } rows[] = {
        {"llama2", "7B", 6738415616},          {"llama2", "13B", 13015864320},
        {"llama2", "70B", 68976648192},        {"llama3", "1B", 1235814400},
        {"llama3", "3B", 3212749824},          {"llama3", "8B", 8030261248},
        {"llama3", "70B", 70553706496},        {"llama3", "405B", 405853388800},
        {"deepseek_v3", "16B", 15706484224},   {"deepseek_v3", "236B", 235741434880},
        {"deepseek_v3", "671B", 671026404352}, {"qwen3", "0.6B", 596049920},
        {"qwen3", "1.7B", 1720574976},         {"qwen3", "4B", 4022468096},
        {"qwen3", "8B", 8190735360},           {"qwen3", "14B", 14768307200},
        {"qwen3", "32B", 32762123264},         {"qwen3", "30B-A3B", 30532122624},
        {"qwen3", "235B-A22B", 235093634560},  {"llama4", "17bx16e", 107769861120},
        {"llama4", "17bx128e", 400711848960},  {"gpt_oss", "20b", 20914757184},
        {"gpt_oss", "120b", 116829156672},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[128];
        struct framework_file file;
        struct pps_fault fault;
        struct modeldesc model;
        struct modeldesc_counts counts;
        snprintf(text, sizeof text, "[model]\nname = \"%s\"\nflavor = \"%s\"\n", rows[i].model,
                 rows[i].flavor);
        cr_assert(read_text(&file, text, &fault), "%s", fault.text);
        const cJSON *shape = cJSON_GetObjectItemCaseSensitive(file.document.root, "model");
        cr_assert(modeldesc_read(&model, shape, &fault), "%s: %s", text, fault.text);
        modeldesc_count(&model, &counts);
        cr_expect_eq(counts.total, rows[i].parameters, "%s %s: %lld", rows[i].model,
                     rows[i].flavor, (long long)counts.total);
        framework_file_free(&file);
    }
}

// The order of dense layers and those with experts changes the memory of stages.
Test(torchtitan_read, layers_that_alternate_are_named)
{
    struct framework_file file;
    struct pps_fault fault;
    cr_assert(read_text(&file, "[model]\nname = \"llama4\"\nflavor = \"17bx128e\"\n", &fault));
    cr_assert_eq(file.not_modelled.n, 1);
    cr_assert_str_eq(file.not_modelled.list[0].name,
                     "model.flavor 17bx128e: dense layers between those with experts");
    cr_assert_eq(file.not_modelled.list[0].line, 3);
    framework_file_free(&file);
    cr_assert(read_text(&file, "[model]\nname = \"llama4\"\nflavor = \"17bx16e\"\n", &fault));
    cr_assert_eq(file.not_modelled.n, 0);
    framework_file_free(&file);
}

// Our own documents in TOML are not configurations of torchtitan.
Test(torchtitan_read, other_documents)
{
    static const char *const texts[] = {
        "",
        "num_layers = 4\nhidden_size = 8\n",
        "[model]\nname = 'x'\nnum_layers = 4\n",
        "[training]\ngbs = 8\n[cluster]\nworld_size = 8\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct framework_file file;
        struct pps_fault fault;
        bool read = true;
        cr_assert(
            framework_read(&file, &read, PLAINDOC_TOML, texts[i], strlen(texts[i]), &fault));
        cr_assert_not(read, "%s", texts[i]);
    }
}
