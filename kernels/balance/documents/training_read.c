// SPDX-License-Identifier: Apache-2.0
// Reads training configurations.
#include "kernels/balance/documents/training_read.h"

#include "base/document/fault.h"

#include <cjson/cJSON.h>
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
    {{"model", "model_config", "intermediate_size"}, -1, OFFSET(intermediate)},
    {{"runner_config", "batch_size", NULL}, 0, OFFSET(batch)},
    {{"parallel_config", "model_parallel", NULL}, 1, OFFSET(tensor_parallel)},
};

// `name` is the part of the key that `around` lacks, or whose value is null.
static bool fail_missing(const cJSON *around, const struct key *key, const char *name,
                         struct pps_fault *fault)
{
    char whole[64], example[96];
    const char *const *p = key->path;
    if (p[2] != NULL) {
        snprintf(whole, sizeof whole, "%s.%s.%s", p[0], p[1], p[2]);
        snprintf(example, sizeof example, "%s: {%s: {%s: N}}", p[0], p[1], p[2]);
    } else {
        snprintf(whole, sizeof whole, "%s.%s", p[0], p[1]);
        snprintf(example, sizeof example, "%s: {%s: N}", p[0], p[1]);
    }
    return pps_fault_set(fault, around, false, "%s: missing; write %s, as in %s", name, whole,
                         example);
}

static bool read_key(const cJSON *root, const struct key *key,
                     struct balance_training *training, struct pps_fault *fault)
{
    const cJSON *item = root, *around = root;
    const char *name = key->path[0];
    for (int i = 0; i < 3 && key->path[i] != NULL && item != NULL; i++) {
        around = item;
        name = key->path[i];
        item = cJSON_GetObjectItemCaseSensitive(item, name);
    }
    int64_t *value = (int64_t *)(void *)((char *)training + key->offset);
    *value = key->fallback;
    if ((item == NULL || cJSON_IsNull(item)) && key->fallback != 0)
        return true;
    if (item == NULL || cJSON_IsNull(item))
        return fail_missing(around, key, name, fault);
    if (!cJSON_IsNumber(item) || item->valuedouble != floor(item->valuedouble) ||
        item->valuedouble < 1 || item->valuedouble > 1e9)
        return pps_fault_set(fault, item, false, "%s: expected a whole number from 1 on", name);
    *value = (int64_t)item->valuedouble;
    return true;
}

bool balance_training_read(const struct cJSON *root, struct balance_training *training,
                           bool *is_usual, struct pps_fault *fault)
{
    *fault = (struct pps_fault){.document = 0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!read_key(root, &keys[i], training, fault))
            return false;
    if (training->hidden < training->heads)
        return pps_fault_set(fault, root, false, "hidden_size: expected at least num_heads");
    *is_usual = training->intermediate < 0 && training->tensor_parallel == 1;
    if (training->intermediate < 0)
        training->intermediate = BALANCE_INTERMEDIATE_USUAL;
    return true;
}
