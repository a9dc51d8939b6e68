// SPDX-License-Identifier: Apache-2.0
// Collects the values of a YAML file: maps of arguments, or records of Megatron Core.
#include "kernels/frameworks/megatron/megatron_private.h"

#include <stdio.h>
#include <string.h>

// ---- items -----------------------------------------------------------------------------------

// Writes a list of numbers as [0, 1].
static const char *text_of_list(struct megatron *m, const cJSON *list)
{
    char *text = m->lists[m->n_lists];
    size_t n = 0;
    const cJSON *each;
    if (m->n_lists == 3)
        return NULL;
    m->n_lists++;
    cJSON_ArrayForEach (each, list) {
        if (!cJSON_IsNumber(each) || n + 32 > MEGATRON_LIST_TEXT)
            return NULL;
        n += (size_t)snprintf(text + n, MEGATRON_LIST_TEXT - n, "%s%.0f", n > 0 ? "," : "[",
                              each->valuedouble);
    }
    snprintf(text + n, MEGATRON_LIST_TEXT - n, "]");
    return text;
}

// Writes lists of the layers of every stage as a layout, Ett|ttL.
static const char *text_of_layout(struct megatron *m, const cJSON *list)
{
    static const char *const words[] = {"embedding", "decoder", "mtp", "loss"};
    char *text = m->lists[m->n_lists];
    size_t n = 0;
    const cJSON *stage, *each;
    if (m->n_lists == 3)
        return NULL;
    m->n_lists++;
    cJSON_ArrayForEach (stage, list) {
        if (n > 0)
            text[n++] = '|';
        cJSON_ArrayForEach (each, stage) {
            int k = 0;
            while (k < 4 && !(cJSON_IsString(each) && strcmp(each->valuestring, words[k]) == 0))
                k++;
            if (k == 4 || n + 3 > MEGATRON_LIST_TEXT)
                return NULL;
            text[n++] = "EtmL"[k];
        }
    }
    text[n] = '\0';
    return text;
}

static bool take_modules(struct megatron *m, const struct plaindoc *document,
                         enum megatron_key key, const cJSON *list)
{
    const cJSON *each;
    cJSON_ArrayForEach (each, list) {
        if (cJSON_IsString(each) &&
            !megatron_take_module(m, key, each->valuestring, strlen(each->valuestring),
                                  framework_value_at(document, each)))
            return false;
    }
    return true;
}

static bool take_list(struct megatron *m, const struct plaindoc *document,
                      enum megatron_key key, const char *name, const cJSON *list)
{
    const size_t at = framework_value_at(document, list);
    if (list->child == NULL)
        return true;
    if (megatron_lists_modules(key)) {
        m->values[key] = (struct megatron_value){.given = true, .at = at};
        return take_modules(m, document, key, list);
    }
    if (megatron_arguments[key].kind != MG_TEXT)
        return megatron_take_item(m, document, key, name, list->child);
    const bool layout = key == MG_LAYOUT && cJSON_IsArray(list->child);
    const char *text = layout ? text_of_layout(m, list) : text_of_list(m, list);
    m->values[key].at = at;
    return text != NULL ? megatron_take(m, key, megatron_name_of(name), text, strlen(text), at)
                        : framework_fail(m->r, at,
                                         "%s: this list is not known here; write a text", name);
}

bool megatron_take_item(struct megatron *m, const struct plaindoc *document,
                        enum megatron_key key, const char *name, const cJSON *item)
{
    const size_t at = framework_value_at(document, item);
    if (cJSON_IsArray(item))
        return take_list(m, document, key, name, item);
    if (cJSON_IsNull(item))
        return true;
    if (megatron_arguments[key].kind == MG_FLAG) {
        m->values[key] = (struct megatron_value){.given = cJSON_IsTrue(item), .at = at};
        if (key == MG_BIAS && cJSON_IsFalse(item))
            m->values[MG_NO_BIAS] = (struct megatron_value){.given = true, .at = at};
        return true;
    }
    if (cJSON_IsString(item))
        return megatron_take(m, key, megatron_name_of(name), item->valuestring,
                             strlen(item->valuestring), at);
    if (!cJSON_IsNumber(item))
        return true; // false: not used
    const char *digits = number_text_write(m->digits[key], item->valuedouble);
    return megatron_take(m, key, megatron_name_of(name), digits, strlen(digits), at);
}

