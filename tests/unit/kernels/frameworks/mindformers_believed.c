// SPDX-License-Identifier: Apache-2.0
// What a MindFormers configuration says about time and memory is evaluated, or the reader names it:
// schedules, recomputation, keys that no model counts, models of other shapes, and starts that the
// framework refuses.
#include "tests/unit/support/kernels/framework_cases.h"

#include <criterion/criterion.h>
#include <string.h>

#define CHECK(rows) framework_cases_check(PLAINDOC_YAML, rows, sizeof rows / sizeof *(rows))

// A model of 10 layers; more keys of the sections follow.
#define MODEL                                                                                  \
    "model: {model_config: {num_layers: 10, hidden_size: 64, num_heads: 4, vocab_size: 99"
#define STAGES                                                                                 \
    "}}\nparallel_config: {data_parallel: 2, model_parallel: 2, pipeline_stage: 2, "           \
    "micro_batch_num: 4"
#define END     "}\nrunner_config: {batch_size: 3}\n"
#define EXPERTS "moe_config: {expert_num: 8, num_experts_chosen: 2, use_gmm: True"

Test(mindformers_believed, schedules)
{
    static const struct framework_case rows[] = {
        {MODEL STAGES END "parallel: {pipeline_config: {pipeline_scheduler: gpipe}}\n",
         "{'baseline':{'schedule':'gpipe'}}", "", NULL},
        {MODEL STAGES END "parallel: {pipeline_config: {pipeline_scheduler: 1f1b}}\n",
         "{'baseline':{'schedule':null}}", "", NULL},
        {MODEL ", pp_interleave_num: 2" STAGES END
               "parallel: {pipeline_config: {pipeline_interleave: True, pipeline_scheduler: "
               "zero_bubble_v}}\n",
         "{'baseline':{'schedule':'zbv','vp':2}}",
         "4:57 parallel.pipeline_config.pipeline_scheduler=zero_bubble_v", NULL},
        {MODEL STAGES ", seq_split_num: 4" END
                      "parallel: {pipeline_config: {pipeline_scheduler: seqpipe}}\n",
         "{'baseline':{'schedule':'seq_1f1b'}}",
         "2:95 parallel_config.seq_split_num=4; "
         "4:30 parallel.pipeline_config.pipeline_scheduler=seqpipe",
         NULL},
        {MODEL STAGES END "parallel: {pipeline_config: {pipeline_scheduler: seqsmartvpp}}\n",
         "{'baseline':{'schedule':null}}",
         "4:30 parallel.pipeline_config.pipeline_scheduler=seqsmartvpp", NULL},
    };
    CHECK(rows);
}

Test(mindformers_believed, recomputation)
{
    static const struct framework_case rows[] = {
        {MODEL STAGES END "recompute_config: {recompute: [2, 0], select_recompute: "
                          "{'feed_forward.mul': [4, 1]}, mp_comm_recompute: True}\n",
         "{'baseline':{'recompute':[[2,0]],'select_recompute':[[2,1]]}}",
         "4:39 recompute_config.select_recompute: patterns", NULL},
        {MODEL STAGES END "recompute_config: {recompute: True, mp_comm_recompute: False, "
                          "recompute_slice_activation: True, select_comm_recompute: [1, 1]}\n",
         "{'baseline':{'recompute':[[5,5]]}}",
         "4:37 recompute_config.mp_comm_recompute=false; "
         "4:63 recompute_config.recompute_slice_activation=true; "
         "4:97 recompute_config.select_comm_recompute=[1,1]",
         NULL},
        // With sequence parallelism the inputs are split anyway; without recomputation nothing counts.
        {MODEL STAGES ", use_seq_parallel: True" END
                      "recompute_config: {recompute: True, recompute_slice_activation: True}\n",
         NULL, "", NULL},
        {MODEL STAGES END "recompute_config: {recompute: False, mp_comm_recompute: False, "
                          "recompute_slice_activation: True}\n",
         NULL, "", NULL},
        // The optimizer is divided.
        {MODEL STAGES END "recompute_config: {parallel_optimizer_comm_recompute: True}\n",
         "{'baseline':{'op':1}}", "", NULL},
        {MODEL STAGES END
         "parallel: {parallel_optimizer_config: {optimizer_weight_shard_size: 2}}\n",
         "{'baseline':{'op':2}}", "", NULL},
        {MODEL STAGES END "recompute_config: {parallel_optimizer_comm_recompute: True}\n"
                          "parallel: {enable_parallel_optimizer: True}\n",
         "{'baseline':{'op':-1}}",
         "4:20 recompute_config.parallel_optimizer_comm_recompute=true", NULL},
        // Numbers of layers, where activations go to the host.
        {MODEL STAGES END "recompute_config: {recompute: [0, 1, 7]}\nswap_config: {swap: True, "
                          "default_prefetch: 1}\n",
         "{'baseline':{'recompute':[[2,1]]}}",
         "5:15 swap_config.swap=true; 5:27 swap_config.default_prefetch=1", NULL},
        {MODEL STAGES END "swap_config: {swap: False, default_prefetch: 1}\n", NULL, "", NULL},
        // The model is in another document.
        {"parallel_config: {data_parallel: 2}\nrunner_config: {batch_size: 1}\n"
         "recompute_config: {recompute: True}\n",
         "{'baseline':{'recompute':null}}", "3:20 recompute_config.recompute=true", NULL},
    };
    CHECK(rows);
}

