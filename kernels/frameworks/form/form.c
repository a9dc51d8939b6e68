// SPDX-License-Identifier: Apache-2.0
// Builds run documents whose items have places in the user's text.
#include "kernels/frameworks/form/form.h"

#include "base/text/characters.h"
#include "base/text/grow_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_fault(const struct framework_reader *r, struct pps_fault *fault, size_t at,
                      const char *format, va_list args) __attribute__((format(printf, 4, 0)));

static void set_fault(const struct framework_reader *r, struct pps_fault *fault, size_t at,
                      const char *format, va_list args)
{
    *fault = (struct pps_fault){.item = NULL};
    pps_find_place(r->text, at, &fault->line, &fault->column);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    pps_make_printable(fault->text);
}

bool framework_fail(struct framework_reader *r, size_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_fault(r, r->fault, at, format, args);
    va_end(args);
    return false;
}

void framework_cannot_run(struct framework_reader *r, size_t at, const char *format, ...)
{
    va_list args;
    if (r->file->cannot_run.text[0] != '\0')
        return;
    va_start(args, format);
    set_fault(r, &r->file->cannot_run, at, format, args);
    va_end(args);
}

bool framework_no_memory(struct framework_reader *r)
{
    *r->fault = (struct pps_fault){.text = "out of memory for this document"};
    return false;
}

static bool note_place(struct framework_reader *r, const cJSON *item, size_t at)
{
    struct plaindoc *doc = &r->file->document;
    struct pps_json_place *places =
        pps_grow(doc->places, &r->room, doc->n_places + 1, sizeof *places);
    if (places == NULL)
        return framework_no_memory(r);
    doc->places = places;
    places[doc->n_places++] =
        (struct pps_json_place){.item = item, .value_at = at, .key_at = at};
    return true;
}

static const char *const part_names[N_FRAMEWORK_PARTS] = {"model", "cluster", "training",
                                                          "baseline"};

const cJSON *framework_get(const struct framework_reader *r, enum framework_part part,
                           const char *key)
{
    return pps_json_member(pps_json_member(r->file->document.root, part_names[part]), key);
}

static cJSON *part_object(struct framework_reader *r, enum framework_part part, size_t at)
{
    cJSON *root = r->file->document.root;
    cJSON *object = cJSON_GetObjectItemCaseSensitive(root, part_names[part]);
    if (object != NULL)
        return object;
    object = cJSON_AddObjectToObject(root, part_names[part]);
    if (object == NULL)
        framework_no_memory(r);
    return object != NULL && note_place(r, object, at) ? object : NULL;
}

bool framework_put(struct framework_reader *r, enum framework_part part, const char *key,
                   cJSON *item, size_t at)
{
    cJSON *object = item != NULL ? part_object(r, part, at) : NULL;
    if (item == NULL)
        return framework_no_memory(r);
    if (object != NULL && pps_json_member(object, key) != NULL) {
        framework_fail(r, at, "%s is given twice", key);
        object = NULL;
    }
    if (object == NULL || !cJSON_AddItemToObject(object, key, item)) {
        cJSON_Delete(item);
        return object != NULL ? framework_no_memory(r) : false;
    }
    return note_place(r, item, at);
}

bool framework_put_number(struct framework_reader *r, enum framework_part part, const char *key,
                          double value, size_t at)
{
    return framework_put(r, part, key, cJSON_CreateNumber(value), at);
}

bool framework_put_bool(struct framework_reader *r, enum framework_part part, const char *key,
                        bool value, size_t at)
{
    return framework_put(r, part, key, cJSON_CreateBool(value), at);
}

bool framework_put_text(struct framework_reader *r, enum framework_part part, const char *key,
                        const char *value, size_t at)
{
    return framework_put(r, part, key, cJSON_CreateString(value), at);
}

bool framework_put_chunks(struct framework_reader *r, const char *key, const int64_t *values,
                          int64_t chunks, int64_t stages, size_t at)
{
    cJSON *rows = cJSON_CreateArray();
    for (int64_t c = 0; rows != NULL && c < chunks; c++) {
        cJSON *row = cJSON_CreateArray();
        for (int64_t s = 0; row != NULL && s < stages; s++)
            cJSON_AddItemToArray(row, cJSON_CreateNumber((double)values[c * stages + s]));
        if (row == NULL || cJSON_GetArraySize(row) != stages ||
            !cJSON_AddItemToArray(rows, row)) {
            cJSON_Delete(row);
            cJSON_Delete(rows);
            return framework_no_memory(r);
        }
    }
    return framework_put(r, FRAMEWORK_BASELINE, key, rows, at);
}

void framework_ignore(struct framework_reader *r, const char *key)
{
    text_buffer_add(&r->file->ignored, "%s%s", r->file->n_ignored++ > 0 ? ", " : "", key);
}

bool framework_not_modelled(struct framework_reader *r, const char *key, size_t at)
{
    struct framework_keys *keys = &r->file->not_modelled;
    struct framework_key *list = pps_grow(keys->list, &keys->room, keys->n + 1, sizeof *list);
    if (list == NULL)
        return framework_no_memory(r);
    keys->list = list;
    struct framework_key *added = &list[keys->n++];
    snprintf(added->name, sizeof added->name, "%s", key);
    pps_make_printable(added->name);
    pps_find_place(r->text, at, &added->line, &added->column);
    return true;
}

static const struct pps_json_place *place_of(const struct plaindoc *document, const cJSON *item)
{
    for (size_t k = 0; k < document->n_places; k++)
        if (document->places[k].item == item)
            return &document->places[k];
    return NULL;
}

size_t framework_value_at(const struct plaindoc *document, const cJSON *item)
{
    const struct pps_json_place *place = place_of(document, item);
    return place != NULL ? place->value_at : 0;
}

size_t framework_key_at(const struct plaindoc *document, const cJSON *item)
{
    const struct pps_json_place *place = place_of(document, item);
    return place != NULL ? place->key_at : 0;
}

struct plaindoc framework_take_json(struct pps_json *json)
{
    free(json->name);
    return (struct plaindoc){.text = json->text,
                             .n = json->n,
                             .root = json->root,
                             .places = json->places,
                             .n_places = json->n_places};
}

bool framework_keep_reason(struct pps_fault *reason, const struct pps_fault *fault)
{
    if (fault->line == 0)
        return false;
    if (reason->text[0] == '\0')
        *reason = *fault;
    return true;
}

bool framework_start(struct framework_reader *r, const struct plaindoc *source)
{
    struct plaindoc *doc = &r->file->document;
    doc->text = malloc(source->n + 1);
    doc->root = cJSON_CreateObject();
    if (doc->text == NULL || doc->root == NULL)
        return framework_no_memory(r);
    memcpy(doc->text, source->text, source->n + 1);
    doc->n = source->n;
    r->text = doc->text;
    return note_place(r, doc->root, 0);
}

void framework_file_free(struct framework_file *file)
{
    plaindoc_free(&file->document);
    text_buffer_free(&file->ignored);
    free(file->not_modelled.list);
    *file = (struct framework_file){.framework = FRAMEWORK_NONE};
}
