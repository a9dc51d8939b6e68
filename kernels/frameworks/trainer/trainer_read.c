// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of the Hugging Face Trainer, in launch scripts, and of LLaMA-Factory, also as YAML.
// Names and defaults follow transformers/training_args.py of v4.57 and llamafactory/hparams of August
// 2026 (ff6d4d12e); arguments of launchers those of torchrun, deepspeed and accelerate launch.
//
// LLaMA-Factory recomputes all layers and trains adapters unless the file says otherwise.
#include "base/edit/yaml_edit.h"
#include "base/text/characters.h"
#include "kernels/frameworks/shell/shell_edit.h"
#include "kernels/frameworks/shell/shell_settings.h"
#include "kernels/frameworks/trainer/trainer_write.h"

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
    {"use_flash_attn*", NULL, 0},
    {"flash_attention", NULL, 0},
    {"load_in_4bit", "false", 0},
    {"load_in_8bit", "false", 0},
    {"lora_*", NULL, 0},
    {"bits", "16|32", 0},
    {"tune_mm_mlp_adapter", "false", 0},
    {"freeze_backbone", "false", 0},
    {"torch_compile", NULL, 0},
    {"packing", NULL, 0},
    {"neat_packing", NULL, 0},
    {"pure_bf16", "false", 0},
    {"use_galore", "false", 0},
    {"use_apollo", "false", 0},
    {"use_badam", "false", 0},
    {"use_muon", "false", 0},
    {"freeze_vision_tower", NULL, 0},
    {"freeze_multi_modal_projector", NULL, 0},
    {"image_*", NULL, 0},
    {"video_*", NULL, 0},
    {"$*", NULL, 0},
    {"model_revision", NULL, 0},
    {"trust_remote_code", NULL, 0},
    {"torch_dtype", NULL, 0},
    {"dtype", NULL, 0},
    {"tokenizer_name*", NULL, 0},
    {"use_fast_tokenizer", NULL, 0},
    {"config_name", NULL, 0},
    {"cache_dir", NULL, 0},
    {"token", NULL, 0},
    {"do_*", NULL, 0},
    {"data*", NULL, 0},
    {"eval_*", NULL, 0},
    {"train_*", NULL, 0},
    {"validation_*", NULL, 0},
    {"val_*", NULL, 0},
    {"test_*", NULL, 0},
    {"media_dir", NULL, 0},
    {"template", NULL, 0},
    {"enable_thinking", NULL, 0},
    {"prompt_*", NULL, 0},
    {"conversation_*", NULL, 0},
    {"max_samples", NULL, 0},
    {"max_train_samples", NULL, 0},
    {"max_eval_samples", NULL, 0},
    {"max_new_tokens", NULL, 0},
    {"overwrite_*", NULL, 0},
    {"preprocessing_*", NULL, 0},
    {"mask_history", NULL, 0},
    {"train_on_prompt", NULL, 0},
    {"streaming", NULL, 0},
    {"buffer_size", NULL, 0},
    {"mix_strategy", NULL, 0},
    {"interleave_*", NULL, 0},
    {"ignore_pad*", NULL, 0},
    {"output_dir", NULL, 0},
    {"logging_*", NULL, 0},
    {"log_*", NULL, 0},
    {"save_*", NULL, 0},
    {"load_best*", NULL, 0},
    {"metric_*", NULL, 0},
    {"greater_is_better", NULL, 0},
    {"plot_loss", NULL, 0},
    {"report_to", NULL, 0},
    {"run_name", NULL, 0},
    {"wandb*", NULL, 0},
    {"use_swanlab", NULL, 0},
    {"swanlab*", NULL, 0},
    {"disable_tqdm", NULL, 0},
    {"include_*", NULL, 0},
    {"learning_rate", NULL, 0},
    {"lr_*", NULL, 0},
    {"warmup_*", NULL, 0},
    {"weight_decay", NULL, 0},
    {"adam_*", NULL, 0},
    {"max_grad_norm", NULL, 0},
    {"max_steps", NULL, 0},
    {"num_train_epochs", NULL, 0},
    {"seed", NULL, 0},
    {"tf32", NULL, 0},
    {"ddp_*", NULL, 0},
    {"resume_from_checkpoint", NULL, 0},
    {"per_device_eval_batch_size", NULL, 0},
    {"remove_unused_columns", NULL, 0},
    {"group_by_length", NULL, 0},
    {"length_column_name", NULL, 0},
    {"push_to_hub", NULL, 0},
    {"hub_*", NULL, 0},
    {"full_determinism", NULL, 0},
    {"predict_with_generate", NULL, 0},
    {"gradient_checkpointing_kwargs", NULL, 0},
    {"fsdp_transformer_layer_cls_to_wrap", NULL, 0},
    {"fsdp_auto_wrap_policy", NULL, 0},
    {"fsdp_state_dict_type", NULL, 0},
    {"fsdp_backward_prefetch*", NULL, 0},
    {"fsdp_use_orig_params", NULL, 0},
    {"fsdp_cpu_ram_efficient_loading", NULL, 0},
    {"fsdp_sync_module_states", NULL, 0},
    {"fsdp_config", NULL, 0},
    {"bias_activation_fusion", NULL, 0},
    {"apply_rope_fusion", NULL, 0},
    {"overlap_*", NULL, 0},
    {"moe_grouped_gemm", NULL, 0},
    {"use_v1_kernels", NULL, 0},
    // launchers
    {"node_rank", NULL, 0},
    {"machine_rank", NULL, 0},
    {"master_*", NULL, 0},
    {"main_process_*", NULL, 0},
    {"rdzv*", NULL, 0},
    {"hostfile", NULL, 0},
    {"include", NULL, 0},
    {"standalone", NULL, 0},
    {"multi_gpu", NULL, 0},
    {"local_rank", NULL, 0},
    {"module", NULL, 0},
    {"max_restarts", NULL, 0},
    {"tee", NULL, 0},
    {"role", NULL, 0},
    {"dynamo_backend", NULL, 0},
};

