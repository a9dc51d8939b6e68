// SPDX-License-Identifier: Apache-2.0
// Finds the keys of an init file that no reader knows.
#include "planner/balance/init/init_document.h"

#include "base/document/json.h"

#include <cjson/cJSON.h>
#include <string.h>

struct known {
    const char *section; // NULL: the document
    const char *keys[8];
};

static const struct known known[] = {
    {NULL,
     {"pipeline_config", "profiling_config", "time_config", "recompute_config",
      "memory_usage"}},
    {"pipeline_config", {"pipeline_num", "num_layer", "offset"}},
    {"profiling_config",
     {"micro_batch_num", "head_layers", "body_layers", "tail_layers", "folder_path"}},
    {"time_config",
     {"head", "body", "tail", "micro_batch_num", "head_layers", "body_layers", "tail_layers",
      "folder_path"}},
    {"recompute_config", {"recompute", "select_recompute", "select_comm_recompute"}},
    {"memory_usage", {"head_memory", "tail_memory", "body_memories"}},
    {"body_memories", {"stage_id", "memories"}},
};

static bool is_known(const struct known *of, const char *key)
{
    for (int i = 0; i < 8 && of->keys[i] != NULL; i++)
        if (strcmp(of->keys[i], key) == 0)
            return true;
    return false;
}

const cJSON *balance_init_unknown(const cJSON *root, const cJSON *after)
{
    bool passed = after == NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const cJSON *object = root, *item;
        if (known[i].section != NULL)
            object = pps_json_member(root, known[i].section);
        if (known[i].section != NULL && strcmp(known[i].section, "body_memories") == 0)
            object = pps_json_member(pps_json_member(root, "memory_usage"), "body_memories");
        cJSON_ArrayForEach (item, object) {
            if (passed && item->string != NULL && !is_known(&known[i], item->string))
                return item;
            passed = passed || item == after;
        }
    }
    return NULL;
}
