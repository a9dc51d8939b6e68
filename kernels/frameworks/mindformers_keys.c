// SPDX-License-Identifier: Apache-2.0
// Finds the keys of MindFormers configurations under all their names.
#include "base/text/characters.h"
#include "base/text/grow_list.h"
#include "kernels/frameworks/mindformers_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NEW "distribute_parallel_config."

static const char *const paths[N_MINDFORMERS_KEYS][MINDFORMERS_PATHS] = {
    [MF_DP] = {"parallel_config.data_parallel", "parallel_config.data_parallel_size",
               NEW "data_parallel_size"},
    [MF_TP] = {"parallel_config.model_parallel", "parallel_config.tensor_model_parallel_size",
               "parallel_config.tensor_parallel", NEW "tensor_model_parallel_size"},
    [MF_PP] = {"parallel_config.pipeline_stage", "parallel_config.pipeline_model_parallel_size",
               NEW "pipeline_model_parallel_size"},
    [MF_CP] = {"parallel_config.context_parallel", "parallel_config.context_parallel_size",
               NEW "context_parallel_size"},
    [MF_EP] = {"parallel_config.expert_parallel", "parallel_config.expert_model_parallel_size",
               NEW "expert_model_parallel_size"},
    [MF_SP] = {"parallel_config.use_seq_parallel", "parallel_config.sequence_parallel",
               "parallel_config.use_sequence_parallel", NEW "sequence_parallel"},
    [MF_MICRO_BATCHES] = {"parallel_config.micro_batch_num"},
    [MF_INTERLEAVED_COPIES] = {"micro_batch_interleave_num", NEW "micro_batch_interleave_num"},
    [MF_BATCH] = {"runner_config.batch_size", "training_args.micro_batch_size"},
    [MF_ACCUMULATION] = {"runner_config.gradient_accumulation_steps"},
    [MF_GLOBAL_BATCH] = {"training_args.global_batch_size"},
    [MF_VP] = {"model.model_config.pp_interleave_num",
               "model.model_config.virtual_pipeline_model_parallel_size",
               "parallel_config.virtual_pipeline_model_parallel_size",
               "parallel_config.pp_interleave_num",
               NEW "pipeline_parallel_config.virtual_pipeline_model_parallel_size"},
    [MF_INTERLEAVE] = {"parallel.pipeline_config.pipeline_interleave",
                       NEW "pipeline_parallel_config.pipeline_interleave"},
    [MF_SCHEDULER] = {"parallel.pipeline_config.pipeline_scheduler",
                      NEW "pipeline_parallel_config.pipeline_scheduler"},
    [MF_SEQ_SPLIT] = {"parallel_config.seq_split_num", NEW "seq_split_num"},
    [MF_EXPERT_TP] = {"moe_config.expert_model_parallel",
                      "model.model_config.moe_config.expert_model_parallel",
                      "parallel_config.expert_tensor_parallel_size",
                      NEW "expert_tensor_parallel_size"},
    [MF_FLASH] = {"model.model_config.use_flash_attention", "model_config.use_flash_attention"},
    [MF_PET_TYPE] = {"model.model_config.pet_config.pet_type"},
    [MF_LORA_RANK] = {"model.model_config.pet_config.lora_rank"},
    [MF_LORA_MODULES] = {"model.model_config.pet_config.target_modules"},
    [MF_SWAP] = {"swap_config.swap"},
    [MF_OFFSET] = {"model.model_config.offset", "parallel_config.offset",
                   NEW "pipeline_parallel_config.pipeline_stage_offset"},
    [MF_OPTIMIZER_PARALLEL] = {"parallel.enable_parallel_optimizer",
                               NEW "optimizer_parallel_config.enable_parallel_optimizer"},
    [MF_OPTIMIZER_SHARDS] = {"parallel.parallel_optimizer_config.optimizer_weight_shard_size",
                             NEW "optimizer_parallel_config.optimizer_weight_shard_size"},
    [MF_GRADIENT_SHARD] = {"parallel.parallel_optimizer_config.gradient_accumulation_shard",
                           NEW "optimizer_parallel_config.gradient_accumulation_shard"},
    [MF_RECOMPUTE] = {"recompute_config.recompute"},
    [MF_SELECT] = {"recompute_config.select_recompute"},
    [MF_OPTIMIZER_COMM] = {"recompute_config.parallel_optimizer_comm_recompute"},
    [MF_TENSOR_COMM] = {"recompute_config.mp_comm_recompute"},
    [MF_SLICE_ACTIVATION] = {"recompute_config.recompute_slice_activation"},
    [MF_MEMORY] = {"context.max_device_memory"},
    [MF_TARGET] = {"context.device_target"},
    [MF_NAME] = {"trainer.model_name", "model.model_config.model_type",
                 "model_config.model_type"},
    [MF_DATA_STRATEGY] = {"parallel.dataset_strategy"},
    [MF_PROFILE] = {"profile"},
    [MF_PROFILE_START] = {"profile_start_step"},
    [MF_PROFILE_STOP] = {"profile_stop_step"},
    [MF_PROFILE_INIT] = {"init_start_profile"},
    [MF_PROFILE_RANKS] = {"profile_rank_ids"},
    [MF_NUM_LAYERS] = {"model.model_config.num_layers", "model.model_config.num_hidden_layers",
                       "model.model_config.n_layer", "model_config.num_layers",
                       "model_config.num_hidden_layers"},
    [MF_MTP] = {"model.model_config.mtp_depth", "model.model_config.num_nextn_predict_layers",
                "model.model_config.mtp_num_layers", "model_config.mtp_num_layers",
                "model_config.num_nextn_predict_layers"},
    [MF_SEQ_LENGTH] = {"model.model_config.seq_length", "model_config.seq_length"},
    [MF_DATA_SEQ_LENGTH] = {"train_dataset.data_loader.config.seq_length"},
};

