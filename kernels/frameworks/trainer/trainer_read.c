// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of the Hugging Face Trainer and of LLaMA-Factory.
// Names and defaults follow transformers/training_args.py of v4.57 and llamafactory/hparams of August
// 2026 (ff6d4d12e); arguments of launchers those of torchrun, deepspeed and accelerate launch.
//
// LLaMA-Factory recomputes all layers and trains adapters unless the file says otherwise.
#include "kernels/frameworks/trainer/trainer_arguments_private.h"

#include "kernels/frameworks/shell/shell_settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct trainer_path paths[] = {
    {"nproc_per_node", TRAINER_PER_NODE},
    {"num_gpus", TRAINER_PER_NODE},
    {"nnodes", TRAINER_NODES},
    {"num_nodes", TRAINER_NODES},
    {"num_machines", TRAINER_OTHER},
    {"num_processes", TRAINER_DEVICES},
    {"per_gpu_train_batch_size", TRAINER_MBS},
    {"per_device_train_batch_size", TRAINER_MBS},
    {"gradient_accumulation_steps", TRAINER_ACCUMULATION},
    {"block_size", TRAINER_SEQ},
    {"max_length", TRAINER_SEQ},
    {"max_seq_len", TRAINER_SEQ},
    {"max_seq_length", TRAINER_SEQ},
    {"model_max_length", TRAINER_SEQ},
    {"cutoff_len", TRAINER_SEQ},
    {"tensor_model_parallel_size", TRAINER_TP},
    {"pipeline_model_parallel_size", TRAINER_PP},
    {"context_parallel_size", TRAINER_CP},
    {"expert_model_parallel_size", TRAINER_EP},
    {"sequence_parallel_size", TRAINER_CP},
    {"sequence_parallel", TRAINER_OTHER},
    {"use_distributed_optimizer", TRAINER_OTHER},
    {"recompute_granularity", TRAINER_OTHER},
    {"model_name_or_path", TRAINER_OTHER},
    {"model_name", TRAINER_OTHER},
    {"config_file", TRAINER_OTHER},
    {"deepspeed", TRAINER_OTHER},
    {"deepspeed_config", TRAINER_OTHER},
    {"deepspeed_config_file", TRAINER_OTHER},
    {"zero_stage", TRAINER_OTHER},
    {"use_deepspeed", TRAINER_OTHER},
    {"use_fsdp", TRAINER_OTHER},
    {"fsdp", TRAINER_OTHER},
    {"fsdp_sharding_strategy", TRAINER_OTHER},
    {"fsdp_offload_params", TRAINER_OTHER},
    {"bf16", TRAINER_OTHER},
    {"fp16", TRAINER_OTHER},
    {"fp8", TRAINER_OTHER},
    {"mixed_precision", TRAINER_OTHER},
    {"gradient_checkpointing", TRAINER_OTHER},
    {"disable_gradient_checkpointing", TRAINER_OTHER},
    {"finetuning_type", TRAINER_OTHER},
    {"use_liger_kernel", TRAINER_OTHER},
    {"enable_liger_kernel", TRAINER_OTHER},
    {"stage", TRAINER_OTHER},
    {"use_peft", TRAINER_OTHER},
    {"use_lora", TRAINER_OTHER},
    {"lora_enable", TRAINER_OTHER},
    {"lora", TRAINER_OTHER},
    {"lora_rank", TRAINER_RANK},
    {"lora_r", TRAINER_RANK},
    {"lora_target", TRAINER_OTHER},
    {"lora_target_modules", TRAINER_OTHER},
    {"use_dora", TRAINER_OTHER},
    {"quantization_bit", TRAINER_OTHER},
};

