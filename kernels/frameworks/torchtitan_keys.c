// SPDX-License-Identifier: Apache-2.0
// The keys of torchtitan configurations that describe shape and strategy, in the layouts of all
// versions.
#include "kernels/frameworks/torchtitan_private.h"

#include "base/edit/toml_edit.h"
#include "base/text/characters.h"

#include <string.h>

enum { MAX_PATHS = 4 };

#define PARALLEL(name)                                                                         \
    {                                                                                          \
        "parallelism." name, "training." name, "experimental." name                            \
    }

// Paths of a key, that of today first.
static const char *const paths[N_TITAN_KEYS][MAX_PATHS] = {
    [TITAN_NAME] = {"model.name"},
    [TITAN_FLAVOR] = {"model.flavor"},
    [TITAN_REPLICATE] = PARALLEL("data_parallel_replicate_degree"),
    [TITAN_SHARD] = {"parallelism.data_parallel_shard_degree",
                     "training.data_parallel_shard_degree",
                     "experimental.data_parallel_shard_degree",
                     "training.data_parallel_degree"},
    [TITAN_RESHARD] = PARALLEL("fsdp_reshard_after_forward"),
    [TITAN_TP] = PARALLEL("tensor_parallel_degree"),
    [TITAN_PP] = {"parallelism.pipeline_parallel_degree",
                  "experimental.pipeline_parallel_degree", "training.pipeline_parallel_degree"},
    [TITAN_CP] = {"parallelism.context_parallel_degree", "experimental.context_parallel_degree",
                  "training.context_parallel_degree"},
    [TITAN_EP] = {"parallelism.expert_parallel_degree", "experimental.expert_parallel_degree"},
    [TITAN_ETP] = {"parallelism.expert_tensor_parallel_degree",
                   "experimental.expert_tensor_parallel_degree"},
    [TITAN_SCHEDULE] = {"parallelism.pipeline_parallel_schedule",
                        "experimental.pipeline_parallel_schedule"},
    [TITAN_SCHEDULE_CSV] = {"parallelism.pipeline_parallel_schedule_csv",
                            "experimental.pipeline_parallel_schedule_csv"},
    [TITAN_PARTS] = {"parallelism.module_fqns_per_model_part",
                     "experimental.module_fqns_per_model_part"},
    [TITAN_SPLIT_POINTS] = {"parallelism.pipeline_parallel_split_points",
                            "experimental.pipeline_parallel_split_points"},
    [TITAN_LAYERS_PER_STAGE] = {"parallelism.pipeline_parallel_layers_per_stage"},
    [TITAN_FIRST_LESS] = {"parallelism.pipeline_parallel_first_stage_less_layers"},
    [TITAN_LAST_LESS] = {"parallelism.pipeline_parallel_last_stage_less_layers"},
    [TITAN_MICROBATCH_SIZE] = {"parallelism.pipeline_parallel_microbatch_size",
                               "experimental.pipeline_parallel_microbatch_size"},
    [TITAN_MICROBATCHES] = {"parallelism.pipeline_parallel_microbatches",
                            "experimental.pipeline_parallel_microbatches"},
    [TITAN_LOCAL_BATCH] = {"training.local_batch_size", "training.batch_size"},
    [TITAN_GLOBAL_BATCH] = {"training.global_batch_size"},
    [TITAN_TOKENS] = {"training.num_tokens_per_microbatch_per_dp_rank"},
    [TITAN_STEP_TOKENS] = {"training.num_tokens_per_train_step"},
    [TITAN_N_MICROBATCHES] = {"parallelism.num_pp_microbatches"},
    [TITAN_SEQ_LEN] = {"training.seq_len", "training.max_context_length"},
    [TITAN_DTYPE] = {"training.dtype"},
    [TITAN_PARAM_DTYPE] = {"training.mixed_precision_param"},
    [TITAN_COMPILE] = {"compile.enable", "training.compile"},
    [TITAN_COMPONENTS] = {"compile.components"},
    [TITAN_CHECKPOINT_MODE] = {"activation_checkpoint.mode"},
    [TITAN_CHECKPOINT_OPTION] = {"activation_checkpoint.selective_ac_option"},
    [TITAN_EARLY_STOP] = {"activation_checkpoint.early_stop"},
    [TITAN_MEMORY_BUDGET] = {"activation_checkpoint.memory_budget"},
    [TITAN_SP] = {"parallelism.enable_sequence_parallel"},
    [TITAN_WHOLE_LOGITS] = PARALLEL("disable_loss_parallel"),
    [TITAN_EXPERT_OVERLAP] = {"parallelism.pipeline_parallel_expert_parallel_overlap"},
    [TITAN_LOSS_CHUNKS] = {"loss.num_chunks"},
    [TITAN_CPU_OFFLOAD] = {"training.enable_cpu_offload"},
    [TITAN_CONVERTERS] = {"model.converters"},
    [TITAN_LORA_RANK] = {"lora.rank"},
    [TITAN_PROFILE] = {"profiling.enable_profiling", "profiler.enable_profiling"},
    [TITAN_PROFILE_FREQ] = {"profiling.profile_freq", "profiler.profile_freq"},
    [TITAN_PROFILE_FOLDER] = {"profiling.save_traces_folder", "profiler.save_traces_folder"},
    [TITAN_PROFILE_ACTIVE] = {"profiling.profiler_active", "profiler.profiler_active"},
    [TITAN_PROFILE_WARMUP] = {"profiling.profiler_warmup", "profiler.profiler_warmup"},
};