static const struct trainer_dialect dialect = {paths, sizeof paths / sizeof *paths, harmless,
                                               sizeof harmless / sizeof *harmless};

static bool is_known(const char *path)
{
    return trainer_knows(&dialect, path);
}

static bool needs(const char *path)
{
    return trainer_needs(&dialect, path);
}

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

static bool fill(struct trainer *t, bool factory)
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
        !trainer_take_numbers(t, &dialect) || !take_types(t) || !take_sharding(t))
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
    return trainer_sort_others(t, &dialect);
}

// ---- scripts and YAML ---------------------------------------------------------------------------

static bool is_argument(const char *path)
{
    return strcmp(path, "per_device_train_batch_size") == 0 ||
           strcmp(path, "gradient_accumulation_steps") == 0 || strcmp(path, "do_train") == 0 ||
           strcmp(path, "num_train_epochs") == 0 || strcmp(path, "deepspeed") == 0;
}

// Returns the file of arguments that a command of LLaMA-Factory has: llamafactory-cli train FILE.yaml.
static const struct shell_text *file_of(const struct shell_script *script,
                                        const struct shell_command **command)
{
    for (size_t k = 0; k < script->n_commands; k++) {
        const struct shell_command *c = &script->commands[k];
        bool trains = false;
        for (size_t i = 0; i < c->n; i++) {
            const char *word = c->words[i].bytes;
            trains |= strcmp(word, "train") == 0 || strcmp(word, "src/train.py") == 0;
            if (!trains || !(pps_ends_with(word, ".yaml") || pps_ends_with(word, ".yml")))
                continue;
            if (command != NULL)
                *command = c;
            return &c->words[i];
        }
    }
    return NULL;
}

static bool is_script(const struct plaindoc *document)
{
    struct shell_script script;
    struct pps_fault fault;
    if (document->root != NULL || strstr(document->text, "train") == NULL ||
        !shell_read(&script, document->text, document->n, &fault))
        return false;
    const bool is =
        settings_command(&script, is_argument) != NULL || file_of(&script, NULL) != NULL;
    shell_free(&script);
    return is;
}

// A script, and the settings of the command that starts the trainer.
// Arguments that only LLaMA-Factory has; other files are those of scripts with the Hugging Face Trainer.
static bool is_factory(const struct trainer *t)
{
    return trainer_get(t, "finetuning_type") != NULL || trainer_get(t, "template") != NULL ||
           trainer_get(t, "cutoff_len") != NULL;
}

// Puts the arguments of a file that the command does not have.
static bool take_file(struct trainer_script *o, const struct shell_text *name)
{
    struct plaindoc file;
    const size_t at = shell_word_at(name, &o->script);
    bool ok = settings_put(&o->settings, "$file", cJSON_CreateString(name->bytes), at) &&
              trainer_open_beside(&o->t, "$file", name->bytes, &file);
    if (!ok)
        return false;
    for (const cJSON *item = file.root->child; ok && item != NULL; item = item->next)
        ok = settings_get(&o->settings, item->string) != NULL ||
             settings_put(&o->settings, item->string, cJSON_Duplicate(item, true), at);
    plaindoc_free(&file);
    return ok || framework_no_memory(o->t.r);
}

static bool open_script(struct trainer_script *o, struct framework_reader *r,
                        const struct plaindoc *document)
{
    if (!shell_read(&o->script, document->text, document->n, r->fault))
        return false;
    const struct shell_command *command = settings_command(&o->script, is_known);
    const struct shell_text *named = file_of(&o->script, &command);
    if (!settings_read(&o->settings, &o->script, command, needs, r->fault)) {
        shell_free(&o->script);
        return false;
    }
    o->t = (struct trainer){.r = r, .doc = &o->settings, .all_at = (size_t)command->from};
    const bool factory = is_factory(&o->t) || named != NULL ||
                         strstr(document->text, "llamafactory-cli") != NULL;
    if ((named == NULL || take_file(o, named)) && fill(&o->t, factory))
        return true;
    trainer_script_close(o);
    return false;
}

