// SPDX-License-Identifier: Apache-2.0
// Reads configurations of verl: overrides of Hydra in launch scripts, and YAML. What is evaluated is the update of
// the actor: one mini-batch, forward and backward. Names and defaults follow verl/trainer/config of
// January 2026 (b178a3cd5, v0.7): ppo_trainer.yaml, ppo_megatron_trainer.yaml, sft_trainer.yaml.
#include "base/edit/yaml_edit.h"
#include "kernels/frameworks/shell/shell_settings.h"
#include "kernels/frameworks/trainer/trainer_write.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ACTOR    "actor_rollout_ref.actor."
#define MEGATRON ACTOR "megatron."
#define LAYERS   MEGATRON "override_transformer_config."

static const struct trainer_path paths[] = {
    {"trainer.n_gpus_per_node", TRAINER_PER_NODE},
    {"trainer.nnodes", TRAINER_NODES},
    {"nproc_per_node", TRAINER_PER_NODE},
    {"nnodes", TRAINER_NODES},
    {ACTOR "ppo_micro_batch_size_per_gpu", TRAINER_MBS},
    {"data.micro_batch_size_per_gpu", TRAINER_MBS},
    {ACTOR "ulysses_sequence_parallel_size", TRAINER_CP},
    {ACTOR "fsdp_config.ulysses_sequence_parallel_size", TRAINER_CP},
    {"ulysses_sequence_parallel_size", TRAINER_CP},
    {ACTOR "fsdp_config.fsdp_size", TRAINER_SHARDS},
    {MEGATRON "tensor_model_parallel_size", TRAINER_TP},
    {MEGATRON "pipeline_model_parallel_size", TRAINER_PP},
    {MEGATRON "virtual_pipeline_model_parallel_size", TRAINER_VP},
    {MEGATRON "context_parallel_size", TRAINER_CP},
    {MEGATRON "expert_model_parallel_size", TRAINER_EP},
    {MEGATRON "expert_tensor_parallel_size", TRAINER_ETP},
    {MEGATRON "override_ddp_config.num_distributed_optimizer_instances", TRAINER_REPLICATE},
    {"actor_rollout_ref.model.lora_rank", TRAINER_RANK},
    {"model.lora_rank", TRAINER_RANK},
    // of the backend Megatron; older releases had them beside its degrees
    {"actor_rollout_ref.model.lora.rank", TRAINER_RANK},
    {MEGATRON "lora.rank", TRAINER_RANK},
    {"data.max_length", TRAINER_SEQ},
};

// Keys that functions below read.
static const char other_paths[] =
    "data.train_batch_size " ACTOR "ppo_mini_batch_size " ACTOR "ppo_micro_batch_size " ACTOR
    "ppo_max_token_len_per_gpu " ACTOR "use_dynamic_bsz " ACTOR "strategy " ACTOR
    "fsdp_config.reshard_after_forward " ACTOR "fsdp_config.model_dtype " MEGATRON
    "sequence_parallel " MEGATRON "use_distributed_optimizer " LAYERS
    "recompute_granularity " LAYERS "recompute_method " LAYERS "recompute_num_layers "
    "actor_rollout_ref.model.path model.partial_pretrain "
    "actor_rollout_ref.model.enable_gradient_checkpointing "
    "model.enable_gradient_checkpointing actor_rollout_ref.model.target_modules "
    "actor_rollout_ref.model.lora.type actor_rollout_ref.model.lora.target_modules " MEGATRON
    "lora.type " MEGATRON "lora.target_modules model.target_modules "
    "actor_rollout_ref.model.use_fused_kernels actor_rollout_ref.rollout.n "
    "data.max_prompt_length data.max_response_length " ACTOR "fsdp_config.offload_policy ";