static const struct framework_harmless harmless[] = {
    {"stage", "sft|pt", 0},
    {"optim", "adamw_torch|adamw_torch_fused|adamw_hf|adamw_apex_fused", 0},
    {"flash_attn", "auto|fa2|sdpa", 0},
    {"attn_implementation", "flash_attention_2|sdpa", 0},
    {"use_flash_attn* flash_attention", NULL, 0},
    {"load_in_4bit load_in_8bit", "false", 0},
    {"lora_*", NULL, 0},
    {"bits", "16|32", 0},
    {"tune_mm_mlp_adapter freeze_backbone", "false", 0},
    {"torch_compile packing neat_packing", NULL, 0},
    {"pure_bf16 use_galore use_apollo use_badam use_muon", "false", 0},
    {"freeze_vision_tower freeze_multi_modal_projector image_* video_* $* model_revision "
     "trust_remote_code torch_dtype dtype tokenizer_name* use_fast_tokenizer config_name "
     "cache_dir token do_* data* eval_* train_* validation_* val_* test_* media_dir "
     "template enable_thinking prompt_* conversation_* max_samples max_train_samples "
     "max_eval_samples max_new_tokens overwrite_* preprocessing_* mask_history "
     "train_on_prompt streaming buffer_size mix_strategy interleave_* ignore_pad* "
     "output_dir logging_* log_* save_* load_best* metric_* greater_is_better plot_loss "
     "report_to run_name wandb* use_swanlab swanlab* disable_tqdm include_* learning_rate "
     "lr_* warmup_* weight_decay adam_* max_grad_norm max_steps num_train_epochs seed tf32 "
     "ddp_* resume_from_checkpoint per_device_eval_batch_size remove_unused_columns "
     "group_by_length length_column_name push_to_hub hub_* full_determinism "
     "predict_with_generate gradient_checkpointing_kwargs "
     "fsdp_transformer_layer_cls_to_wrap fsdp_auto_wrap_policy fsdp_state_dict_type "
     "fsdp_backward_prefetch* fsdp_use_orig_params fsdp_cpu_ram_efficient_loading "
     "fsdp_sync_module_states fsdp_config bias_activation_fusion apply_rope_fusion "
     "overlap_* moe_grouped_gemm use_v1_kernels",
     NULL, 0},
    // launchers
    {"node_rank machine_rank master_* main_process_* rdzv* hostfile include standalone "
     "multi_gpu local_rank module max_restarts tee role dynamo_backend",
     NULL, 0},
};

const struct trainer_dialect trainer_arguments = {paths, sizeof paths / sizeof *paths, harmless,
                                                  sizeof harmless / sizeof *harmless};

// ---- sharding -----------------------------------------------------------------------------------

// --fsdp "full_shard auto_wrap offload"
static bool take_fsdp(struct trainer *t, const char *path, const char *words)
{
    static const struct {
        const char *word;
        int zero;
    } kinds[] = {{"full_shard", 3},
                 {"shard_grad_op", 2},
                 {"hybrid_shard_zero2", 2},
                 {"hybrid_shard", 3},
                 {"no_shard", 0}};
    t->zero_at = trainer_at(t, path);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcasestr(words, kinds[k].word) == NULL)
            continue;
        t->zero = kinds[k].zero;
        if (strcasestr(words, "hybrid") != NULL)
            trainer_set(t, TRAINER_REPLICATE, trainer_number(t, TRAINER_NODES, 1), t->zero_at);
        if (strcasestr(words, "offload") == NULL)
            return trainer_take_offloaded_shards(t, "fsdp_offload_params");
        t->offload_parameters = t->zero == 3;
        t->offload_at = t->zero_at;
        return t->zero == 3 || framework_not_modelled(t->r, "fsdp: offload", t->zero_at);
    }
    return trainer_fail(t, path,
                        "expected full_shard, shard_grad_op, hybrid_shard or no_shard");
}

static bool take_deepspeed(struct trainer *t)
{
    static const char *const names[] = {"deepspeed", "deepspeed_config",
                                        "deepspeed_config_file"};
    struct plaindoc json;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *name = trainer_text(t, names[k]);
        if (name == NULL)
            continue;
        if (!trainer_open_beside(t, names[k], name, &json))
            return false;
        const bool ok = trainer_take_deepspeed(t, &json, trainer_at(t, names[k]));
        plaindoc_free(&json);
        return ok;
    }
    const cJSON *inside = trainer_get(t, "deepspeed");
    if (!cJSON_IsObject(inside))
        return true;
    struct plaindoc part = *t->doc;
    part.root = (cJSON *)(uintptr_t)inside;
    return trainer_take_deepspeed(t, &part, trainer_at(t, "deepspeed"));
}

