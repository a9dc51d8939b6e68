// SPDX-License-Identifier: Apache-2.0
// Trainers, verl and Megatron-Bridge: what their readers make of keys and defaults, files that a configuration
// names, and what is refused.
#include "tests/unit/support/kernels/framework_cases.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

#define FACTORY "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nfinetuning_type: full\n"
#define HF      "torchrun --nproc_per_node 8 train.py --model_name_or_path m --output_dir o "
#define PPO     "python3 -m verl.trainer.main_ppo trainer.nnodes=2 trainer.n_gpus_per_node=8 "
#define ACTOR   "actor_rollout_ref.actor."
#define NO_SHARDING                                                                            \
    "sharding that the launcher adds (accelerate --config_file): counted as none"
#define ONLY_ACTOR "1:1 answers and reference passes: only the update of the actor is counted"

static const struct framework_case scripts[] = {
    // defaults of the Hugging Face Trainer: 8 sequences a device, nothing sharded, 32 bits
    {HF "--do_train",
     "{'cluster':{'world_size':8},'training':{'gbs':64,'zero_level':0,'bytes_param':4},"
     "'baseline':{'dp':8,'op':1,'mbs':8,'micro_batches':1,'recompute_all':'none'}}",
     "1:1 " NO_SHARDING, NULL},
    {HF "--per_device_train_batch_size=2 --gradient_accumulation_steps 4 --bf16 --fsdp "
        "'full_shard auto_wrap' --gradient_checkpointing True --model_max_length 4096",
     "{'training':{'gbs':64,'zero_level':3,'bytes_param':null},"
     "'baseline':{'dp':8,'op':8,'mbs':2,'micro_batches':4,'recompute_all':'full',"
     "'seq_length':4096}}",
     "", NULL},
    {"deepspeed --num_nodes 2 --num_gpus 8 t.py --model_name_or_path m --num_train_epochs 1 "
     "--per_device_train_batch_size 1 --bf16 true --deepspeed z3.json",
     "{'cluster':{'world_size':16},'training':{'gbs':16,'zero_level':3,'bytes_grad':2},"
     "'baseline':{'dp':16,'op':16,'mbs':1}}",
     NULL, NULL},
    {"accelerate launch --config_file fsdp.yaml t.py --per_device_train_batch_size 2 --bf16",
     "{'cluster':{'world_size':16},'training':{'gbs':32,'zero_level':2},"
     "'baseline':{'dp':16,'op':8,'mbs':2}}",
     NULL, NULL},
    {"llamafactory-cli train sft.yaml --cutoff_len 1024",
     "{'training':{'zero_level':0},'baseline':{'mbs':1,'micro_batches':2,'seq_length':1024,"
     "'recompute_all':'full','replica_batch':2,'op':1}}",
     NULL, NULL},
    {PPO ACTOR "ppo_mini_batch_size=64 " ACTOR "ppo_micro_batch_size_per_gpu=2 "
               "actor_rollout_ref.rollout.n=4 " ACTOR "ulysses_sequence_parallel_size=2 " ACTOR
               "fsdp_config.fsdp_size=8",
     "{'cluster':{'world_size':16},'training':{'gbs':256,'zero_level':3},"
     "'baseline':{'dp':8,'cp':2,'op':8,'mbs':2,'micro_batches':16,'seq_length':1024,"
     "'recompute_all':'full'}}",
     ONLY_ACTOR, NULL},
    {PPO "--config-name='ppo_megatron_trainer.yaml' " ACTOR
         "megatron.tensor_model_parallel_size=2 "
         "" ACTOR "megatron.pipeline_model_parallel_size=4 " ACTOR
         "megatron.param_offload=True " ACTOR "ppo_micro_batch_size_per_gpu=1",
     "{'training':{'gbs':256,'zero_level':1},'baseline':{'dp':2,'tp':2,'pp':4,'op':2,'sp':true,"
     "'recompute_all':'none'}}",
     ONLY_ACTOR "; 1:292 actor_rollout_ref.actor.megatron.param_offload=true", NULL},
    {"torchrun --nnodes=4 --nproc_per_node=8 run_recipe.py --recipe llama3_70b_pretrain_config "
     "model.tensor_model_parallel_size=8 model.context_parallel_size=1 train.global_batch_size=128",
     "{'cluster':{'world_size':32},'training':{'gbs':128,'zero_level':1},"
     "'baseline':{'dp':1,'tp':8,'pp':4,'vp':5,'cp':1,'mbs':1,'sp':true,'seq_length':8192}}",
     NULL, NULL},
};

