// SPDX-License-Identifier: Apache-2.0
// Reads and writes the kinds of layers in our own documents:
//   "layer_kinds": [{"mixer": "mamba2", "network": "none", "layer_norms": 1}, ...],
//   "layer_pattern": [0, 0, 1], kinds of the first layers, repeated to the last one.
#include "kernels/common/shape/model_keys.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))
#define WHOLE(key, most, member)                                                               \
    {                                                                                          \
        key, DOCFIELD_WHOLE, 0, most, offsetof(struct modeldesc_kind, member)                  \
    }
#define FLAG(key, member)                                                                      \
    {                                                                                          \
        key, DOCFIELD_FLAG, 0, 1, offsetof(struct modeldesc_kind, member)                      \
    }

enum { KIND_MIXER, KIND_NETWORK };

static const struct docfield fields[] = {
    [KIND_MIXER] = {"mixer", DOCFIELD_OWN, 0, 0, 0},
    [KIND_NETWORK] = {"network", DOCFIELD_OWN, 0, 0, 0},
    WHOLE("attention_window", 1 << 30, window),
    FLAG("attention_chunks", chunked),
    WHOLE("num_attention_heads", 1 << 16, heads),
    WHOLE("num_query_groups", 1 << 16, query_groups),
    WHOLE("head_dim", 1 << 16, head_dim),
    WHOLE("v_head_dim", 1 << 16, v_dim),
    WHOLE("ffn_hidden_size", 1 << 24, ffn),
    WHOLE("layer_norms", 8, layer_norms),
    FLAG("attention_beside", attention_beside),
    FLAG("keys_as_values", keys_as_values),
    FLAG("no_sinks", no_sinks),
    FLAG("shares_index", shares_index),
};

static const struct docfields table = {"a kind of layers", fields, COUNT_OF(fields), NULL, 0};

// Sets *word to the index of an item among words; leaves it without an item.
static bool read_word(const struct cJSON *item, const char *const *words, int n, int *word,
                      struct pps_fault *fault)
{
    if (item == NULL)
        return true;
    for (*word = 0; cJSON_IsString(item) && *word < n; (*word)++)
        if (strcmp(item->valuestring, words[*word]) == 0)
            return true;
    return pps_fault_set(fault, item, false, "%s: expected \"%s\", \"%s\" ... \"%s\"",
                         docfields_name(item), words[0], words[1], words[n - 1]);
}

static bool read_kind(struct modeldesc_kind *kind, const struct modeldesc *model,
                      const struct cJSON *object, struct pps_fault *fault)
{
    struct docitems items;
    int mixer = MODELDESC_ATTENTION;
    int network = model->experts > 0 ? MODELDESC_EXPERTS : MODELDESC_DENSE;
    *kind = (struct modeldesc_kind){.window = model->window, .chunked = model->chunked};
    if (!docfields_find(&table, object, false, &items, fault) ||
        !docfields_store(&table, &items, kind, fault) ||
        !read_word(items.item[KIND_MIXER], modeldesc_mixer_words, MODELDESC_MIXERS, &mixer,
                   fault) ||
        !read_word(items.item[KIND_NETWORK], modeldesc_network_words, MODELDESC_NETWORKS,
                   &network, fault))
        return false;
    kind->mixer = (enum modeldesc_mixer)mixer;
    kind->network = (enum modeldesc_network)network;
    if (network == MODELDESC_EXPERTS && model->experts == 0)
        return pps_fault_set(fault, items.item[KIND_NETWORK], false,
                             "network: is \"experts\", but num_experts is missing");
    const int64_t groups = kind->query_groups > 0 ? kind->query_groups : model->query_groups;
    if ((kind->heads > 0 ? kind->heads : model->heads) % groups != 0)
        return pps_fault_set(fault, object, false,
                             "num_query_groups: expected a divisor of num_attention_heads");
    if (mixer != MODELDESC_ATTENTION && mixer != MODELDESC_NO_MIXER &&
        mixer != MODELDESC_CONV && (model->scan.heads == 0 || model->scan.head_dim == 0))
        return pps_fault_set(fault, items.item[KIND_MIXER], false,
                             "mixer: \"%s\" needs scan_heads and scan_head_dim",
                             modeldesc_mixer_words[mixer]);
    return true;
}

static bool read_pattern(struct modeldesc *model, const struct modeldesc_kind *kinds, int n,
                         const struct cJSON *pattern, struct pps_fault *fault)
{
    const struct cJSON *item = NULL;
    for (int64_t i = 0; i < modeldesc_layers(model); i++) {
        item = item == NULL || item->next == NULL ? pattern->child : item->next;
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < n))
            return pps_fault_set(fault, item, false,
                                 "layer_pattern: expected numbers of kinds, 0 ... %d", n - 1);
        if (!modeldesc_set_kind(model, i, &kinds[(int)item->valuedouble]))
            return pps_fault_set(fault, pattern, false,
                                 "layer_pattern: expected at most %d layers",
                                 MODELDESC_PATTERN);
    }
    modeldesc_simplify(model);
    return true;
}

bool modelkeys_read_layers(struct modeldesc *model, const struct cJSON *kinds,
                           const struct cJSON *pattern, struct pps_fault *fault)
{
    struct modeldesc_kind of[MODELDESC_KINDS];
    int n = 0;
    if (kinds == NULL && pattern == NULL)
        return true;
    if (!cJSON_IsArray(kinds) || kinds->child == NULL ||
        cJSON_GetArraySize(kinds) > MODELDESC_KINDS)
        return pps_fault_set(fault, kinds != NULL ? kinds : pattern, false,
                             "layer_kinds: expected a list of 1 ... %d kinds of layers",
                             MODELDESC_KINDS);
    for (const struct cJSON *each = kinds->child; each != NULL; each = each->next)
        if (!read_kind(&of[n++], model, each, fault))
            return false;
    if (!cJSON_IsArray(pattern) || pattern->child == NULL)
        return pps_fault_set(fault, pattern != NULL ? pattern : kinds, false,
                             "layer_pattern: expected a list of numbers of kinds");
    return read_pattern(model, of, n, pattern, fault);
}

static bool add_kind(cJSON *list, const struct modeldesc_kind *kind)
{
    const struct modeldesc_kind base = {.window = -1, .chunked = !kind->chunked};
    cJSON *object = cJSON_CreateObject();
    if (object == NULL || !cJSON_AddItemToArray(list, object)) {
        cJSON_Delete(object);
        return false;
    }
    return cJSON_AddStringToObject(object, "mixer", modeldesc_mixer_words[kind->mixer]) !=
               NULL &&
           cJSON_AddStringToObject(object, "network", modeldesc_network_words[kind->network]) !=
               NULL &&
           docfields_add(&table, kind, &base, object);
}

bool modelkeys_add_layers(const struct modeldesc *model, struct cJSON *object)
{
    if (model->n_kinds == 0)
        return true;
    cJSON *kinds = cJSON_AddArrayToObject(object, "layer_kinds");
    cJSON *pattern = cJSON_AddArrayToObject(object, "layer_pattern");
    bool ok = kinds != NULL && pattern != NULL;
    for (int k = 0; ok && k < model->n_kinds; k++)
        ok = add_kind(kinds, &model->kinds[k]);
    for (int64_t i = 0; ok && i < modeldesc_layers(model); i++)
        ok = cJSON_AddItemToArray(pattern, cJSON_CreateNumber(model->pattern[i]));
    return ok;
}
