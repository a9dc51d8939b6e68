// SPDX-License-Identifier: Apache-2.0
// Reads layers that a config.json describes by one object each, as those of Nemotron-NAS:
//   {"attention": {"no_op": false, "n_heads_in_group": 8}, "ffn": {"no_op": false, "ffn_mult": 5.25}}
#include "kernels/common/description/model_config.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct layer_object {
    struct modeldesc *model;
    const struct cJSON *object;
    struct pps_fault *fault;
};

// Refuses members of a block that are set and not among those that are read.
static bool only_known(const struct layer_object *o, const struct cJSON *block,
                       const char *const *known, size_t n)
{
    for (const struct cJSON *each = block->child; each != NULL; each = each->next) {
        bool found = cJSON_IsNull(each) || cJSON_IsFalse(each);
        for (size_t i = 0; i < n && !found; i++)
            found = strcmp(each->string, known[i]) == 0;
        if (!found)
            return pps_fault_set(o->fault, each, false,
                                 "%.40s: is not modelled for layers of this type; only null or "
                                 "false is",
                                 each->string);
    }
    return true;
}

static bool is_set(const struct cJSON *block, const char *key)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(block, key));
}

static const struct cJSON *block_of(const struct layer_object *o, const char *key)
{
    const struct cJSON *block = cJSON_GetObjectItemCaseSensitive(o->object, key);
    if (cJSON_IsObject(block))
        return block;
    pps_fault_set(o->fault, block != NULL ? block : o->object, false, "%s: expected an object",
                  key);
    return NULL;
}

static bool take_attention(const struct layer_object *o, struct modeldesc_kind *kind)
{
    static const char *const known[] = {"no_op", "n_heads_in_group"};
    const struct cJSON *block = block_of(o, "attention");
    if (block == NULL || !only_known(o, block, known, COUNT_OF(known)))
        return false;
    kind->mixer = MODELDESC_NO_MIXER;
    if (is_set(block, "no_op"))
        return true;
    const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(block, "n_heads_in_group");
    const double n = cJSON_IsNumber(item) ? item->valuedouble : 0;
    if (!(n >= 1 && n <= (double)o->model->heads) || o->model->heads % (int64_t)n != 0)
        return pps_fault_set(o->fault, item != NULL ? item : block, false,
                             "n_heads_in_group: expected a divisor of the heads, %lld",
                             (long long)o->model->heads);
    kind->mixer = MODELDESC_ATTENTION;
    kind->query_groups = o->model->heads / (int64_t)n;
    kind->layer_norms++;
    return true;
}

// Two thirds of the multiple of the hidden size, rounded up to 256.
static bool take_network(const struct layer_object *o, struct modeldesc_kind *kind)
{
    static const char *const known[] = {"no_op", "ffn_mult"};
    const struct cJSON *block = block_of(o, "ffn");
    if (block == NULL || !only_known(o, block, known, COUNT_OF(known)))
        return false;
    kind->network = MODELDESC_NO_NETWORK;
    if (is_set(block, "no_op"))
        return true;
    const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(block, "ffn_mult");
    const double width =
        cJSON_IsNumber(item) ? floor(2 * item->valuedouble * (double)o->model->hidden / 3) : 0;
    if (!(width >= 1 && width <= modelkeys_own.fields[KEY_FFN].max - 256))
        return pps_fault_set(o->fault, item != NULL ? item : block, false,
                             "ffn_mult: expected a number of hidden sizes");
    kind->network = MODELDESC_DENSE;
    kind->ffn = ((int64_t)width + 255) / 256 * 256;
    kind->layer_norms++;
    return true;
}

bool modelconfig_object(const struct modelconfig *c, struct modelkeys_record *record,
                        int64_t layer, struct pps_fault *fault)
{
    const char *key = c->type->layers.objects;
    const struct cJSON *list = cJSON_GetObjectItemCaseSensitive(c->text, key);
    struct layer_object o = {&record->model, cJSON_GetArrayItem(list, (int)layer), fault};
    struct modeldesc_kind kind = {.layer_norms = 0};
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != record->model.num_layers)
        return pps_fault_set(fault, list != NULL ? list : c->text, false,
                             "%s: expected a list of one object for each of the %lld layers",
                             key, (long long)record->model.num_layers);
    record->model.layer_norms = 0; // every kind has its own number
    if (!take_attention(&o, &kind) || !take_network(&o, &kind))
        return false;
    return modeldesc_set_kind(&record->model, layer, &kind) ||
           pps_fault_set(fault, list, false, "%s: %d kinds of at most %d layers are modelled",
                         key, MODELDESC_KINDS, MODELDESC_PATTERN);
}
