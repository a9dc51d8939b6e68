// SPDX-License-Identifier: Apache-2.0
// Changes the keys of a YAML file of Megatron-LM. Keys are spelled as in the file: with or without
// --, with - or _.
#include "kernels/frameworks/megatron/megatron_wish.h"

#include <stdio.h>
#include <string.h>

// Returns the last item with this key that is not null, in any map; NULL: none.
static const cJSON *find(const cJSON *object, enum megatron_key key)
{
    const cJSON *found = NULL;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        char name[64];
        const cJSON *inside = cJSON_IsObject(item) ? find(item, key) : NULL;
        if (inside != NULL)
            found = inside;
        if (item->string == NULL || cJSON_IsObject(item))
            continue;
        megatron_plain_name(item->string, name);
        if (megatron_key_of(name) == key && (found == NULL || !cJSON_IsNull(item)))
            found = item;
    }
    return found;
}

static const struct pps_json_place *place_of(const struct plaindoc *document, const cJSON *item)
{
    for (size_t i = 0; item != NULL && i < document->n_places; i++)
        if (document->places[i].item == item)
            return &document->places[i];
    return NULL;
}

static void value_text(const char *text, enum megatron_key key, char value[256])
{
    const bool plain = strspn(text, "0123456789") == strlen(text);
    const bool list = megatron_arguments[key].kind == MG_LIST;
    if (megatron_arguments[key].kind == MG_FLAG)
        snprintf(value, 256, "true");
    else if (list)
        snprintf(value, 256, "[%s]", text);
    else
        snprintf(value, 256, plain ? "%s" : "'%s'", text);
    for (char *c = value; list && *c != '\0'; c++)
        if (*c == ' ')
            *c = ',';
}

static size_t line_end(const struct plaindoc *document, size_t at)
{
    return at + strcspn(document->text + at, "\n");
}

static bool replace(struct framework_writer *w, const struct plaindoc *document,
                    const cJSON *item, const char *value)
{
    const struct pps_json_place *place = place_of(document, item);
    size_t end = place->value_end;
    if (end <= place->value_at) // a null without text
        return text_edit_replace(&w->edit, place->value_at, place->value_at, value,
                                 strlen(value));
    while (end > place->value_at && strchr(" \t\n", document->text[end - 1]) != NULL)
        end--;
    return text_edit_replace(&w->edit, place->value_at, end, value, strlen(value));
}

// Adds a line behind the line of a sibling, with its indentation and spelling.
static bool add(struct framework_writer *w, const struct plaindoc *document,
                enum megatron_key key, const char *value)
{
    static const enum megatron_key siblings[] = {MG_TP, MG_PP, MG_MBS, MG_LAYERS};
    char line[512], name[64];
    const cJSON *sibling = NULL;
    for (size_t i = 0; sibling == NULL && i < sizeof siblings / sizeof *siblings; i++)
        sibling = find(document->root, siblings[i]);
    const struct pps_json_place *place = place_of(document, sibling);
    if (place == NULL)
        return false;
    size_t start = place->key_at;
    while (start > 0 && document->text[start - 1] != '\n')
        start--;
    snprintf(name, sizeof name, "%s", megatron_arguments[key].name);
    for (char *c = name; strchr(sibling->string, '_') != NULL && *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    snprintf(line, sizeof line, "\n%.*s%s%s: %s", (int)(place->key_at - start),
             document->text + start, strncmp(sibling->string, "--", 2) == 0 ? "--" : "", name,
             value);
    const size_t at = line_end(document, place->value_end);
    return text_edit_replace(&w->edit, at, at, line, strlen(line));
}

bool megatron_change_yaml(struct framework_writer *w, const struct plaindoc *document,
                          const struct megatron_wishes *wishes)
{
    bool ok = true;
    for (int i = 0; ok && i < N_MEGATRON_KEYS; i++) {
        const enum megatron_key key = (enum megatron_key)i;
        const cJSON *item = find(document->root, key);
        char value[256] = "null";
        if (wishes->of[i].change == MG_KEEP)
            continue;
        if (wishes->of[i].change == MG_SET)
            value_text(wishes->texts.text + wishes->of[i].text, key, value);
        else if (megatron_arguments[i].kind == MG_FLAG)
            snprintf(value, sizeof value, "false");
        if (place_of(document, item) != NULL)
            ok = replace(w, document, item, value);
        else if (wishes->of[i].change == MG_SET)
            ok = add(w, document, key, value);
    }
    if (!ok)
        *w->fault =
            (struct pps_fault){.line = 1,
                               .column = 1,
                               .text = "this YAML file cannot be changed for the strategy"};
    return ok && !w->edit.failed;
}