Test(mindformers_believed, training)
{
    static const struct framework_case rows[] = {
        {MODEL
         ", use_flash_attention: False, hidden_dropout: 0.1, attention_dropout: 0.0" STAGES END,
         "{'training':{'flash_attention':false,'dropout':true}}", "", NULL},
        {MODEL ", hidden_dropout: 0.0" STAGES END,
         "{'training':{'flash_attention':null,'dropout':null}}", "", NULL},
        {MODEL ", compute_dtype: float32, param_init_type: float32" STAGES END, NULL,
         "1:87 model.model_config.compute_dtype=float32; "
         "1:111 model.model_config.param_init_type=float32",
         NULL},
        {MODEL STAGES ", expert_parallel: 2" END EXPERTS ", expert_model_parallel: 2}\n",
         "{'training':{'expert_tensor_parallel':'tp'}}", "", NULL},
        {MODEL STAGES ", expert_parallel: 2" END EXPERTS ", expert_model_parallel: 4}\n",
         "{'training':{'expert_tensor_parallel':null}}",
         "4:67 moe_config.expert_model_parallel=4", NULL},
    };
    CHECK(rows);
}

Test(mindformers_believed, other_keys)
{
    static const struct framework_case rows[] = {
        {MODEL STAGES ", vocab_emb_dp: True, context_parallel_algo: ulysses_cp" END, NULL,
         "2:95 parallel_config.vocab_emb_dp=true", NULL},
        {MODEL STAGES ", vocab_emb_dp: False, context_parallel: 2, context_parallel_algo: "
                      "ulysses_cp" END "micro_batch_interleave_num: 2\n",
         "{'baseline':{'mbs':6}}",
         "4:1 micro_batch_interleave_num=2; 2:137 "
         "parallel_config.context_parallel_algo=ulysses_cp",
         NULL},
        // Experts with grouped products have no places to fill.
        {MODEL STAGES END EXPERTS ", capacity_factor: 1.5}\n", NULL, "", NULL},
        {MODEL STAGES END "moe_config: {expert_num: 8, num_experts_chosen: 2, use_gmm: False, "
                          "capacity_factor: 1.5, moe_shared_expert_overlap: True}\n",
         NULL,
         "4:52 moe_config.use_gmm=false; 4:68 moe_config.capacity_factor=1.5; "
         "4:90 moe_config.moe_shared_expert_overlap=true",
         NULL},
        // A dense model has the keys of experts, too.
        {MODEL STAGES END "moe_config: {expert_num: 1, capacity_factor: 1.1, use_gmm: False}\n",
         NULL, "", NULL},
        {MODEL STAGES END
         "run_mode: train\nseed: 0\ntrainer: {type: A, model_name: b}\n"
         "callbacks: [{type: C}]\nx-own: {a: 1}\noptimizer: {type: AdamW, eps: "
         "1.0}\ncontext: {mode: 0, device_id: 0}\n",
         NULL, "", NULL},
        {MODEL ", pet_config: {pet_type: lora, lora_rank: 16, lora_alpha: 32, target_modules: "
               "'.*wq|.*wv|.*w_gate_hidden'}" STAGES END
               "optimizer: {type: Muon}\ncontext: {mode: 1, memory_optimize_level: O1}\n"
               "own_section: {a: 1, b: 2}\nrun_mode: predict\n",
         "{'training':{'lora_rank':16,'lora_modules':['linear_fc1','linear_q','linear_v']}}",
         "4:13 optimizer.type=Muon; 5:11 context.mode=1; "
         "5:20 context.memory_optimize_level=O1; 6:1 own_section; 7:1 run_mode=predict",
         NULL},
        // The number of devices is not in the file.
        {"model_config: {num_layers: 2, hidden_size: 64, num_heads: 4, vocab_size: 9}\n"
         "distribute_parallel_config: {tensor_model_parallel_size: 2}\n"
         "context: {max_device_memory: 30GB}\n",
         "{'cluster':{'world_size':null}}", "3:11 context.max_device_memory=30GB", NULL},
    };
    CHECK(rows);
}