static const struct framework_case yamls[] = {
    {FACTORY
     "cutoff_len: 4096\nper_device_train_batch_size: 2\ngradient_accumulation_steps: 8\n"
     "bf16: true\ndisable_gradient_checkpointing: true\ndeepspeed: z3.json\n",
     "{'training':{'zero_level':3,'bytes_grad':2},'baseline':{'dp_replicate':1,"
     "'replica_batch':16,'mbs':2,'seq_length':4096,'recompute_all':'none'}}",
     "", NULL},
    {"distributed_type: FSDP\nnum_processes: 8\nnum_machines: 1\nmixed_precision: bf16\n"
     "fsdp_config: {fsdp_version: 2, fsdp_reshard_after_forward: false,\n"
     "  fsdp_activation_checkpointing: true, fsdp_activation_checkpointing_offload: true,\n"
     "  fsdp_offload_params: true}\n"
     "parallelism_config: {parallelism_config_tp_size: 2, parallelism_config_dp_shard_size: 4}\n",
     "{'training':{'zero_level':2,'offload_checkpoints':1,'offload_parameters':null},'baseline':{'dp':4,'tp':2,'op':4,'recompute_all':'full'}}",
     NULL, NULL},
    {"actor_rollout_ref:\n  actor: {strategy: fsdp2, ppo_micro_batch_size_per_gpu: 4}\n"
     "  model: {path: m, enable_gradient_checkpointing: false}\n",
     "{'cluster':{'world_size':8},'training':{'gbs':256},'baseline':{'dp':8,'mbs':4,"
     "'recompute_all':'none'}}",
     NULL, NULL},
};

// ---- files that a configuration names -----------------------------------------------------------

static bool read_beside(void *self, const char *path, struct text_buffer *text)
{
    static const char *const files[][2] = {
        {"z3.json", "{\"bf16\": {\"enabled\": \"auto\"}, \"train_micro_batch_size_per_gpu\": "
                    "\"auto\", \"zero_optimization\": {\"stage\": 3}}"},
        {"fsdp.yaml", "distributed_type: FSDP\nnum_processes: 16\nnum_machines: 2\n"
                      "fsdp_config: {fsdp_sharding_strategy: HYBRID_SHARD_ZERO2}\n"},
        {"sft.yaml",
         FACTORY "per_device_train_batch_size: 1\ngradient_accumulation_steps: 2\n"},
    };
    (void)self;
    for (size_t k = 0; k < COUNT_OF(files); k++)
        if (strcmp(path, files[k][0]) == 0) {
            text_buffer_add(text, "%s", files[k][1]);
            return true;
        }
    return false;
}

static const struct framework_beside beside = {.read = read_beside};

Test(trainer_read, scripts)
{
    framework_cases_check_beside(PLAINDOC_FLAT, &beside, scripts, COUNT_OF(scripts));
}

Test(trainer_read, yaml)
{
    framework_cases_check_beside(PLAINDOC_YAML, &beside, yamls, COUNT_OF(yamls));
}

