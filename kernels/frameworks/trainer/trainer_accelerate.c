// SPDX-License-Identifier: Apache-2.0
// Reads configurations of Accelerate (YAML): FSDP, DeepSpeed and parallel degrees. Names and defaults follow
// accelerate/utils/dataclasses.py and commands/launch.py of v1.12.
#include "base/edit/yaml_edit.h"
#include "kernels/frameworks/shell/shell_settings.h"
#include "kernels/frameworks/trainer/trainer_write.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct trainer_path paths[] = {
    {"num_processes", TRAINER_DEVICES},
    {"num_machines", TRAINER_OTHER}, // num_processes counts all machines
    {"gradient_accumulation_steps", TRAINER_ACCUMULATION},
    {"deepspeed_config.gradient_accumulation_steps", TRAINER_ACCUMULATION},
    {"parallelism_config.parallelism_config_tp_size", TRAINER_TP},
    {"parallelism_config.parallelism_config_cp_size", TRAINER_CP},
    {"parallelism_config.parallelism_config_sp_size", TRAINER_CP},
    {"parallelism_config.parallelism_config_dp_replicate_size", TRAINER_REPLICATE},
    {"parallelism_config.parallelism_config_dp_shard_size", TRAINER_SHARDS},
    {"megatron_lm_config.megatron_lm_tp_degree", TRAINER_TP},
    {"megatron_lm_config.megatron_lm_pp_degree", TRAINER_PP},
    {"megatron_lm_config.megatron_lm_num_micro_batches", TRAINER_ACCUMULATION},
    {"megatron_lm_config.megatron_lm_sequence_parallelism", TRAINER_OTHER},
    {"megatron_lm_config.megatron_lm_recompute_activations", TRAINER_OTHER},
    {"megatron_lm_config.megatron_lm_use_distributed_optimizer", TRAINER_OTHER},
    {"distributed_type", TRAINER_OTHER},
    {"mixed_precision", TRAINER_OTHER},
    {"deepspeed_config.zero_stage", TRAINER_OTHER},
    {"deepspeed_config.deepspeed_config_file", TRAINER_OTHER},
    {"fsdp_config.fsdp_version", TRAINER_OTHER},
    {"fsdp_config.fsdp_sharding_strategy", TRAINER_OTHER},
    {"fsdp_config.fsdp_reshard_after_forward", TRAINER_OTHER},
    {"fsdp_config.fsdp_activation_checkpointing", TRAINER_OTHER},
    {"fsdp_config.fsdp_activation_checkpointing_offload", TRAINER_OTHER},
    {"fsdp_config.fsdp_offload_params", TRAINER_OTHER},
    {"fsdp_config.fsdp_cpu_offload", TRAINER_OTHER},
    {"deepspeed_config.offload_optimizer_device", TRAINER_OTHER},
    {"deepspeed_config.offload_param_device", TRAINER_OTHER},
};

static const struct framework_harmless harmless[] = {
    {"fsdp_config.fsdp_forward_prefetch", NULL, 0},
    {"fsdp_config.fsdp_backward_prefetch*", "BACKWARD_PRE|BACKWARD_POST|1|2", 0},
    {"fsdp_config deepspeed_config megatron_lm_config.megatron_lm_gradient_clipping "
     "parallelism_config compute_environment debug",
     NULL, 0},
    {"downcast_bf16", "no", 0},
    {"machine_rank main_* rdzv_backend same_network tpu_*", NULL, 0},
    {"use_cpu", "false", 0},
    {"gpu_ids enable_cpu_affinity deepspeed_hostfile deepspeed_multinode_launcher "
     "deepspeed_exclusion_filter deepspeed_inclusion_filter commands command_file "
     "fp8_config",
     NULL, 0},
    {"dynamo_config.dynamo_backend", "NO|INDUCTOR|no|inductor", 0},
    {"dynamo_config", NULL, 0},
};

static const struct trainer_dialect dialect = {paths, sizeof paths / sizeof *paths, harmless,
                                               sizeof harmless / sizeof *harmless};

