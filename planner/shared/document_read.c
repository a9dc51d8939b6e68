// SPDX-License-Identifier: Apache-2.0
// Reads documents in the format that their names select.
#include "planner/shared/document_read.h"

#include "base/system/whole_file.h"
#include "base/text/characters.h"
#include "base/text/grow_list.h"
#include "base/text/say.h"
#include "kernels/common/description/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static enum pps_status take_framework(struct plan_document *document,
                                      const char *path,
                                      struct framework_file *file,
                                      struct pps_error *err)
{
    enum pps_status status = plaindoc_to_json(&file->document, path, &document->json, err);
    document->framework = file->framework;
    document->ignored = file->ignored.text;
    document->n_ignored = file->n_ignored;
    document->deals_again = file->deals_again;
    document->not_modelled = file->not_modelled;
    document->unknown_model = file->unknown_model;
    document->cannot_run = file->cannot_run;
    file->ignored = (struct text_buffer){.text = NULL};
    file->not_modelled = (struct framework_keys){.list = NULL};
    framework_file_free(file);
    return status;
}

static enum pps_status parse(struct plan_document *document,
                             const char *path,
                             const char *text,
                             size_t n,
                             struct pps_error *err)
{
    struct framework_file file;
    struct plaindoc doc;
    struct pps_fault fault;
    bool is_framework;
    if (!framework_read(&file, &is_framework, document->form, text, n, &fault))
        return plaindoc_fail(path, &fault, err);
    if (is_framework)
        return take_framework(document, path, &file, err);
    if (document->form == PLAINDOC_NONE)
        return pps_json_parse(&document->json, path, text, n, err);
    if (!plaindoc_parse(&doc, document->form, text, n, &fault))
        return plaindoc_fail(path, &fault, err);
    return plaindoc_to_json(&doc, path, &document->json, err);
}

enum { NOTES_MAX = 64 };

void plan_print_notes(const struct pps_json *json, const cJSON *model)
{
    struct modeldesc_note notes[NOTES_MAX];
    const int all = modeldesc_notes(model, notes, NOTES_MAX);
    for (int k = 0; k < all && k < NOTES_MAX; k++) {
        int line, column;
        pps_json_position(json, notes[k].item, false, &line, &column);
        pps_say(stderr, "note      read, not modelled: %s (%s:%d)", notes[k].text, json->name,
                line);
    }
}

enum pps_status plan_document_add_notes(struct plan_document *document,
                                        const cJSON *model,
                                        struct pps_error *err)
{
    struct modeldesc_note notes[NOTES_MAX];
    const int all = modeldesc_notes(model, notes, NOTES_MAX);
    struct framework_keys *keys = &document->not_modelled;
    for (int k = 0; k < all && k < NOTES_MAX; k++) {
        struct framework_key *list =
            pps_grow(keys->list, &keys->room, keys->n + 1, sizeof *list);
        if (list == NULL)
            return pps_fail_memory(err, "keys of the model");
        keys->list = list;
        struct framework_key *added = &list[keys->n++];
        snprintf(added->name, sizeof added->name, "%s", notes[k].text);
        pps_make_printable(added->name);
        pps_json_position(&document->json, notes[k].item, false, &added->line, &added->column);
    }
    return PPS_OK;
}

void plan_document_free(struct plan_document *document)
{
    pps_json_free(&document->json);
    free(document->original);
    free(document->ignored);
    free(document->not_modelled.list);
    *document = (struct plan_document){.framework = FRAMEWORK_NONE};
}

static bool is_json(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot, ".json") == 0;
}

enum pps_status plan_document_read(struct plan_document *document,
                                   const char *path,
                                   enum plaindoc_form form,
                                   struct pps_error *err)
{
    const enum plaindoc_form named = plaindoc_form_of(path);
    char *text;
    size_t n;
    *document = (struct plan_document){.framework = FRAMEWORK_NONE, .form = PLAINDOC_NONE};
    if (is_json(path) || strcmp(path, "-") == 0)
        return pps_json_load(&document->json, path, err);
    enum pps_status status = pps_whole_file_read(path, PLAN_DOCUMENT_MAX, &text, &n, err);
    if (status != PPS_OK)
        return status;
    if (named != PLAINDOC_NONE)
        form = named;
    else if (form == PLAINDOC_NONE)
        form = plaindoc_form_like(text, n);
    document->form = form;
    status = parse(document, path, text, n, err);
    if (status == PPS_OK && document->framework != FRAMEWORK_NONE) {
        document->original = text;
        document->n_original = n;
        return PPS_OK;
    }
    free(text);
    if (status != PPS_OK)
        plan_document_free(document);
    return status;
}

enum pps_status plan_document_of_text(struct plan_document *document,
                                      const char *path,
                                      enum plaindoc_form form,
                                      const char *text,
                                      size_t n,
                                      struct pps_error *err)
{
    *document = (struct plan_document){.framework = FRAMEWORK_NONE, .form = form};
    const enum pps_status status = parse(document, path, text, n, err);
    if (status != PPS_OK)
        plan_document_free(document);
    return status;
}

enum pps_status plan_yaml_read(struct pps_json *json, const char *path, struct pps_error *err)
{
    struct plaindoc doc;
    struct pps_fault fault;
    char *text;
    size_t n;
    enum pps_status status = pps_whole_file_read(path, PLAN_DOCUMENT_MAX, &text, &n, err);
    if (status != PPS_OK)
        return status;
    status = plaindoc_parse(&doc, PLAINDOC_YAML, text, n, &fault)
                 ? plaindoc_to_json(&doc, path, json, err)
                 : plaindoc_fail(path, &fault, err);
    free(text);
    return status;
}