static const struct framework_harmless harmless[] = {
    {ACTOR "fsdp_config.param_offload", "false", 0},
    {ACTOR "fsdp_config.optimizer_offload", "false", 0},
    {MEGATRON "param_offload", "false", 0},
    {MEGATRON "grad_offload", "false", 0},
    {MEGATRON "optimizer_offload", "false", 0},
    {LAYERS "num_layers_in_first_pipeline_stage", "null", 0},
    {LAYERS "num_layers_in_last_pipeline_stage", "null", 0},
    {LAYERS "account_for_embedding_in_pipeline_split", "false", 0},
    {LAYERS "account_for_loss_in_pipeline_split", "false", 0},
    {LAYERS "attention_backend", "flash|auto|fused|null", 0},
    {LAYERS "moe_token_dispatcher_type", "alltoall", 0},
    {LAYERS "pipeline_model_parallel_layout", "null", 0},
    {LAYERS "recompute_modules", NULL, 0},
    {LAYERS "moe_router_*", NULL, 0},
    {LAYERS "moe_permute_fusion", NULL, 0},
    {LAYERS "moe_grouped_gemm", NULL, 0},
    {LAYERS "moe_aux_loss_coeff", NULL, 0},
    {LAYERS "moe_z_loss_coeff", NULL, 0},
    {LAYERS "moe_enable_deepep", "false", 0},
    {LAYERS "apply_rope_fusion", NULL, 0},
    {LAYERS "bias_activation_fusion", NULL, 0},
    {LAYERS "bias_dropout_fusion", NULL, 0},
    {LAYERS "gradient_accumulation_fusion", NULL, 0},
    {LAYERS "masked_softmax_fusion", NULL, 0},
    {LAYERS "persist_layer_norm", NULL, 0},
    {LAYERS "deallocate_pipeline_outputs", NULL, 0},
    {MEGATRON "use_*", NULL, 0},
    {MEGATRON "vanilla_mbridge", NULL, 0},
    {MEGATRON "dist_checkpointing*", NULL, 0},
    {MEGATRON "override_ddp_config", NULL, 0},
    {MEGATRON "seed", NULL, 0},
    {MEGATRON "dtype", "bfloat16", 0},
    {MEGATRON "forward_only", "false", 0},
    {MEGATRON "_target_", NULL, 0},
    {ACTOR "optim.override_optimizer_config.optimizer_cpu_offload", "false", 0},
    {ACTOR "optim.override_optimizer_config.optimizer_offload_fraction", "0", 0},
    {MEGATRON "lora.exclude_modules", "", 0},
    {"actor_rollout_ref.model.lora.exclude_modules", "", 0},
    {MEGATRON "lora", NULL, 0},
    {ACTOR "megatron", "", 0},
};

// Keys without effect whatever their value.
static const char of_any_value[] = ACTOR
    "fsdp_config " ACTOR "optim " ACTOR "freeze_vision_tower "
    // losses, seeds, checkpoints, profiles
    ACTOR "* actor_rollout_ref.rollout actor_rollout_ref.ref actor_rollout_ref.model "
    "actor_rollout_ref.hybrid_engine actor_rollout_ref.nccl_timeout algorithm critic reward* "
    "custom_reward_function data trainer ray* rollout global_profiler transfer_queue optim "
    "model use_remove_padding config_name config_path config_dir hydra* defaults $* node_rank "
    "master_* rdzv* standalone runtime_env* address working_dir ";

static const struct trainer_dialect dialect = {
    .paths = paths,
    .n = sizeof paths / sizeof *paths,
    .others = other_paths,
    .harmless = harmless,
    .n_harmless = sizeof harmless / sizeof *harmless,
    .of_any_value = of_any_value,
};

static bool needs(const char *path)
{
    return trainer_needs(&dialect, path);
}

// ---- batch --------------------------------------------------------------------------------------

static int64_t whole(struct trainer *t, const char *path, int64_t otherwise)
{
    int64_t number;
    return trainer_whole(t, path, &number) && number > 0 ? number : otherwise;
}

// Checks the numbers that whole() reads.
static bool check_numbers(struct trainer *t)
{
    static const char *const read[] = {"data.train_batch_size",
                                       ACTOR "ppo_mini_batch_size",
                                       "actor_rollout_ref.rollout.n",
                                       "data.max_prompt_length",
                                       "data.max_response_length",
                                       ACTOR "ppo_max_token_len_per_gpu",
                                       ACTOR "ppo_micro_batch_size",
                                       "model.lora_rank",
                                       "actor_rollout_ref.model.lora_rank"};
    int64_t number;
    for (size_t k = 0; k < sizeof read / sizeof *read; k++)
        if (!trainer_whole(t, read[k], &number))
            return false;
    return true;
}

