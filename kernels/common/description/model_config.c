// SPDX-License-Identifier: Apache-2.0
// Handles the peculiarities of a Hugging Face config.json: recognises one, finds the transformer in
// it, lists the ignored keys, and refuses keys of layers that differ.
#include "kernels/common/description/model_keys.h"

#include <cjson/cJSON.h>
#include <string.h>

bool modeldesc_is_config(const struct cJSON *object)
{
    static const char *const signs[] = {"architectures", "model_type", "num_hidden_layers"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (cJSON_GetObjectItemCaseSensitive(object, signs[i]) != NULL)
            return true;
    return false;
}

// Multimodal models keep the configuration of the transformer in a nested object.
const struct cJSON *modelconfig_text(const struct cJSON *object)
{
    const struct cJSON *text = cJSON_GetObjectItemCaseSensitive(object, "text_config");
    const bool has_shape = cJSON_GetObjectItemCaseSensitive(object, "hidden_size") != NULL;
    return cJSON_IsObject(text) && !has_shape ? text : object;
}

static bool is_uniform(const struct cJSON *item)
{
    if (cJSON_IsArray(item)) {
        const struct cJSON *each = NULL;
        cJSON_ArrayForEach(each, item) if (!cJSON_IsNumber(each) ||
                                           each->valuedouble != 1) return false;
        return true;
    }
    return item == NULL || cJSON_IsNull(item) ||
           (cJSON_IsNumber(item) && item->valuedouble == 1);
}

bool modelconfig_check(const struct cJSON *object, struct pps_fault *fault)
{
    for (int i = 0; i < modelkeys_n_uniform; i++) {
        const char *key = modelkeys_uniform[i];
        const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
        if (!is_uniform(item))
            return pps_fault_set(fault, item, false,
                                 "%s: only 1 is supported, as all layers after the leading "
                                 "dense layers must be alike",
                                 key);
    }
    return true;
}

static bool is_read(const char *key)
{
    for (int i = 0; i < modelkeys_n_uniform; i++)
        if (strcmp(modelkeys_uniform[i], key) == 0)
            return true;
    return docfields_index(&modelkeys_hugging, key) >= 0 || strcmp(key, "architectures") == 0 ||
           strcmp(key, "text_config") == 0;
}

int modeldesc_ignored(const struct cJSON *document, const char **keys, int max)
{
    int n = 0;
    if (!modeldesc_is_config(document))
        return 0;
    for (const cJSON *item = modelconfig_text(document)->child; item != NULL; item = item->next)
        if (!is_read(item->string)) {
            if (n < max)
                keys[n] = item->string;
            n++;
        }
    return n;
}