// Which data-parallel ranks share what, by the words of FSDP.
static bool take_fsdp(struct trainer *t)
{
    static const struct {
        const char *word, *number;
        int zero;
        bool hybrid;
    } words[] = {
        {"FULL_SHARD", "1", 3, false},        {"SHARD_GRAD_OP", "2", 2, false},
        {"NO_SHARD", "3", 0, false},          {"HYBRID_SHARD", "4", 3, true},
        {"HYBRID_SHARD_ZERO2", "5", 2, true},
    };
    static const char path[] = "fsdp_config.fsdp_sharding_strategy";
    static const char again[] = "fsdp_config.fsdp_reshard_after_forward";
    const cJSON *item = trainer_get(t, path);
    const char *again_text = trainer_text(t, again);
    char text[32] = "FULL_SHARD";
    if (cJSON_IsNumber(item))
        snprintf(text, sizeof text, "%.0f", item->valuedouble);
    else if (cJSON_IsString(item))
        snprintf(text, sizeof text, "%s", item->valuestring);
    else if (again_text != NULL && strcasecmp(again_text, "true") != 0 &&
             strcasecmp(again_text, "false") != 0)
        snprintf(text, sizeof text, "%s", again_text);
    else if (!trainer_is(t, again, true))
        snprintf(text, sizeof text, "SHARD_GRAD_OP");
    t->zero_at = trainer_at(t, item != NULL ? path : again);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcasecmp(words[k].word, text) == 0 || strcmp(words[k].number, text) == 0) {
            const cJSON *nodes = trainer_get(t, "num_machines");
            t->zero = words[k].zero;
            if (words[k].hybrid && cJSON_IsNumber(nodes) && nodes->valuedouble >= 1 &&
                nodes->valuedouble <= 1 << 20)
                trainer_set(t, TRAINER_REPLICATE, (int64_t)nodes->valuedouble, t->zero_at);
            return trainer_take_offloaded_shards(t, "fsdp_config.fsdp_offload_params") &&
                   trainer_take_offloaded_shards(t, "fsdp_config.fsdp_cpu_offload");
        }
    return trainer_fail(t, path,
                        "expected FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD or "
                        "HYBRID_SHARD_ZERO2");
}

static bool take_deepspeed(struct trainer *t)
{
    static const char path[] = "deepspeed_config.deepspeed_config_file";
    const char *name = trainer_text(t, path);
    const cJSON *stage = trainer_get(t, "deepspeed_config.zero_stage");
    struct plaindoc json;
    if (name != NULL) {
        if (!trainer_open_beside(t, path, name, &json))
            return false;
        const bool ok = trainer_take_deepspeed(t, &json, trainer_at(t, path));
        plaindoc_free(&json);
        return ok;
    }
    t->zero = cJSON_IsNumber(stage) && stage->valuedouble >= 0 && stage->valuedouble <= 3
                  ? (int)stage->valuedouble
                  : 2;
    t->zero_at = trainer_at(t, "deepspeed_config.zero_stage");
    t->half_gradients = t->half && t->zero > 0;
    return trainer_take_offload(t, "deepspeed_config.offload_optimizer_device",
                                "deepspeed_config.offload_param_device", 1);
}

static bool take_megatron(struct trainer *t)
{
    t->sp = trainer_is(t, "megatron_lm_config.megatron_lm_sequence_parallelism", true);
    t->zero = trainer_is(t, "megatron_lm_config.megatron_lm_use_distributed_optimizer", false);
    if (trainer_is(t, "megatron_lm_config.megatron_lm_recompute_activations", true)) {
        t->recompute = "select";
        t->recompute_at = trainer_at(t, "megatron_lm_config.megatron_lm_recompute_activations");
    }
    return true;
}

static bool take_kind(struct trainer *t)
{
    const char *kind = trainer_text(t, "distributed_type");
    if (kind == NULL || strcasecmp(kind, "NO") == 0 || strncasecmp(kind, "MULTI_", 6) == 0)
        return true;
    if (strcasecmp(kind, "FSDP") == 0)
        return take_fsdp(t);
    if (strcasecmp(kind, "DEEPSPEED") == 0)
        return take_deepspeed(t);
    if (strcasecmp(kind, "MEGATRON_LM") == 0)
        return take_megatron(t);
    return trainer_fail(t, "distributed_type",
                        "%.40s is not known here; known are FSDP, DEEPSPEED, MULTI_GPU and "
                        "MEGATRON_LM",
                        kind);
}