Test(mindformers_believed, starts_that_cannot_run)
{
    static const struct framework_case rows[] = {
        {"model: {model_config: {num_layers: 4}}\nmoe_config: {expert_num: "
         "8, use_gmm: True}\nparallel_config:\n"
         "  data_parallel: 4\n  expert_parallel: 3\n",
         "{'model':{'num_layers':4},'baseline':{'ep':3}}", "",
         "5:20 expert_parallel: 3 does not divide the devices of a stage, 4 x 1 x 1 (data, model "
         "and context parallel, from line 4)"},
        {"model: {model_config: {num_layers: 4}}\nparallel_config: {data_parallel: "
         "4}\nparallel:\n"
         "  enable_parallel_optimizer: True\n  parallel_optimizer_config:\n"
         "    optimizer_weight_shard_size: 3\n",
         "{'cluster':{'world_size':4}}", "",
         "6:34 optimizer_weight_shard_size: expected -1 or a divisor of data_parallel, 4"},
        {"model:\n  model_config:\n    num_layers: 10\n    offset: [1, 0, -1]\n"
         "parallel_config:\n  pipeline_stage: 2\n",
         "{'model':{'num_layers':10},'baseline':{'layers':null}}", "",
         "4:13 offset: has 3 numbers, but the pipeline has 2 stages (line 6)"},
        {"model:\n  model_config:\n    num_layers: 11\n    offset: [1, 1]\nparallel_config:\n"
         "  pipeline_stage: 2\n",
         NULL, "", "4:13 offset: the sum is 2; 11 layers (MTP included) in 2 parts leave 1"},
        {"model:\n  model_config:\n    num_layers: 10\n    offset: [-7, 7]\nparallel_config:\n"
         "  pipeline_stage: 2\n",
         NULL, "", "4:14 offset: stage 0 of 2 has -2 layers"},
        {"model:\n  model_config:\n    num_layers: 10\n    offset: [[0, 0]]\n"
         "    pp_interleave_num: 2\nparallel_config:\n  pipeline_stage: 2\n",
         NULL, "", "4:13 offset: has 1 lists, but pp_interleave_num is 2"},
        {"model: {model_config: {num_layers: 10}}\nparallel_config:\n  pipeline_stage: 2\n"
         "recompute_config:\n  recompute: [1, 2, 3]\n",
         NULL, "", "5:14 recompute: has 3 numbers, but the pipeline has 2 stages (line 3)"},
        {"model: {model_config: {num_layers: 10}}\nparallel_config:\n  pipeline_stage: 2\n"
         "recompute_config:\n  recompute: all\n",
         NULL, "",
         "5:14 recompute: expected True, False, numbers of layers per stage, or lists of them per "
         "chunk"},
        {MODEL STAGES END "recompute_config: {recompute: [10]}\nswap_config: {swap: True}\n",
         NULL, NULL, "4:32 recompute: with swap, expected numbers of layers from 0 to 9"},
    };
    CHECK(rows);
}

// A model of another shape is no error by itself: another document may describe it.
Test(mindformers_believed, models_of_other_shapes)
{
    static const char *const rows[][2] = {
        {"model: {model_config: {type: T5Config, num_layers: 4, hidden_size: 8}}\n",
         "type T5Config: the shape of this model is not known; name a file that describes it "
         "first: ppsweep check config.json FILE"},
        {"model: {model_config: {vision_config: {num_layers: 4}, hidden_size: 8}}\n",
         "vision_config: the shape of this model is not known; name a file that describes it "
         "first: ppsweep check config.json FILE"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct framework_file file;
        struct pps_fault fault;
        bool read;
        cr_assert(framework_read(&file, &read, PLAINDOC_YAML, rows[i][0], strlen(rows[i][0]),
                                 &fault));
        cr_assert_str_eq(file.unknown_model.text, rows[i][1], "%s", file.unknown_model.text);
        cr_assert_eq(file.unknown_model.line, 1);
        framework_file_free(&file);
    }
    static const struct framework_case unknown = {
        "model: {model_config: {type: NewConfig, num_layers: 4, hidden_size: 8}}\n",
        "{'model':{'num_layers':4}}", "1:24 model_config.type=NewConfig", NULL};
    framework_cases_check(PLAINDOC_YAML, &unknown, 1);
}