static bool read_script(struct framework_reader *r, const struct plaindoc *document)
{
    struct trainer_script o;
    if (!open_script(&o, r, document))
        return false;
    const bool ok = trainer_put(&o.t);
    trainer_script_close(&o);
    return ok;
}

static bool is_yaml(const struct plaindoc *document)
{
    static const char *const words[] = {"finetuning_type",
                                        "cutoff_len",
                                        "per_device_train_batch_size",
                                        "template",
                                        "gradient_accumulation_steps",
                                        "num_train_epochs"};
    int n = 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        n += pps_json_member(document->root, words[k]) != NULL;
    return n > 1 && pps_json_member(document->root, "model_name_or_path") != NULL;
}

static bool read_yaml(struct framework_reader *r, const struct plaindoc *document)
{
    struct trainer t = {.r = r, .doc = document};
    return fill(&t, is_factory(&t)) && trainer_put(&t);
}

// ---- changed copies -----------------------------------------------------------------------------

static bool can_add(const struct trainer_writer *w, const char *path)
{
    (void)w;
    return strcmp(path, "per_device_train_batch_size") == 0 ||
           strcmp(path, "gradient_accumulation_steps") == 0 || strcmp(path, "nnodes") == 0;
}

static bool set_sp(struct trainer_writer *w, bool on)
{
    cJSON *value = cJSON_CreateBool(on);
    const bool ok = value != NULL && w->set(w, "sequence_parallel", value);
    cJSON_Delete(value);
    return ok;
}

static bool set_batch(struct trainer_writer *w, int64_t all)
{
    return trainer_fail(w->old, "deepspeed",
                        "%lld sequences a step: train_batch_size is in that file",
                        (long long)all);
}

static bool set_recompute(struct trainer_writer *w, const char *word)
{
    const bool factory = trainer_get(w->old, "finetuning_type") != NULL;
    if (trainer_get(w->old, "recompute_granularity") != NULL || strcmp(word, "select") == 0)
        return trainer_fail(w->old, "recompute_granularity",
                            "recomputation \"%s\" is not written here", word);
    cJSON *value = cJSON_CreateBool((strcmp(word, "full") == 0) != factory);
    const bool ok =
        value != NULL &&
        w->set(w, factory ? "disable_gradient_checkpointing" : "gradient_checkpointing", value);
    cJSON_Delete(value);
    return ok;
}

static struct trainer_writer writer_of(struct framework_writer *w, struct trainer *old)
{
    return (struct trainer_writer){.settings = w->settings,
                                   .old = old,
                                   .dialect = &dialect,
                                   .can_add = can_add,
                                   .set_sp = set_sp,
                                   .set_batch = set_batch,
                                   .set_recompute = set_recompute};
}

static bool write_yaml(struct framework_writer *w, const struct plaindoc *document)
{
    struct framework_file file = {.framework = FRAMEWORK_TRAINER};
    struct framework_reader r = {.file = &file, .fault = w->fault, .beside = w->beside};
    struct trainer t = {.r = &r, .doc = document};
    struct trainer_writer writer = writer_of(w, &t);
    struct yaml_edit yaml;
    yaml_edit_begin(&yaml, document, &w->edit);
    trainer_writer_of_yaml(&writer, &yaml);
    const bool ok =
        framework_start(&r, document) && fill(&t, is_factory(&t)) && trainer_write_all(&writer);
    const bool ended = yaml_edit_end(&yaml, w->fault);
    framework_file_free(&file);
    return ok && ended;
}

static enum shell_kind kind_of(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s", name);
    for (char *c = path; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    return is_known(path) ? SHELL_MANY : SHELL_OTHER;
}

static bool write_script(struct framework_writer *w, const struct plaindoc *document)
{
    struct framework_file file = {.framework = FRAMEWORK_TRAINER};
    struct framework_reader r = {.file = &file, .fault = w->fault, .beside = w->beside};
    struct shell_edit shell;
    struct trainer_script o;
    bool ok = framework_start(&r, document) && open_script(&o, &r, document);
    if (ok) {
        struct trainer_writer writer = writer_of(w, &o.t);
        trainer_writer_of_arguments(&writer, &shell);
        ok = shell_edit_begin(&shell, document->text, document->n, kind_of, w->fault);
        if (ok) {
            ok = trainer_write_all(&writer) && shell_edit_finish(&shell, &w->edit);
            shell_edit_free(&shell);
        }
        trainer_script_close(&o);
    }
    framework_file_free(&file);
    return ok;
}

const struct framework_form trainer_script_form = {
    .framework = FRAMEWORK_TRAINER,
    .form = PLAINDOC_FLAT,
    .is = is_script,
    .read = read_script,
    .write = write_script,
};

const struct framework_form trainer_yaml_form = {
    .framework = FRAMEWORK_TRAINER,
    .form = PLAINDOC_YAML,
    .is = is_yaml,
    .read = read_yaml,
    .write = write_yaml,
};