// A file of accelerate launch. Numbers of the command have priority.
static bool take_config_file(struct trainer *t)
{
    const char *name = trainer_text(t, "config_file");
    const struct plaindoc *own = t->doc;
    struct plaindoc file;
    if (name == NULL)
        return true;
    if (!trainer_open_beside(t, "config_file", name, &file))
        return false;
    const size_t at = trainer_at(t, "config_file"), first = t->r->file->not_modelled.n;
    t->doc = &file;
    const bool ok = trainer_take_accelerate(t);
    t->doc = own;
    for (int k = 0; k < N_TRAINER_NUMBERS; k++)
        t->numbers[k].at = at;
    t->zero_at = t->recompute_at = at;
    trainer_move_notes(t, first, at);
    plaindoc_free(&file);
    return ok;
}

static bool take_sharding(struct trainer *t)
{
    const char *fsdp = trainer_text(t, "fsdp"),
               *kind = trainer_text(t, "fsdp_sharding_strategy");
    const cJSON *stage = trainer_get(t, "zero_stage"),
                *number = trainer_get(t, "fsdp_sharding_strategy");
    static const char *const numbers[] = {"full_shard", "full_shard",   "shard_grad_op",
                                          "no_shard",   "hybrid_shard", "hybrid_shard_zero2"};
    if (cJSON_IsNumber(number) && number->valuedouble >= 1 && number->valuedouble <= 5)
        kind = numbers[(int)number->valuedouble];
    if (cJSON_IsNumber(stage) && stage->valuedouble >= 0 && stage->valuedouble <= 3) {
        t->zero = (int)stage->valuedouble;
        t->zero_at = trainer_at(t, "zero_stage");
        t->half_gradients = t->half && t->zero > 0;
    }
    if (fsdp != NULL && fsdp[0] != '\0' && strcasecmp(fsdp, "false") != 0)
        return take_fsdp(t, "fsdp", fsdp);
    if (kind != NULL || trainer_is(t, "use_fsdp", false))
        return take_fsdp(t, kind != NULL ? "fsdp_sharding_strategy" : "use_fsdp",
                         kind != NULL ? kind : "full_shard");
    return take_deepspeed(t);
}

// ---- the rest -----------------------------------------------------------------------------------

static bool take_types(struct trainer *t)
{
    const char *types = trainer_text(t, "mixed_precision");
    if (types != NULL)
        t->half = strcasecmp(types, "no") != 0;
    t->half = trainer_is(t, "bf16", t->half) || trainer_is(t, "fp16", false);
    t->precision = trainer_is(t, "fp8", false) ? "fp8" : t->precision;
    t->fused_loss =
        trainer_is(t, "use_liger_kernel", false) || trainer_is(t, "enable_liger_kernel", false);
    return true;
}

static void take_recompute(struct trainer *t, bool factory)
{
    const char *path = "gradient_checkpointing",
               *megatron = trainer_text(t, "recompute_granularity");
    bool on = trainer_is(t, path, strcmp(t->recompute, "full") == 0);
    if (factory) {
        path = "disable_gradient_checkpointing";
        on = !trainer_is(t, path, false);
    }
    if (megatron != NULL) {
        path = "recompute_granularity";
        on = strcmp(megatron, "full") == 0;
    }
    if (trainer_get(t, path) != NULL || factory)
        t->recompute_at = trainer_at(t, path);
    t->recompute = megatron != NULL && !on ? "select" : on ? "full" : "none";
}

