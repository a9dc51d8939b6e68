// SPDX-License-Identifier: Apache-2.0
// Takes the values of the keys that a type reads.
#include "kernels/common/description/model_config_private.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

bool modelconfig_is_value(const struct cJSON *item, const char *text)
{
    if (cJSON_IsArray(item)) {
        for (const cJSON *each = item->child; each != NULL; each = each->next)
            if (!modelconfig_is_value(each, text))
                return false;
        return true;
    }
    if (cJSON_IsBool(item))
        return strcmp(text, cJSON_IsTrue(item) ? "true" : "false") == 0;
    if (cJSON_IsNumber(item)) {
        char number[32];
        snprintf(number, sizeof number, "%.17g", item->valuedouble);
        return strcmp(text, number) == 0;
    }
    return cJSON_IsString(item) && strcmp(text, item->valuestring) == 0;
}

bool modelconfig_refuse(const struct modelconfig_taking *t, const struct cJSON *item,
                        const char *only)
{
    return pps_fault_set(t->fault, item, false, "%s: only %s is modelled for %s",
                         docfields_name(item), only, t->visitor.config->type->name);
}

// The class takes null for "none": it is no gap that the class fills. "auto" is derived as null is.
static void clear(struct modelconfig_taking *t, const struct docfield *field)
{
    char *at = (char *)t->record + field->offset;
    if (field->kind == DOCFIELD_WHOLE)
        *(int64_t *)(void *)at = 0;
    else if (field->kind == DOCFIELD_FLAG)
        *(bool *)(void *)at = false;
}

// Stores a value of one of our own fields. A list has a value for each layer.
static bool take_own(struct modelconfig_taking *t, int field, const struct cJSON *item)
{
    const struct cJSON **slot = &t->items->item[field];
    const bool automatic = cJSON_IsString(item) && strcmp(item->valuestring, "auto") == 0;
    if (cJSON_IsNull(item) || automatic) {
        clear(t, &modelkeys_own.fields[field]);
        return true;
    }
    if (cJSON_IsArray(item) && item->child != NULL) {
        for (const cJSON *each = item->child; each != NULL; each = each->next)
            if (!cJSON_Compare(each, item->child, true))
                return pps_fault_set(t->fault, item, false,
                                     "%s: layers that differ are not modelled",
                                     docfields_name(item));
        item = item->child;
    }
    if (*slot != NULL && !cJSON_Compare(*slot, item, true))
        return pps_fault_set(t->fault, item, true, "%.60s: %.60s gives another value",
                             docfields_name(item), docfields_name(*slot));
    *slot = item;
    return true;
}

static bool take_meaning(struct modelconfig_taking *t, const struct modeltype_key *key,
                         const struct cJSON *item)
{
    if (key->field < N_MODEL_KEYS)
        return take_own(t, key->field, item);
    if (key->field == TYPE_UNUSED || key->field == TYPE_LAYERS || cJSON_IsNull(item))
        return true;
    if (key->field == TYPE_ONLY)
        return modelconfig_is_value(item, key->only) || modelconfig_refuse(t, item, key->only);
    t->special[key->field - N_MODEL_KEYS] = item;
    return true;
}

static bool take_key(struct modelconfig_visitor *self, const char *path,
                     const struct cJSON *item)
{
    struct modelconfig_taking *t = (struct modelconfig_taking *)(void *)self;
    struct modeltype_walk walk = {0, 0};
    bool known = false;
    for (const struct modeltype_key *key;
         (key = modeltype_next(self->config->type, &walk)) != NULL;)
        if (strcmp(key->key, path) == 0) {
            known = true;
            if (!take_meaning(t, key, item))
                return false;
        }
    if (known || modelconfig_kind_of(self->config, path, item) != CONFIG_SHAPE)
        return true;
    return pps_fault_set(t->fault, item, true,
                         "%.60s: is not understood for %s and may change the shape; remove it "
                         "if it does not, or " MODELCONFIG_OWN_KEYS,
                         path, self->config->type->name);
}

// ---- all ------------------------------------------------------------------------------------

bool modelconfig_take(const struct modelconfig *c, struct docitems *items,
                      struct modelkeys_record *record, struct pps_fault *fault)
{
    const struct cJSON *tied =
        cJSON_GetObjectItemCaseSensitive(c->document, "tie_word_embeddings");
    struct modelconfig_taking t = {.visitor = {take_key, c},
                                   .items = items,
                                   .record = record,
                                   .fault = fault};
    const struct modeldesc usual = record->model;
    *items = (struct docitems){{NULL}};
    *record = c->type->silent;
    record->model.seq_length = usual.seq_length;
    if (record->model.layer_norms == 0)
        record->model.layer_norms = usual.layer_norms;
    if (!modelconfig_each(&t.visitor))
        return false;
    if (c->type->required != NULL &&
        cJSON_GetObjectItemCaseSensitive(c->text, c->type->required) == NULL)
        return pps_fault_set(fault, c->type_item, false,
                             "%s: missing; the value that %s takes then is not modelled",
                             c->type->required, c->type->name);
    if (items->item[KEY_TIED] == NULL && tied != NULL && !cJSON_IsNull(tied))
        items->item[KEY_TIED] = tied;
    if (!docfields_store(&modelkeys_own, items, record, fault))
        return false;
    return modelconfig_derive(&t);
}