bool megatron_take_other_item(struct megatron *m, const struct plaindoc *document,
                              const char *path, const cJSON *item)
{
    char name[64], value[NUMBER_TEXT_CAP], text[200];
    const char *last = strrchr(path, '.');
    const char *shown = cJSON_IsString(item)   ? item->valuestring
                        : cJSON_IsNumber(item) ? number_text_write(value, item->valuedouble)
                                               : NULL;
    megatron_plain_name(last != NULL ? last + 1 : path, name);
    // What is null or false is not used.
    if (cJSON_IsNull(item) || cJSON_IsFalse(item) ||
        megatron_meaning_of(name, shown) == MEGATRON_NO_EFFECT) {
        framework_ignore(m->r, path);
        return true;
    }
    if (megatron_meaning_of(name, shown) == MEGATRON_CHANGES_SHAPE)
        return framework_fail(m->r, framework_value_at(document, item),
                              "%s: the layers that it describes are not known here", path);
    snprintf(text, sizeof text, "%s%s%s", path, shown != NULL ? ": " : "",
             shown != NULL ? shown : "");
    return framework_not_modelled(m->r, text, framework_value_at(document, item));
}

// ---- arguments and records of Megatron Core --------------------------------------------------

static bool take_tree(struct megatron *m, const struct plaindoc *document, const cJSON *object)
{
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        char name[64];
        megatron_plain_name(item->string, name);
        const enum megatron_key key = megatron_key_of(name);
        if (cJSON_IsObject(item)) {
            // Of test cases of Megatron-LM; the variables of its processes change no figure.
            if (strcmp(name, "ENV-VARS") != 0 && !take_tree(m, document, item))
                return false;
        } else if (!(key == N_MEGATRON_KEYS
                         ? megatron_take_other_item(m, document, name, item)
                         : megatron_take_item(m, document, key, name, item))) {
            return false;
        }
    }
    return true;
}

// A record has no flag for grouped queries, and names its activation.
static void take_core_defaults(struct megatron *m)
{
    m->values[MG_GROUPED].given |= megatron_has(m, MG_GROUPS);
    if (megatron_is(m, MG_ACTIVATION, "swiglu", "geglu") ||
        megatron_is(m, MG_ACTIVATION, "squared_relu_gated", NULL))
        m->values[MG_GATED] =
            (struct megatron_value){.given = true, .at = m->values[MG_ACTIVATION].at};
}

// ---- recognition -----------------------------------------------------------------------------

static bool has_one_of(const cJSON *object, const char *const *names)
{
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        char name[64];
        if (cJSON_IsObject(item) && has_one_of(item, names))
            return true;
        if (item->string == NULL || cJSON_IsObject(item))
            continue;
        megatron_plain_name(item->string, name);
        if (megatron_is_one_of(name, strlen(name), names))
            return true;
    }
    return false;
}

static bool is_yaml(const struct plaindoc *document)
{
    return has_one_of(document->root, megatron_shapes) &&
           has_one_of(document->root, megatron_degrees);
}

// Returns whether a map is spelled as a command line: some key begins with --.
static bool has_dashes(const cJSON *object)
{
    for (const cJSON *item = object->child; item != NULL; item = item->next)
        if ((item->string != NULL && strncmp(item->string, "--", 2) == 0) ||
            (cJSON_IsObject(item) && has_dashes(item)))
            return true;
    return false;
}

static enum megatron_dialect dialect_of(const cJSON *root)
{
    // megatron_plain_name removes no underscore at the front: it becomes -.
    static const char *const records[] = {"-target-", "-factory-", NULL};
    const cJSON *model = pps_json_member(root, "model");
    const bool shape = model != NULL && has_one_of(model, megatron_shapes);
    if (has_one_of(root, records))
        return MEGATRON_RECORDS;
    if (shape && (pps_json_member(root, "trainer") != NULL ||
                  pps_json_member(model, "encoder_seq_length") != NULL ||
                  pps_json_member(model, "optim") != NULL))
        return MEGATRON_NEMO;
    if (shape && pps_json_member(root, "train") != NULL)
        return MEGATRON_RECORDS;
    return has_dashes(root) ? MEGATRON_ARGUMENTS : MEGATRON_CORE;
}

bool megatron_collect_yaml(struct megatron *m, const struct plaindoc *document)
{
    m->dialect = dialect_of(document->root);
    if (m->dialect == MEGATRON_NEMO)
        return megatron_collect_nemo(m, document);
    if (m->dialect == MEGATRON_RECORDS)
        return megatron_collect_records(m, document);
    if (!take_tree(m, document, document->root))
        return false;
    if (m->dialect == MEGATRON_CORE)
        take_core_defaults(m);
    return true;
}

static bool read_yaml(struct framework_reader *r, const struct plaindoc *document)
{
    struct megatron m = {.r = r};
    return megatron_collect_yaml(&m, document) && megatron_read_values(&m);
}

const struct framework_form megatron_yaml_form = {
    .framework = FRAMEWORK_MEGATRON,
    .form = PLAINDOC_YAML,
    .is = is_yaml,
    .read = read_yaml,
    .write = megatron_write_yaml,
};