Test(trainer_read, deepspeed)
{
    static const struct framework_case rows[] = {
        {"{\"train_batch_size\": 32, \"train_micro_batch_size_per_gpu\": 4,\n"
         " \"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\"}},\n"
         " \"tensor_parallel\": {\"autotp_size\": 2}, \"fp16\": {\"enabled\": true}}",
         "{'training':{'gbs':32,'zero_level':2,'bytes_grad':2,'offload_optimizer':1},"
         "'baseline':{'dp_replicate':1,'tp':2,'mbs':4}}",
         "", NULL},
        {"{\"train_batch_size\": 32, \"train_micro_batch_size_per_gpu\": 4,\n"
         " \"zero_optimization\": {\"stage\": 3, \"offload_optimizer\": {\"device\": \"cpu\"},\n"
         " \"offload_param\": {\"device\": \"cpu\"}},\n"
         " \"activation_checkpointing\": {\"cpu_checkpointing\": true}}",
         "{'training':{'zero_level':3,'offload_optimizer':null,'offload_parameters':true,"
         "'offload_checkpoints':1}}",
         "", NULL},
        {"{\"train_batch_size\": 32, \"train_micro_batch_size_per_gpu\": 4,\n"
         " \"zero_optimization\": {\"stage\": 3, \"offload_optimizer\": {\"device\": \"nvme\"}}}",
         "{'training':{'offload_optimizer':null}}",
         "2:68 zero_optimization.offload_optimizer.device=nvme", NULL},
        {"{\"zero_optimization\": {\"stage\": 0}, \"train_batch_size\": 8}",
         "{'training':{'zero_level':0,'bytes_param':4},'baseline':{'op':1}}", NULL, NULL},
    };
    framework_cases_check_beside(PLAINDOC_NONE, NULL, rows, COUNT_OF(rows));
}

#define ALL_MATRICES                                                                           \
    "'lora_modules':['linear_proj','linear_fc1','linear_fc2','linear_q','linear_k','linear_v']"

#define FUSED_MATRICES "'lora_modules':['linear_qkv','linear_proj','linear_fc1','linear_fc2']"
#define RECIPE                                                                                 \
    "from megatron.bridge.recipes.common import _peft_common\n"                                \
    "def r(peft_scheme='lora'):\n    cfg = _peft_common()\n"                                   \
    "    cfg.model = AutoBridge.from_hf_pretrained('m').get_model_config()\n"                  \
    "    cfg.train.global_batch_size = 8\n"

// Would catch adapters that are priced as the training of all parameters.
Test(trainer_read, adapters)
{
    static const struct framework_case yaml[] = {
        {"model_name_or_path: m\ntemplate: qwen\ncutoff_len: 8\n",
         "{'training':{'lora_rank':8," ALL_MATRICES "}}", NULL, NULL},
        {"model_name_or_path: m\ntemplate: qwen\nfinetuning_type: lora\nlora_rank: 64\n"
         "lora_alpha: 128\nlora_target: q_proj,v_proj\n",
         "{'training':{'lora_rank':64,'lora_modules':['linear_q','linear_v']}}", NULL, NULL},
    };
    static const struct framework_case python[] = {
        {RECIPE "    cfg.peft = LoRA(dim=16)\n    return cfg\n",
         "{'training':{'lora_rank':16," FUSED_MATRICES "}}", NULL, NULL},
        {RECIPE "    cfg.peft = default_peft_config(peft_scheme)\n    return cfg\n",
         "{'training':{'lora_rank':32," FUSED_MATRICES "}}", NULL, NULL},
        {RECIPE "    cfg.peft = CanonicalLoRA(target_modules=['linear_q'])\n    return cfg\n",
         "{'training':{'lora_rank':32,'lora_modules':['linear_q']}}", NULL, NULL},
    };
    static const struct framework_case flat[] = {
        {"torchrun train.py --model_name_or_path m --per_device_train_batch_size 1 --use_peft "
         "--lora_r 16 --lora_target_modules q_proj o_proj",
         "{'training':{'lora_rank':16,'lora_modules':['linear_proj','linear_q']}}", NULL, NULL},
        {PPO "actor_rollout_ref.model.lora_rank=32 "
             "actor_rollout_ref.model.target_modules=all-linear",
         "{'training':{'lora_rank':32," ALL_MATRICES "}}", NULL, NULL},
        {PPO ACTOR "strategy=megatron actor_rollout_ref.model.lora.rank=16",
         "{'training':{'lora_rank':16," FUSED_MATRICES "}}", NULL, NULL},
        {PPO ACTOR "strategy=megatron " ACTOR "megatron.lora.rank=8 " ACTOR
                   "megatron.lora.type=canonical_lora " ACTOR
                   "megatron.lora.target_modules=[linear_q,linear_proj]",
         "{'training':{'lora_rank':8,'lora_modules':['linear_proj','linear_q']}}", NULL, NULL},
    };
    framework_cases_check_beside(PLAINDOC_YAML, NULL, yaml, COUNT_OF(yaml));
    framework_cases_check_beside(PLAINDOC_FLAT, NULL, flat, COUNT_OF(flat));
    framework_cases_check_beside(PLAINDOC_PYTHON, NULL, python, COUNT_OF(python));
}