bool trainer_take_accelerate(struct trainer *t)
{
    const char *types = trainer_text(t, "mixed_precision");
    if (types != NULL) {
        t->half = strcasecmp(types, "no") != 0;
        t->precision = strcasecmp(types, "fp8") == 0 ? "fp8" : NULL;
    }
    if (!trainer_take_numbers(t, &dialect) || !take_kind(t))
        return false;
    if (trainer_is(t, "fsdp_config.fsdp_activation_checkpointing", false)) {
        t->recompute = "full";
        t->recompute_at = trainer_at(t, "fsdp_config.fsdp_activation_checkpointing");
    }
    if (trainer_is(t, "fsdp_config.fsdp_activation_checkpointing_offload", false)) {
        t->offload_checkpoints = true;
        t->offload_at = trainer_at(t, "fsdp_config.fsdp_activation_checkpointing_offload");
    }
    return trainer_sort_others(t, &dialect);
}

// ---- a file alone -------------------------------------------------------------------------------

static bool is_accelerate(const struct plaindoc *document)
{
    const cJSON *root = document->root;
    return pps_json_member(root, "distributed_type") != NULL &&
           (pps_json_member(root, "num_processes") != NULL ||
            pps_json_member(root, "compute_environment") != NULL ||
            pps_json_member(root, "fsdp_config") != NULL);
}

static bool read_accelerate(struct framework_reader *r, const struct plaindoc *document)
{
    struct trainer t = {.r = r, .doc = document, .recompute = "none"};
    return trainer_take_accelerate(&t) &&
           framework_not_modelled(
               r, "the batch of a device, which the training script sets: counted as 1",
               trainer_at(&t, "num_processes")) &&
           trainer_put(&t);
}

// ---- changed copies -----------------------------------------------------------------------------

static bool can_add(const struct trainer_writer *w, const char *path)
{
    (void)w;
    return strncmp(path, "parallelism_config.parallelism_config_", 38) == 0 &&
           strstr(path, "sp_size") == NULL;
}

static bool set_sp(struct trainer_writer *w, bool on)
{
    return on || trainer_get(w->old, "megatron_lm_config") == NULL ||
           trainer_fail(w->old, "megatron_lm_config", "sp=off is not written here");
}

static bool set_batch(struct trainer_writer *w, int64_t all)
{
    return trainer_fail(w->old, "num_processes",
                        "%lld sequences a step: the training script has "
                        "the batch",
                        (long long)all);
}

static bool set_recompute(struct trainer_writer *w, const char *word)
{
    cJSON *value = cJSON_CreateBool(strcmp(word, "full") == 0);
    const bool possible =
        trainer_get(w->old, "fsdp_config") != NULL && strcmp(word, "select") != 0;
    const bool ok = possible && value != NULL &&
                    w->set(w, "fsdp_config.fsdp_activation_checkpointing", value);
    cJSON_Delete(value);
    return ok || trainer_fail(w->old, "fsdp_config", "recomputation \"%s\" is not written here",
                              word);
}

static bool write_accelerate(struct framework_writer *w, const struct plaindoc *document)
{
    struct framework_file file = {.framework = FRAMEWORK_TRAINER};
    struct framework_reader r = {.file = &file, .fault = w->fault, .beside = w->beside};
    struct trainer t = {.r = &r, .doc = document, .recompute = "none"};
    struct framework_settings settings = *w->settings;
    struct yaml_edit yaml;
    // The training script has the batch.
    settings.gbs = settings.micro_batches = settings.seq_length = 0;
    settings.strategy.mbs = 1;
    struct trainer_writer writer = {.settings = &settings,
                                    .old = &t,
                                    .dialect = &dialect,
                                    .can_add = can_add,
                                    .set_sp = set_sp,
                                    .set_batch = set_batch,
                                    .set_recompute = set_recompute};
    yaml_edit_begin(&yaml, document, &w->edit);
    trainer_writer_of_yaml(&writer, &yaml);
    const bool ok = framework_start(&r, document) && trainer_take_accelerate(&t) &&
                    trainer_write_all(&writer);
    const bool ended = yaml_edit_end(&yaml, w->fault);
    framework_file_free(&file);
    return ok && ended;
}

const struct framework_form accelerate_form = {
    .framework = FRAMEWORK_TRAINER,
    .form = PLAINDOC_YAML,
    .is = is_accelerate,
    .read = read_accelerate,
    .write = write_accelerate,
};