// LLaMA-Factory adapts all matrices of rank 8 unless the file says otherwise; scripts have defaults of their own.
static bool take_adapters(struct trainer *t, bool factory)
{
    static const char *const switches[] = {"use_peft", "use_lora", "lora_enable", "lora"};
    const char *on = NULL;
    for (size_t k = 0; k < sizeof switches / sizeof *switches; k++)
        if (trainer_is(t, switches[k], false))
            on = switches[k];
    if (factory)
        return trainer_take_adapters(t, "lora_target", trainer_single_matrices);
    if (on == NULL)
        return true;
    if (trainer_get(t, "lora_target_modules") == NULL ||
        (trainer_get(t, "lora_r") == NULL && trainer_get(t, "lora_rank") == NULL))
        return trainer_fail(t, on,
                            "the script decides rank and matrices of the adapters; write "
                            "--lora_r and --lora_target_modules");
    return trainer_take_adapters(t, "lora_target_modules", trainer_single_matrices);
}

static bool take_method(struct trainer *t, bool factory)
{
    // Switches of scripts by which a part of the parameters is trained, or stored in fewer bits.
    static const char *const partly[] = {"q_lora",         "qlora",
                                         "use_dora",       "load_in_4bit",
                                         "load_in_8bit",   "tune_mm_mlp_adapter",
                                         "freeze_backbone"};
    const cJSON *bits = trainer_get(t, "bits");
    const char *type = trainer_text(t, "finetuning_type"), *stage = trainer_text(t, "stage");
    char text[96];
    if (type != NULL && strcmp(type, "full") != 0 && strcmp(type, "lora") != 0)
        return trainer_fail(t, "finetuning_type", "%.40s: only full and lora are known here",
                            type);
    for (size_t k = 0; k < sizeof partly / sizeof *partly; k++)
        if (trainer_is(t, partly[k], false))
            return trainer_fail(t, partly[k],
                                "only full training and LoRA in 16 or 32 bits are known here");
    if (cJSON_IsNumber(bits) && bits->valuedouble < 16)
        return trainer_fail(t, "bits", "only parameters in 16 or 32 bits are known here");
    if (trainer_get(t, "quantization_bit") != NULL)
        return trainer_fail(t, "quantization_bit",
                            "only parameters in 16 or 32 bits are known here");
    if (!take_adapters(t, factory && (type == NULL || strcmp(type, "lora") == 0)))
        return false;
    if (stage == NULL || strcmp(stage, "sft") == 0 || strcmp(stage, "pt") == 0)
        return true;
    snprintf(text, sizeof text, "stage: %.40s: counted as one pass over the sequences", stage);
    return framework_not_modelled(t->r, text, trainer_at(t, "stage"));
}

bool trainer_fill(struct trainer *t, bool factory)
{
    const char *model = trainer_text(t, "model_name_or_path");
    t->recompute = "none";
    if (model == NULL)
        model = trainer_text(t, "model_name");
    t->model = model;
    t->model_at = trainer_at(
        t, trainer_text(t, "model_name_or_path") != NULL ? "model_name_or_path" : "model_name");
    // A launcher's file first: the arguments of the command count more.
    if (!take_method(t, factory) || !take_config_file(t) ||
        !trainer_take_numbers(t, &trainer_arguments) || !take_types(t) || !take_sharding(t))
        return false;
    t->sp = trainer_is(t, "sequence_parallel", false);
    if (trainer_is(t, "use_distributed_optimizer", false) && t->zero == 0)
        t->zero = 1;
    take_recompute(t, factory);
    if (t->zero == 0 && trainer_number(t, TRAINER_TP, 0) == 0 &&
        trainer_text(t, "config_file") == NULL &&
        !framework_not_modelled(t->r,
                                "sharding that the launcher adds (accelerate --config_file): "
                                "counted as none",
                                t->all_at))
        return false;
    if (trainer_number(t, TRAINER_MBS, 0) == 0)
        trainer_set(t, TRAINER_MBS, 8, t->all_at);
    if (factory && trainer_number(t, TRAINER_SEQ, 0) == 0)
        trainer_set(t, TRAINER_SEQ, 2048, t->all_at);
    return trainer_sort_others(t, &trainer_arguments);
}