Test(trainer_read, refused)
{
    static const struct {
        enum plaindoc_form form;
        const char *text, *wanted;
    } rows[] = {
        {PLAINDOC_YAML, FACTORY "cutoff_len: many\n",
         "4:13 cutoff_len: expected a whole number above 0"},
        {PLAINDOC_YAML,
         "model_name_or_path: m\ntemplate: qwen\ncutoff_len: 8\nfinetuning_type: freeze\n",
         "4:18 finetuning_type: freeze: only full and lora are known here"},
        {PLAINDOC_YAML,
         "model_name_or_path: m\ntemplate: qwen\ncutoff_len: 8\nlora_target: q_proj,mystery\n",
         "4:14 mystery: adapters of this module are not known here"},
        {PLAINDOC_YAML,
         "model_name_or_path: m\ntemplate: qwen\ncutoff_len: 8\nquantization_bit: 4\n",
         "4:19 quantization_bit: only parameters in 16 or 32 bits are known here"},
        {PLAINDOC_FLAT,
         "torchrun train.py --model_name_or_path m --per_device_train_batch_size 1 --use_peft",
         "1:74 use_peft: the script decides rank and matrices of the adapters; write --lora_r and "
         "--lora_target_modules"},
        {PLAINDOC_YAML, FACTORY "cutoff_len: 8\ndeepspeed: z9.json\n",
         "5:12 deepspeed: z9.json: this file is not found beside the configuration; it decides "
         "about memory and time"},
        {PLAINDOC_FLAT,
         PPO
         "actor_rollout_ref.model.lora_rank=8 actor_rollout_ref.model.target_modules=mystery",
         "1:152 mystery: adapters of this module are not known here"},
        {PLAINDOC_FLAT, PPO ACTOR "megatron.tensor_model_parallel_size=",
         "1:77 actor_rollout_ref.actor.megatron.tensor_model_parallel_size: the value is missing; "
         "write a whole number above 0"},
        {PLAINDOC_FLAT, PPO ACTOR "ppo_epochs=1 data.max_response_length=3k",
         "1:139 data.max_response_length: expected a whole number above 0"},
        {PLAINDOC_FLAT, PPO ACTOR "ppo_mini_batch_size=-32",
         "1:121 actor_rollout_ref.actor.ppo_mini_batch_size: expected a whole number above 0"},
        {PLAINDOC_FLAT, PPO ACTOR "megatron.tensor_model_parallel_size=$(tp)",
         "1:137 actor_rollout_ref.actor.megatron.tensor_model_parallel_size: the value comes from "
         "$(...), which only a shell can evaluate; write the value in place of it"},
        {PLAINDOC_FLAT, "python run_recipe.py --recipe mine_config --mode pretrain",
         "1:31 recipe: mine_config: the values of this recipe are not known here; name its file: "
         "ppsweep check FILE.py:NAME"},
        {PLAINDOC_YAML, "distributed_type: TPU\nnum_processes: 8\n",
         "1:19 distributed_type: TPU is not known here; known are FSDP, DEEPSPEED, MULTI_GPU and "
         "MEGATRON_LM"},
        {PLAINDOC_NONE, "{\"zero_optimization\": {\"stage\": 4}}",
         "1:33 zero_optimization.stage: expected 0, 1, 2 or 3"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct framework_file file;
        struct pps_fault fault = {.line = 0};
        bool read;
        char got[600];
        cr_assert_not(framework_read_beside(&file, &read, rows[i].form, rows[i].text,
                                            strlen(rows[i].text), &beside, &fault),
                      "%s", rows[i].text);
        snprintf(got, sizeof got, "%d:%d %s", fault.line, fault.column, fault.text);
        cr_expect_str_eq(got, rows[i].wanted, "%s\n%s", rows[i].text, got);
    }
}