// A mini-batch is a number of prompts, each with n answers.
static void take_batch(struct trainer *t, bool tuning)
{
    const char *mini = tuning ? "data.train_batch_size" : ACTOR "ppo_mini_batch_size";
    const int64_t answers = tuning ? 1 : whole(t, "actor_rollout_ref.rollout.n", 1);
    trainer_set(t, TRAINER_GBS, whole(t, mini, 256) * answers, trainer_at(t, mini));
    if (trainer_number(t, TRAINER_SEQ, 0) == 0)
        trainer_set(t, TRAINER_SEQ,
                    tuning ? 1024
                           : whole(t, "data.max_prompt_length", 512) +
                                 whole(t, "data.max_response_length", 512),
                    trainer_at(t, "data.max_response_length"));
}

// With dynamic batches, as many sequences as the tokens of a device allow.
static bool take_micro_batch(struct trainer *t)
{
    const int64_t seq = trainer_number(t, TRAINER_SEQ, 1),
                  cp = trainer_number(t, TRAINER_CP, 1);
    const int64_t tokens = whole(t, ACTOR "ppo_max_token_len_per_gpu", 16384) * cp;
    const int64_t all = whole(t, ACTOR "ppo_micro_batch_size", 0);
    const int64_t ranks =
        trainer_number(t, TRAINER_PER_NODE, 8) * trainer_number(t, TRAINER_NODES, 1) / cp;
    if (trainer_is(t, ACTOR "use_dynamic_bsz", false)) {
        trainer_set(t, TRAINER_MBS, tokens / seq > 0 ? tokens / seq : 1,
                    trainer_at(t, ACTOR "ppo_max_token_len_per_gpu"));
        return framework_not_modelled(t->r, ACTOR "use_dynamic_bsz: counted as full sequences",
                                      trainer_at(t, ACTOR "use_dynamic_bsz"));
    }
    if (trainer_number(t, TRAINER_MBS, 0) == 0 && all > 0 && ranks > 0)
        trainer_set(t, TRAINER_MBS, all / ranks > 0 ? all / ranks : 1,
                    trainer_at(t, ACTOR "ppo_micro_batch_size"));
    return true;
}

// Micro-batches of variable size have no remainder: the last one is smaller.
static void round_batch(struct trainer *t)
{
    const int64_t devices =
        trainer_number(t, TRAINER_PER_NODE, 8) * trainer_number(t, TRAINER_NODES, 1);
    const int64_t ranks =
        devices / (trainer_number(t, TRAINER_TP, 1) * trainer_number(t, TRAINER_PP, 1) *
                   trainer_number(t, TRAINER_CP, 1));
    const int64_t replica = ranks > 0 ? trainer_number(t, TRAINER_GBS, 1) / ranks : 0;
    int64_t mbs = trainer_number(t, TRAINER_MBS, 1);
    if (!trainer_is(t, ACTOR "use_dynamic_bsz", false) || replica == 0)
        return;
    mbs = mbs < replica ? mbs : replica;
    while (replica % mbs != 0)
        mbs--;
    t->numbers[TRAINER_MBS].value = mbs;
}

// ---- strategies ---------------------------------------------------------------------------------

static bool take_fsdp(struct trainer *t)
{
    static const char again[] = ACTOR "fsdp_config.reshard_after_forward";
    const char *type = trainer_text(t, ACTOR "fsdp_config.model_dtype");
    t->zero = trainer_is(t, again, true) ? 3 : 2;
    t->zero_at = trainer_at(t, again);
    t->half = true;
    if (type != NULL && (strcmp(type, "bf16") == 0 || strcmp(type, "bfloat16") == 0))
        t->half_gradients = true;
    return trainer_take_offloaded_shards(t, ACTOR "fsdp_config.offload_policy");
}

