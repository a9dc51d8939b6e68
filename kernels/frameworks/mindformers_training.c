// SPDX-License-Identifier: Apache-2.0
// Reads what the training part of a run document has from a MindFormers configuration, besides batches and
// sharding.
#include "kernels/frameworks/mindformers_private.h"

#include <string.h>

static bool put_flash(struct mindformers_reader *m)
{
    bool flash = true;
    const cJSON *item;
    return mindformers_flag(m, MF_FLASH, &flash) && mindformers_find(m, MF_FLASH, &item) &&
           (item == NULL || framework_put_bool(m->r, FRAMEWORK_TRAINING, "flash_attention",
                                               flash, mindformers_at(m, item)));
}

// Masks are kept if any dropout is above 0.
static bool put_dropout(struct mindformers_reader *m)
{
    static const char *const keys[] = {"hidden_dropout",         "hidden_dropout_prob",
                                       "hidden_dropout_rate",    "attention_dropout",
                                       "attention_dropout_prob", "attention_dropout_rate"};
    const cJSON *found = NULL;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const cJSON *item = mindformers_member(m, keys[k]);
        if (!cJSON_IsNumber(item))
            continue;
        if (!mindformers_use(m, item))
            return false;
        if (item->valuedouble > 0)
            found = item;
    }
    return found == NULL || framework_put_bool(m->r, FRAMEWORK_TRAINING, "dropout", true,
                                               mindformers_at(m, found));
}

// Experts are split over all tensor ranks or over none.
static bool put_expert_split(struct mindformers_reader *m)
{
    int64_t ranks = 1;
    const cJSON *item;
    if (!mindformers_whole(m, MF_EXPERT_TP, 1, &ranks) ||
        !mindformers_find(m, MF_EXPERT_TP, &item))
        return false;
    if (ranks == 1 || framework_get(m->r, FRAMEWORK_MODEL, "num_experts") == NULL)
        return true;
    if (ranks != m->tp)
        return mindformers_not_modelled(m, mindformers_paths(MF_EXPERT_TP)[0], item);
    return framework_put_text(m->r, FRAMEWORK_TRAINING, "expert_tensor_parallel", "tp",
                              mindformers_at(m, item));
}

// pet_config: adapters of the matrices that a pattern names, such as '.*wq|.*wv'.
static bool put_adapters(struct mindformers_reader *m)
{
    int64_t rank = 8;
    unsigned set = 0;
    const cJSON *type, *modules;
    if (!mindformers_find(m, MF_PET_TYPE, &type) ||
        !mindformers_find(m, MF_LORA_MODULES, &modules) ||
        !mindformers_whole(m, MF_LORA_RANK, 1, &rank))
        return false;
    if (type == NULL)
        return true;
    if (!cJSON_IsString(type) || strcmp(type->valuestring, "lora") != 0 ||
        !cJSON_IsString(modules))
        return mindformers_fail(m, type,
                                "pet_type: only lora with target_modules is known here");
    return framework_take_adapters(m->r, modules->valuestring, strlen(modules->valuestring),
                                   mindformers_at(m, modules), &set) &&
           framework_put_adapters(m->r, rank, set, mindformers_at(m, modules));
}

bool mindformers_read_training(struct mindformers_reader *m)
{
    return put_flash(m) && put_dropout(m) && put_expert_split(m) && put_adapters(m);
}