const cJSON *titan_get(const struct plaindoc *doc, enum titan_key key, const char **path)
{
    for (int k = 0; k < MAX_PATHS && paths[key][k] != NULL; k++) {
        const cJSON *item = toml_get(doc, paths[key][k]);
        if (item == NULL)
            continue;
        if (path != NULL)
            *path = paths[key][k];
        return item;
    }
    return NULL;
}

bool titan_is_old(const struct plaindoc *doc)
{
    if (toml_get(doc, "parallelism") != NULL)
        return false;
    for (int key = TITAN_REPLICATE; key <= TITAN_MICROBATCHES; key++)
        if (titan_get(doc, (enum titan_key)key, NULL) != NULL)
            return true;
    return toml_get(doc, "training.batch_size") != NULL;
}

bool titan_counts_tokens(const struct plaindoc *doc)
{
    return titan_get(doc, TITAN_TOKENS, NULL) != NULL ||
           titan_get(doc, TITAN_STEP_TOKENS, NULL) != NULL ||
           titan_get(doc, TITAN_N_MICROBATCHES, NULL) != NULL ||
           toml_get(doc, "training.max_context_length") != NULL;
}

const char *titan_path(const struct plaindoc *doc, enum titan_key key)
{
    const char *path;
    if (titan_get(doc, key, &path) != NULL)
        return path;
    if ((key == TITAN_SEQ_LEN || key >= TITAN_PROFILE) && titan_counts_tokens(doc))
        return paths[key][1];
    const bool grouped = strncmp(paths[key][0], "parallelism.", strlen("parallelism.")) == 0;
    return grouped && paths[key][1] != NULL && titan_is_old(doc) ? paths[key][1]
                                                                 : paths[key][0];
}

bool titan_knows(const char *path)
{
    for (int key = 0; key < N_TITAN_KEYS; key++)
        for (int k = 0; k < MAX_PATHS && paths[key][k] != NULL; k++)
            if (strcmp(paths[key][k], path) == 0)
                return true;
    return false;
}

bool titan_is_model_switch(const char *key)
{
    static const char words[] = "flavor hf_assets_path tokenizer_path converters norm_type "
                                "print_after_conversion";
    return pps_has_word(words, key);
}

bool titan_is(const struct plaindoc *doc)
{
    if (cJSON_IsObject(toml_get(doc, "parallelism")) ||
        cJSON_IsObject(toml_get(doc, "activation_checkpoint")))
        return true;
    for (int key = 0; key < N_TITAN_KEYS; key++)
        if (key != TITAN_NAME && key != TITAN_CONVERTERS && key != TITAN_LORA_RANK &&
            key != TITAN_COMPILE && key != TITAN_COMPONENTS &&
            titan_get(doc, (enum titan_key)key, NULL) != NULL)
            return true;
    return false;
}