static bool take_megatron(struct trainer *t)
{
    const char *part = trainer_text(t, LAYERS "recompute_granularity");
    const char *method = trainer_text(t, LAYERS "recompute_method");
    t->half = true;
    t->sp = trainer_is(t, MEGATRON "sequence_parallel", true);
    t->zero = trainer_is(t, MEGATRON "use_distributed_optimizer", true);
    t->zero_at = trainer_at(t, MEGATRON "use_distributed_optimizer");
    if (trainer_number(t, TRAINER_ETP, 0) == 0)
        trainer_set(t, TRAINER_ETP, trainer_number(t, TRAINER_TP, 1), t->all_at);
    t->recompute = part == NULL ? "none" : strcmp(part, "full") == 0 ? "full" : "select";
    t->recompute_at = trainer_at(t, LAYERS "recompute_granularity");
    if (part != NULL && method != NULL && strcmp(method, "block") == 0)
        return framework_not_modelled(t->r,
                                      LAYERS "recompute_method=block: counted as every layer",
                                      trainer_at(t, LAYERS "recompute_method"));
    return true;
}

static bool take_strategy(struct trainer *t, bool megatron, bool tuning)
{
    const char *path = tuning ? "model.enable_gradient_checkpointing"
                              : "actor_rollout_ref.model.enable_gradient_checkpointing";
    t->recompute = trainer_is(t, path, true) ? "full" : "none";
    t->recompute_at = trainer_at(t, path);
    if (megatron)
        return take_megatron(t);
    return take_fsdp(t);
}

static bool fill(struct trainer *t, bool tuning, bool megatron)
{
    const char *model = tuning ? "model.partial_pretrain" : "actor_rollout_ref.model.path";
    const char *lora = tuning ? "model.lora_rank" : "actor_rollout_ref.model.lora_rank";
    const char *strategy = trainer_text(t, ACTOR "strategy");
    megatron = megatron || (strategy != NULL && strcmp(strategy, "megatron") == 0);
    if (!check_numbers(t))
        return false;
    if (whole(t, lora, 0) > 0 &&
        !trainer_take_adapters(
            t, tuning ? "model.target_modules" : "actor_rollout_ref.model.target_modules",
            trainer_single_matrices))
        return false;
    if (megatron && (!trainer_take_peft(t, "actor_rollout_ref.model.lora") ||
                     !trainer_take_peft(t, MEGATRON "lora")))
        return false;
    if (strategy != NULL && !megatron && strncmp(strategy, "fsdp", 4) != 0)
        return trainer_fail(t, ACTOR "strategy",
                            "%.40s is not known here; known are fsdp, fsdp2 and "
                            "megatron",
                            strategy);
    t->model = trainer_text(t, model);
    t->model_at = trainer_at(t, model);
    if (!trainer_take_numbers(t, &dialect))
        return false;
    if (trainer_number(t, TRAINER_PER_NODE, 0) == 0 && !tuning)
        trainer_set(t, TRAINER_PER_NODE, 8, t->all_at);
    t->r->file->only_wholly = !megatron;
    take_batch(t, tuning);
    if (!take_micro_batch(t) || !take_strategy(t, megatron, tuning))
        return false;
    round_batch(t);
    return (tuning ||
            framework_not_modelled(t->r,
                                   "answers and reference passes: only the update of the "
                                   "actor is counted",
                                   t->all_at)) &&
           trainer_sort_others(t, &dialect);
}

// ---- scripts and YAML ---------------------------------------------------------------------------

static bool is_own(const char *path)
{
    return strncmp(path, "actor_rollout_ref.", 18) == 0 ||
           strcmp(path, "model.partial_pretrain") == 0;
}

static bool is_script(const struct plaindoc *document)
{
    struct shell_script script;
    struct pps_fault fault;
    if (document->root != NULL || (strstr(document->text, "actor_rollout_ref.") == NULL &&
                                   strstr(document->text, "model.partial_pretrain") == NULL))
        return false;
    if (!shell_read(&script, document->text, document->n, &fault))
        return false;
    const bool is = settings_command(&script, is_own) != NULL;
    shell_free(&script);
    return is;
}

static bool fill_any(struct trainer *t)
{
    const char *name = trainer_text(t, "config_name");
    return fill(t, trainer_get(t, "model.partial_pretrain") != NULL,
                name != NULL && strstr(name, "megatron") != NULL);
}

static bool open_script(struct trainer_script *o, struct framework_reader *r,
                        const struct plaindoc *document)
{
    if (!shell_read(&o->script, document->text, document->n, r->fault))
        return false;
    o->command = settings_command(&o->script, is_own);
    if (!settings_read(&o->settings, &o->script, o->command, needs, r->fault)) {
        shell_free(&o->script);
        return false;
    }
    o->t = (struct trainer){.r = r, .doc = &o->settings, .all_at = (size_t)o->command->from};
    if (fill_any(&o->t))
        return true;
    trainer_script_close(o);
    return false;
}

