// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/description/model_config.h"

#include "base/text/nearest.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cJSON *member(const struct cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

bool modeldesc_is_config(const struct cJSON *object)
{
    return member(object, "architectures") != NULL || member(object, "model_type") != NULL;
}

// ---- the type -------------------------------------------------------------------------------

// Models of several parts keep the language model in a nested object.
static const struct cJSON *find_text(const struct cJSON *document)
{
    static const char *const names[] = {"text_config", "llm_config", "language_config"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct cJSON *text = member(document, names[i]);
        if (cJSON_IsObject(text) && text->child != NULL)
            return text;
    }
    return document;
}

static bool refuse_unknown(const struct cJSON *item, struct pps_fault *fault)
{
    const struct modeltype *type;
    struct pps_nearest nearest = pps_nearest_to(item->valuestring);
    for (int i = 0; (type = modeltype_at(i)) != NULL; i++)
        pps_nearest_consider(&nearest, type->name);
    return pps_fault_set(fault, item, false, "model_type: \"%.60s\" is unknown%s%s%s; %s",
                         item->valuestring, nearest.name != NULL ? " (nearest: " : "",
                         nearest.name != NULL ? nearest.name : "",
                         nearest.name != NULL ? ")" : "", MODELCONFIG_OWN_KEYS);
}

// Stores the type of this name; refuses one that cannot be read.
static bool take_type(struct modelconfig *c, const struct cJSON *item, const char *name,
                      struct pps_fault *fault)
{
    const char *nearest, *lacks = modeltype_lacks(name, &nearest);
    if (lacks != NULL)
        return pps_fault_set(fault, item, false,
                             "model_type: %s is not modelled: %s; nearest: %s, in our own keys",
                             name, lacks, nearest);
    c->type = modeltype_find(name);
    c->type_item = item;
    return c->type != NULL || refuse_unknown(item, fault);
}

bool modelconfig_open(struct modelconfig *c, const struct cJSON *document,
                      struct pps_fault *fault)
{
    *c = (struct modelconfig){.document = document, .text = find_text(document)};
    const struct cJSON *outer = member(document, "model_type");
    const struct cJSON *inner = member(c->text, "model_type");
    const char *nearest;
    if (cJSON_IsString(outer) && modeltype_lacks(outer->valuestring, &nearest) != NULL)
        return take_type(c, outer, outer->valuestring, fault);
    if (cJSON_IsString(inner))
        return take_type(c, inner, inner->valuestring, fault);
    if (inner == NULL && cJSON_IsString(outer)) {
        const char *name = modeltype_inside(outer->valuestring);
        return name != NULL ? take_type(c, outer, name, fault) : refuse_unknown(outer, fault);
    }
    return pps_fault_set(fault, inner != NULL ? inner : c->text, false, "model_type: %s; %s",
                         inner != NULL ? "expected text" : "missing", MODELCONFIG_OWN_KEYS);
}

// ---- keys -----------------------------------------------------------------------------------

static bool begins_with(const char *key, const char *object)
{
    const size_t n = strlen(object);
    return strncmp(key, object, n) == 0 && key[n] == '.';
}

static bool reads_inside(const struct modeltype *type, const char *object)
{
    struct modeltype_walk walk = {0, 0};
    for (const struct modeltype_key *key; (key = modeltype_next(type, &walk)) != NULL;)
        if (begins_with(key->key, object))
            return true;
    return false;
}

bool modelconfig_each(struct modelconfig_visitor *visitor)
{
    const struct modelconfig *c = visitor->config;
    for (const cJSON *item = c->text->child; item != NULL; item = item->next) {
        if (!cJSON_IsObject(item) || !reads_inside(c->type, item->string)) {
            if (!visitor->visit(visitor, item->string, item))
                return false;
            continue;
        }
        for (const cJSON *each = item->child; each != NULL; each = each->next) {
            char path[128];
            snprintf(path, sizeof path, "%s.%s", item->string, each->string);
            if (!visitor->visit(visitor, path, each))
                return false;
        }
    }
    return true;
}

const char *modelconfig_name(const struct modelconfig *c, int field)
{
    struct modeltype_walk walk = {0, 0};
    for (const struct modeltype_key *key; (key = modeltype_next(c->type, &walk)) != NULL;)
        if (key->field == field)
            return key->key;
    return NULL;
}