const char *const *mindformers_paths(enum mindformers_key key)
{
    return paths[key];
}

bool mindformers_is_new_form(const struct plaindoc *doc)
{
    return cJSON_IsObject(yaml_get(doc, "distribute_parallel_config"));
}

// ---- faults -------------------------------------------------------------------------------------

size_t mindformers_at(const struct mindformers_reader *m, const cJSON *item)
{
    return item != NULL ? framework_value_at(m->doc, item) : 0;
}

int mindformers_line(const struct mindformers_reader *m, const cJSON *item)
{
    int line, column;
    pps_find_place(m->doc->text, mindformers_at(m, item), &line, &column);
    return line;
}

bool mindformers_fail(struct mindformers_reader *m, const cJSON *item, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return framework_fail(m->r, mindformers_at(m, item), "%s", text);
}

bool mindformers_keep_reason(struct mindformers_reader *m)
{
    return framework_keep_reason(&m->r->file->cannot_run, m->r->fault);
}

bool mindformers_not_modelled(struct mindformers_reader *m, const char *key, const cJSON *item)
{
    char name[160];
    char *json = cJSON_IsString(item) ? NULL : pps_json_print_line(item);
    if (json == NULL && !cJSON_IsString(item))
        return framework_no_memory(m->r);
    snprintf(name, sizeof name, "%s=%s", key, json != NULL ? json : item->valuestring);
    cJSON_free(json);
    return framework_not_modelled(m->r, name, framework_key_at(m->doc, item));
}

// ---- values -------------------------------------------------------------------------------------

bool mindformers_use(struct mindformers_reader *m, const cJSON *item)
{
    const cJSON **used = pps_grow(m->used, &m->used_room, m->n_used + 1, sizeof *used);
    if (used == NULL)
        return framework_no_memory(m->r);
    m->used = used;
    used[m->n_used++] = item;
    return true;
}

bool mindformers_find(struct mindformers_reader *m, enum mindformers_key key,
                      const cJSON **item)
{
    *item = NULL;
    for (int i = 0; i < MINDFORMERS_PATHS && paths[key][i] != NULL; i++) {
        const cJSON *other = yaml_get(m->doc, paths[key][i]);
        if (cJSON_IsNull(other) && key <= MF_EP)
            return mindformers_fail(m, other, "%s: the value is missing; write a whole number",
                                    other->string);
        if (other == NULL || cJSON_IsNull(other))
            continue;
        if (!mindformers_use(m, other))
            return false;
        if (*item == NULL)
            *item = other;
        else if (key != MF_NAME && !cJSON_Compare(*item, other, true))
            return mindformers_fail(m, other,
                                    "%s contradicts %s in line %d, which means the same",
                                    other->string, (*item)->string, mindformers_line(m, *item));
    }
    return true;
}

// Prints what the file has in place of the expected value.
static const char *found_text(const cJSON *item, char *buffer, size_t n)
{
    if (cJSON_IsString(item))
        snprintf(buffer, n, "; found \"%.60s\"", item->valuestring);
    else if (cJSON_IsNumber(item))
        snprintf(buffer, n, "; found %.10g", item->valuedouble);
    else
        buffer[0] = '\0';
    return buffer;
}

bool mindformers_whole(struct mindformers_reader *m, enum mindformers_key key, int64_t least,
                       int64_t *value)
{
    const cJSON *item;
    char found[80];
    if (!mindformers_find(m, key, &item))
        return false;
    if (item == NULL)
        return true;
    const double x = cJSON_IsNumber(item) ? item->valuedouble : 0.5; // not whole
    if (!(x >= (double)least && x <= 1 << 24 && x == floor(x)))
        return mindformers_fail(m, item, "%s: expected a whole number from %lld%s",
                                item->string, (long long)least,
                                found_text(item, found, sizeof found));
    *value = (int64_t)x;
    return true;
}

bool mindformers_flag(struct mindformers_reader *m, enum mindformers_key key, bool *value)
{
    const cJSON *item;
    char found[80];
    if (!mindformers_find(m, key, &item))
        return false;
    if (item == NULL)
        return true;
    if (!cJSON_IsBool(item))
        return mindformers_fail(m, item, "%s: expected True or False%s", item->string,
                                found_text(item, found, sizeof found));
    *value = cJSON_IsTrue(item);
    return true;
}