static bool read_script(struct framework_reader *r, const struct plaindoc *document)
{
    return trainer_read_launch(r, document, open_script);
}

static bool is_yaml(const struct plaindoc *document)
{
    return cJSON_IsObject(pps_json_member(document->root, "actor_rollout_ref")) ||
           settings_get(document, "model.partial_pretrain") != NULL;
}

static bool read_yaml(struct framework_reader *r, const struct plaindoc *document)
{
    struct trainer t = {.r = r, .doc = document};
    return fill_any(&t) && trainer_put(&t);
}

// ---- changed copies -----------------------------------------------------------------------------

static bool is_megatron(const struct trainer_writer *w)
{
    return w->old->numbers[TRAINER_ETP].value > 0;
}

static bool can_add(const struct trainer_writer *w, const char *path)
{
    return strcmp(path, ACTOR "ppo_micro_batch_size_per_gpu") == 0 ||
           strcmp(path, "trainer.nnodes") == 0 ||
           strcmp(path, "trainer.n_gpus_per_node") == 0 ||
           (is_megatron(w) ? strncmp(path, MEGATRON, strlen(MEGATRON)) == 0
                           : strcmp(path, ACTOR "ulysses_sequence_parallel_size") == 0 ||
                                 strcmp(path, ACTOR "fsdp_config.fsdp_size") == 0);
}

static bool set_sp(struct trainer_writer *w, bool on)
{
    return trainer_set_item(w, MEGATRON "sequence_parallel", cJSON_CreateBool(on));
}

static bool set_batch(struct trainer_writer *w, int64_t all)
{
    const bool tuning = trainer_get(w->old, "model.partial_pretrain") != NULL;
    const int64_t answers = tuning ? 1 : whole(w->old, "actor_rollout_ref.rollout.n", 1);
    const char *path = tuning ? "data.train_batch_size" : ACTOR "ppo_mini_batch_size";
    if (all % answers != 0)
        return trainer_fail(w->old, path,
                            "%lld sequences are not whole prompts of %lld answers",
                            (long long)all, (long long)answers);
    return trainer_set_item(w, path, cJSON_CreateNumber((double)(all / answers)));
}

static bool set_recompute(struct trainer_writer *w, const char *word)
{
    if (is_megatron(w))
        return trainer_set_layers(w, LAYERS, word);
    return strcmp(word, "select") == 0
               ? trainer_fail(w->old, "actor_rollout_ref.model.enable_gradient_checkpointing",
                              "FSDP recomputes all of a layer or nothing")
               : trainer_set_item(w, "actor_rollout_ref.model.enable_gradient_checkpointing",
                                  cJSON_CreateBool(strcmp(word, "full") == 0));
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
    struct framework_file file = {.framework = FRAMEWORK_VERL};
    struct framework_reader r = {.file = &file, .fault = w->fault};
    struct trainer t = {.r = &r, .doc = document};
    struct trainer_writer writer = writer_of(w, &t);
    struct yaml_edit yaml;
    yaml_edit_begin(&yaml, document, &w->edit);
    trainer_writer_of_yaml(&writer, &yaml);
    const bool ok = framework_start(&r, document) && fill_any(&t) && trainer_write_all(&writer);
    const bool ended = yaml_edit_end(&yaml, w->fault);
    framework_file_free(&file);
    return ok && ended;
}

static bool write_script(struct framework_writer *w, const struct plaindoc *document)
{
    return trainer_write_launch(w, document, FRAMEWORK_VERL, open_script, writer_of(w, NULL));
}

const struct framework_form verl_script_form = {
    .framework = FRAMEWORK_VERL,
    .form = PLAINDOC_FLAT,
    .is = is_script,
    .read = read_script,
    .write = write_script,
};

const struct framework_form verl_yaml_form = {
    .framework = FRAMEWORK_VERL,
    .form = PLAINDOC_YAML,
    .is = is_yaml,
    .read = read_yaml,
    .write = write_yaml,
};
