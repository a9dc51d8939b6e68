// SPDX-License-Identifier: Apache-2.0
// Reads training configurations.
#include "planner/balance/training/training_file.h"

#include "base/document/json.h"
#include "planner/shared/document_read.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

struct key {
    const char *path[3]; // NULL: ended
    int64_t fallback;    // 0: required
    size_t offset;
};

#define OFFSET(member) offsetof(struct balance_training, member)

static const struct key keys[] = {
    {{"model", "model_config", "num_heads"}, 0, OFFSET(heads)},
    {{"model", "model_config", "hidden_size"}, 0, OFFSET(hidden)},
    {{"model", "model_config", "seq_length"}, 0, OFFSET(sequence)},
    {{"model", "model_config", "vocab_size"}, 0, OFFSET(vocabulary)},
    {{"model", "model_config", "intermediate_size"},
     BALANCE_INTERMEDIATE_USUAL,
     OFFSET(intermediate)},
    {{"runner_config", "batch_size", NULL}, 0, OFFSET(batch)},
    {{"parallel_config", "model_parallel", NULL}, 1, OFFSET(tensor_parallel)},
};

static enum pps_status read_key(const struct pps_json *json,
                                const struct key *key,
                                struct balance_training *training,
                                struct pps_error *err)
{
    const cJSON *item = json->root, *around = json->root;
    const char *name = key->path[0];
    for (int i = 0; i < 3 && key->path[i] != NULL && item != NULL; i++) {
        around = item;
        name = key->path[i];
        item = cJSON_GetObjectItemCaseSensitive(item, name);
    }
    int64_t *value = (int64_t *)(void *)((char *)training + key->offset);
    *value = key->fallback;
    if ((item == NULL || cJSON_IsNull(item)) && key->fallback > 0)
        return PPS_OK;
    if (!cJSON_IsNumber(item) || item->valuedouble != floor(item->valuedouble) ||
        item->valuedouble < 1 || item->valuedouble > 1e9)
        return pps_json_fail(json, item != NULL ? item : around, err,
                             "%s: expected a whole number from 1 on", name);
    *value = (int64_t)item->valuedouble;
    return PPS_OK;
}

enum pps_status training_file_read(const char *path,
                                   struct balance_training *training,
                                   struct pps_error *err)
{
    struct pps_json json;
    enum pps_status status = plan_yaml_read(&json, path, err);
    if (status != PPS_OK)
        return status;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && status == PPS_OK; i++)
        status = read_key(&json, &keys[i], training, err);
    if (status == PPS_OK && training->hidden < training->heads)
        status =
            pps_json_fail(&json, json.root, err, "hidden_size: expected at least num_heads");
    const cJSON *model = cJSON_GetObjectItemCaseSensitive(json.root, "model");
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(model, "model_config");
    if (status == PPS_OK && training->tensor_parallel == 1 &&
        cJSON_GetObjectItemCaseSensitive(config, "intermediate_size") == NULL)
        fprintf(stderr, "note      %s has no intermediate_size: %d is used\n", path,
                BALANCE_INTERMEDIATE_USUAL);
    pps_json_free(&json);
    return status;
}
