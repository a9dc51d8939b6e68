// SPDX-License-Identifier: Apache-2.0
// Follows paths of keys through the text of a YAML document.
#include "base/edit/yaml_edit_private.h"

#include "base/document/fault.h"

#include <stdlib.h>
#include <string.h>

const char *yaml_first_key(const char *path, char key[YAML_KEY_MAX])
{
    const size_t n = strcspn(path, ".");
    memcpy(key, path, n < YAML_KEY_MAX ? n : YAML_KEY_MAX - 1);
    key[n < YAML_KEY_MAX ? n : YAML_KEY_MAX - 1] = '\0';
    return path[n] == '.' ? path + n + 1 : NULL;
}

cJSON *yaml_member(const cJSON *item, const char *key)
{
    if (cJSON_IsObject(item))
        return cJSON_GetObjectItemCaseSensitive(item, key);
    if (!cJSON_IsArray(item) || *key == '\0' || strspn(key, "0123456789") != strlen(key))
        return NULL;
    return cJSON_GetArrayItem(item, atoi(key));
}

const struct cJSON *yaml_get(const struct plaindoc *doc, const char *path)
{
    const cJSON *item = doc->root;
    char key[YAML_KEY_MAX];
    while (path != NULL && item != NULL) {
        path = yaml_first_key(path, key);
        item = yaml_member(item, key);
    }
    return item;
}

static bool has_brackets(const struct yaml_edit *y, const cJSON *item)
{
    const char c = y->doc->text[yaml_place(y->doc, item)->value_at];
    return (cJSON_IsObject(item) || cJSON_IsArray(item)) && (c == '{' || c == '[');
}

bool yaml_fail_kind(const struct yaml_edit *y, const cJSON *item, const char *path,
                    struct pps_fault *fault)
{
    return pps_fault_set(fault, item != NULL ? item : y->doc->root, false,
                         "%.100s: cannot be set here; write key: value in a map", path);
}

// Returns whether a key is written as `? key`.
static bool has_question_mark(const struct plaindoc *doc, size_t key_at)
{
    while (key_at > 0 && strchr(" \t\n", doc->text[key_at - 1]) != NULL)
        key_at--;
    return key_at > 0 && doc->text[key_at - 1] == '?';
}

bool yaml_find_target(const struct yaml_edit *y, const char *path, struct yaml_target *target,
                      struct pps_fault *fault)
{
    char key[YAML_KEY_MAX];
    *target = (struct yaml_target){.item = y->doc->root, .rest = path};
    for (;;) {
        const char *rest = yaml_first_key(target->rest, key);
        const cJSON *child = yaml_member(target->item, key);
        target->in_brackets |= has_brackets(y, target->item);
        if (child == NULL && cJSON_IsArray(target->item))
            return yaml_fail_kind(y, target->item, path, fault);
        if (child == NULL)
            return true;
        const struct pps_json_place *place = yaml_place(y->doc, child);
        if (place->source != NULL && !place->is_alias)
            return true; // from a merge key
        if (has_question_mark(y->doc, place->key_at))
            return yaml_fail_kind(y, child, path, fault);
        if (rest == NULL) {
            target->last = child;
            return true;
        }
        if (!cJSON_IsObject(child) && !cJSON_IsArray(child) && !cJSON_IsNull(child))
            return yaml_fail_kind(y, child, path, fault);
        target->item = child;
        target->rest = rest;
        if (place->is_alias || cJSON_IsNull(child))
            return true;
    }
}

bool yaml_check_rest(const struct yaml_edit *y, const struct yaml_target *target,
                     const char *path, struct pps_fault *fault)
{
    const cJSON *item = target->item;
    const char *rest = target->rest;
    char key[YAML_KEY_MAX];
    while (rest != NULL && item != NULL && !cJSON_IsNull(item)) {
        if (!cJSON_IsObject(item) && !cJSON_IsArray(item))
            return yaml_fail_kind(y, item, path, fault);
        rest = yaml_first_key(rest, key);
        const cJSON *child = yaml_member(item, key);
        if (child == NULL && cJSON_IsArray(item))
            return yaml_fail_kind(y, item, path, fault);
        item = child;
    }
    return true;
}
