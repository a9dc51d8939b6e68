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
#include <sys/stat.h>

// ---- files that a configuration names -----------------------------------------------------------

enum { PATH_MOST = 4096 };

static bool read_whole(const char *path, struct text_buffer *out)
{
    struct pps_error ignored;
    char *text;
    size_t n;
    if (pps_whole_file_read(path, PLAN_DOCUMENT_MAX, &text, &n, &ignored) != PPS_OK)
        return false;
    text_buffer_add_bytes(out, text, n);
    free(text);
    return !out->failed;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

// Sets the path of a file whose name starts at the folder of the configuration, or `up` from it.
static bool is_beside(const char *base, const char *up, const char *name, char path[PATH_MOST])
{
    const char *slash = strrchr(base, '/');
    snprintf(path, PATH_MOST, "%.*s%s%s", slash != NULL ? (int)(slash - base + 1) : 0, base, up,
             name);
    return is_file(path);
}

// Such a path starts at the folder of the configuration, at one above it, or where the command runs.
static bool find_beside(const char *base, const char *name, char path[PATH_MOST])
{
    static const char above[] = "../../../../";
    for (int k = 4; k >= 0 && name[0] != '/'; k--)
        if (is_beside(base, above + 3 * k, name, path))
            return true;
    snprintf(path, PATH_MOST, "%s", name);
    return is_file(path);
}

// The folder of the configuration may also have a copy of the file.
static bool read_beside(void *self, const char *name, struct text_buffer *out)
{
    const char *last = name[0] != '/' ? strrchr(name, '/') : NULL;
    char path[PATH_MOST];
    return (find_beside(self, name, path) ||
            (last != NULL && is_beside(self, "", last + 1, path))) &&
           read_whole(path, out);
}

char *plan_document_model(const char *path, const char *name)
{
    char wanted[PATH_MOST], found[PATH_MOST];
    snprintf(wanted, sizeof wanted, "%s%s", name,
             pps_ends_with(name, ".json") ? "" : "/config.json");
    return find_beside(path, wanted, found) ? strdup(found) : NULL;
}

// Returns where the name of a configuration begins in FILE.py:NAME; NULL: there is none.
static const char *choice_of(const char *path)
{
    const char *sign = strstr(path, ".py:");
    return sign != NULL ? sign + 4 : NULL;
}

struct framework_beside plan_document_beside(const char *path)
{
    return (struct framework_beside){.read = read_beside,
                                     .self = (void *)(uintptr_t)path,
                                     .choice = choice_of(path)};
}

static enum pps_status take_framework(struct plan_document *document, const char *path,
                                      struct framework_file *file, struct pps_error *err)
{
    enum pps_status status = plaindoc_to_json(&file->document, path, &document->json, err);
    document->framework = file->framework;
    document->ignored = file->ignored.text;
    document->n_ignored = file->n_ignored;
    document->deals_again = file->deals_again;
    document->only_wholly = file->only_wholly || file->framework == FRAMEWORK_TRAINER;
    document->never_wholly = file->never_wholly;
    document->not_modelled = file->not_modelled;
    document->unknown_model = file->unknown_model;
    memcpy(document->model_name, file->model_name, sizeof document->model_name);
    document->cannot_run = file->cannot_run;
    file->ignored = (struct text_buffer){.text = NULL};
    file->not_modelled = (struct framework_keys){.list = NULL};
    framework_file_free(file);
    return status;
}

static enum pps_status parse(struct plan_document *document, const char *path, const char *text,
                             size_t n, struct pps_error *err)
{
    struct framework_file file;
    struct plaindoc doc;
    struct pps_fault fault;
    bool is_framework;
    const struct framework_beside beside = plan_document_beside(path);
    if (strspn(text, " \t\r\n") == n)
        return pps_fail_at(err, PPS_E_INPUT, path, 1, 1,
                           "the file is empty; write a model, a cluster or a training");
    if (!framework_read_beside(&file, &is_framework, document->form, text, n, &beside, &fault))
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

enum pps_status plan_document_add_notes(struct plan_document *document, const cJSON *model,
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

enum pps_status plan_document_read(struct plan_document *document, const char *path,
                                   enum plaindoc_form form, struct pps_error *err)
{
    const enum plaindoc_form named = plaindoc_form_of(path);
    char *text;
    size_t n;
    *document = (struct plan_document){.framework = FRAMEWORK_NONE, .form = PLAINDOC_NONE};
    if (strcmp(path, "-") == 0)
        return pps_json_load(&document->json, path, err);
    char *file = strdup(path);
    if (file == NULL)
        return pps_fail_memory(err, "%s", path);
    if (choice_of(path) != NULL)
        file[choice_of(path) - path - 1] = '\0';
    enum pps_status status = pps_whole_file_read(file, PLAN_DOCUMENT_MAX, &text, &n, err);
    free(file);
    if (status != PPS_OK)
        return status;
    if (choice_of(path) != NULL)
        form = PLAINDOC_PYTHON;
    else if (named != PLAINDOC_NONE || is_json(path))
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

enum pps_status plan_document_of_text(struct plan_document *document, const char *path,
                                      enum plaindoc_form form, const char *text, size_t n,
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
