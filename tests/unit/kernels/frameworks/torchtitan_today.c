// SPDX-License-Identifier: Apache-2.0
// torchtitan of 2026: launch lines, batches of tokens, and Python configurations.
#include "tests/unit/support/kernels/framework_cases.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

#define RUN "torchrun --nproc_per_node=8 --nnodes 2 -m torchtitan.train "

#define BASE                                                                                   \
    "from . import model_registry\n"                                                           \
    "LENGTH: int = 4096\n"                                                                     \
    "def llama3_base() -> Trainer.Config:\n"                                                   \
    "    spec = model_registry(\"8B\", attn_backend=\"flex\")\n"                               \
    "    return Trainer.Config(\n"                                                             \
    "        loss=ChunkedLossWrapper.Config(),\n"                                              \
    "        model_spec=spec,  # the model\n"                                                  \
    "        training=TrainingConfig(\n"                                                       \
    "            num_tokens_per_microbatch_per_dp_rank=2 * LENGTH,\n"                          \
    "            max_context_length=LENGTH,\n"                                                 \
    "        ),\n"                                                                             \
    "        parallelism=ParallelismConfig(tensor_parallel_degree=2),\n"                       \
    "        activation_checkpoint=FullAC.Config(),\n"                                         \
    "    )\n"

Test(torchtitan_today, launch_lines)
{
    static const struct framework_case rows[] = {
        {RUN "--module llama3 --config llama3_70b --parallelism.pipeline_parallel_degree 2",
         "{'model':{'num_layers':80},'cluster':{'world_size':16},'training':{'zero_level':2,"
         "'fused_cross_entropy':true},'baseline':{'tp':8,'pp':2,'mbs':1,'dp_replicate':1,"
         "'replica_batch':8,'sp':true,'recompute':[[40,40]]}}",
         "", NULL},
        // of 2026: operations of each layer; before: every second layer
        {RUN "--module llama3 --config llama3_8b --parallelism.data-parallel-shard-degree=16",
         "{'baseline':{'dp':16,'op':16,'select_recompute':[[32]]}}", "", NULL},
        {RUN "--job.config_file train_configs/llama3_8b.toml --compile.enable "
             "--parallelism.data_parallel_shard_degree 16 --model.converters float8,other",
         "{'training':{'precision':'fp8'},'baseline':{'recompute':[[16]]}}",
         "1:187 model.converters=other", NULL},
        {RUN "--module llama3 --config llama3_8b --training.max_context_length 4096 "
             "--training.num_tokens_per_microbatch_per_dp_rank 16384 "
             "--parallelism.no-enable-sequence-parallel --parallelism.tensor_parallel_degree 2",
         "{'model':{'seq_length':4096},'baseline':{'mbs':4,'sp':false,'tp':2}}", "", NULL},
        {"NGPU=4 CONFIG=qwen3_14b ./run_train.sh --training.local_batch_size 2",
         "{'model':{'name':'qwen3 14B'},'cluster':{'world_size':4},'baseline':{'mbs':2,"
         "'recompute':[[40]]}}",
         "", NULL},
    };
    framework_cases_check(PLAINDOC_FLAT, rows, COUNT_OF(rows));
}

Test(torchtitan_today, python)
{
    static const struct framework_case rows[] = {
        {BASE,
         "{'model':{'name':'llama3 8B','seq_length':4096},'training':{'fused_cross_entropy':true,"
         "'loss_chunks':8},"
         "'baseline':{'tp':2,'mbs':2,'recompute':[[32]]}}",
         "", NULL},
        {BASE "def llama3_mine():\n"
              "    config = llama3_base()\n"
              "    config.parallelism.tensor_parallel_degree = 4\n"
              "    config.activation_checkpoint = None\n"
              "    if config.compile.enable:\n"
              "        config.training.steps = 3\n"
              "    return config\n",
         NULL, NULL, NULL},
    };
    framework_cases_check(PLAINDOC_PYTHON, rows, 1);
    // Of several configurations, one is named.
    struct framework_file file;
    struct pps_fault fault = {.line = 0};
    const char *text = rows[1].text;
    bool read;
    cr_assert_not(framework_read(&file, &read, PLAINDOC_PYTHON, text, strlen(text), &fault));
    cr_expect_str_eq(fault.text,
                     "the file has several configurations: write FILE.py:NAME; known: "
                     "llama3_base, llama3_mine");
    const struct framework_case mine = {
        text, "{'baseline':{'tp':4,'mbs':2,'recompute':[[0]],'select_recompute':[[0]]}}", "",
        NULL};
    const struct framework_beside beside = {.choice = "llama3_mine"};
    framework_cases_check_beside(PLAINDOC_PYTHON, &beside, &mine, 1);
}

// A configuration that is not known is refused, never read with defaults.
Test(torchtitan_today, refused)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {RUN "--module llama3 --config llama3_71b",
         "llama3_71b: no configuration of torchtitan with this name is known here; did you mean "
         "llama3_70b?; name the file that has it: ppsweep check FILE"},
        {RUN "--module llama3 --config llama3_8b --training.max_context_length 5000",
         "8192 tokens are not whole sequences of 5000 tokens; other packings are not known here"},
        {RUN "--module llama3 --config llama3_8b --parallelism.tensor_parallel_degree $TP",
         "parallelism.tensor_parallel_degree: the value is TP, which this file does not set; set "
         "the value in the file"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_file file;
        struct pps_fault fault = {.line = 0};
        bool read;
        cr_assert_not(framework_read(&file, &read, PLAINDOC_FLAT, rows[i].text,
                                     strlen(rows[i].text), &fault),
                      "%s", rows[i].text);
        cr_expect_str_eq(fault.text, rows[i].wanted, "%s\n%s", rows[i].text, fault.text);
    }
}

// Files with any number of values.
Test(torchtitan_today, many_values)
{
    for (int n = 0; n < 80; n++) {
        char text[4096];
        size_t used = (size_t)snprintf(
            text, sizeof text,
            "def llama3_mine():\n    return Trainer.Config(model_spec=model_registry(\"8B\"), "
            "parallelism=ParallelismConfig(tensor_parallel_degree=2), metrics=M.Config(");
        for (int k = 0; k < n; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "a%d=%d, ", k, k);
        snprintf(text + used, sizeof text - used, "))\n");
        const struct framework_case row = {text, "{'baseline':{'tp':2}}", "", NULL};
        framework_cases_check(PLAINDOC_PYTHON, &row, 1);
    }
}
