// SPDX-License-Identifier: Apache-2.0
// Large documents: a resolved experiment contains their name and digest, and the user gives the
// file again.
#include "engine/experiment/documents_private.h"

#include "base/document/json.h"
#include "base/text/human.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// {"name": "big", "omitted": {"bytes": 2000000, "digest": "0123456789abcdef"}}
static const char OMITTED[] = "omitted";

static cJSON *omitted(const char *name, size_t bytes, uint64_t digest)
{
    char text[17];
    cJSON *object = cJSON_CreateObject();
    snprintf(text, sizeof text, "%016" PRIx64, digest);
    cJSON_AddStringToObject(object, "name", name);
    cJSON *rest = cJSON_AddObjectToObject(object, OMITTED);
    cJSON_AddNumberToObject(rest, "bytes", (double)bytes);
    cJSON_AddStringToObject(rest, "digest", text);
    return object;
}

cJSON *pps_document_resolve(const struct pps_source *source)
{
    cJSON *whole = source->text != NULL ? pps_text_document_resolve(source)
                                        : cJSON_Duplicate(source->root, true);
    const char *said = cJSON_GetStringValue(pps_json_member(whole, "name"));
    if (said == NULL || strcmp(said, source->name) != 0) {
        cJSON_DeleteItemFromObjectCaseSensitive(whole, "name");
        cJSON_AddStringToObject(whole, "name", source->name);
    }
    char *text = pps_json_print_line(whole);
    const size_t n = text != NULL ? strlen(text) : 0;
    if (text == NULL || n > PPS_DOCUMENT_WHOLE) {
        cJSON_Delete(whole);
        whole = text != NULL ? omitted(source->name, n, XXH64(text, n, 0)) : NULL;
    }
    cJSON_free(text);
    return whole;
}

bool pps_document_is_omitted(const cJSON *item)
{
    const cJSON *rest = pps_json_member(item, OMITTED);
    return cJSON_IsString(pps_json_member(item, "name")) && cJSON_GetArraySize(item) == 2 &&
           cJSON_IsNumber(pps_json_member(rest, "bytes")) &&
           cJSON_IsString(pps_json_member(rest, "digest"));
}

static enum pps_status fail_missing(const struct pps_opening *o, int slot, const cJSON *item)
{
    const char *name = o->ask->kernel->slots[slot].name;
    const char *digest = pps_json_member(pps_json_member(item, OMITTED), "digest")->valuestring;
    char bytes[32];
    pps_human_bytes(pps_json_member(pps_json_member(item, OMITTED), "bytes")->valuedouble,
                    bytes, sizeof bytes);
    for (int i = 0; i < o->ask->words.n; i++)
        if (pps_input_word_slot(o->ask->kernel, o->ask->words.words[i]) == slot)
            return pps_json_fail(o->ask->file, item, o->err,
                                 "--input %s: no file has the content of the %s %.60s (%s, "
                                 "digest %.16s)",
                                 o->ask->words.words[i], name,
                                 pps_json_member(item, "name")->valuestring, bytes, digest);
    return pps_json_fail(o->ask->file, item, o->err,
                         "the %s %.60s (%s, digest %.16s) is too large for a manifest; give "
                         "its file: --input %s=FILE",
                         name, pps_json_member(item, "name")->valuestring, bytes, digest, name);
}

// Sets *same if the file at `path`, under the name of the item, has the content of the item;
// the document is kept then.
static enum pps_status try_file(struct pps_opening *o, int slot, const char *path,
                                const cJSON *item, bool *same)
{
    struct pps_source source = {.slot = slot, .path = strdup(path)};
    *same = false;
    enum pps_status status = source.path != NULL ? pps_document_load(o, &source)
                                                 : pps_fail_memory(o->err, "the inputs");
    snprintf(source.name, sizeof source.name, "%s", pps_json_member(item, "name")->valuestring);
    cJSON *resolved = status == PPS_OK ? pps_document_resolve(&source) : NULL;
    *same = status == PPS_OK && cJSON_Compare(resolved, item, true);
    cJSON_Delete(resolved);
    if (*same)
        return pps_document_keep(o, &source);
    pps_document_free(&source);
    return status;
}

enum pps_status pps_omitted_read(struct pps_opening *o, int slot, const cJSON *item)
{
    enum pps_status status = PPS_OK;
    bool found = false;
    for (int i = 0; i < o->ask->words.n && status == PPS_OK && !found; i++) {
        const char *word = o->ask->words.words[i];
        if (pps_input_word_slot(o->ask->kernel, word) != slot)
            continue;
        char *paths = strdup(strchr(word, '=') + 1), *rest = paths, *path;
        if (paths == NULL)
            return pps_fail_memory(o->err, "the inputs");
        while (status == PPS_OK && !found && (path = strsep(&rest, ",")) != NULL)
            status = try_file(o, slot, path, item, &found);
        free(paths);
    }
    return status == PPS_OK && !found ? fail_missing(o, slot, item) : status;
}

// Returns whether a document was read from this path.
static bool is_used(const struct pps_documents *inputs, const char *path)
{
    for (int i = 0; i < inputs->n; i++)
        if (inputs->sources[i].path != NULL && strcmp(inputs->sources[i].path, path) == 0)
            return true;
    return false;
}

// Returns whether the file has the content of a document of its slot, under any name.
static bool is_known(const struct pps_documents *inputs, struct pps_source *file)
{
    bool known = false;
    for (int i = 0; i < inputs->n && !known; i++) {
        const struct pps_source *other = &inputs->sources[i];
        if (other->slot != file->slot)
            continue;
        snprintf(file->name, sizeof file->name, "%s", other->name);
        cJSON *ours = pps_document_resolve(other), *theirs = pps_document_resolve(file);
        known = cJSON_Compare(ours, theirs, true);
        cJSON_Delete(ours);
        cJSON_Delete(theirs);
    }
    return known;
}

static enum pps_status check_path(const struct pps_opening *o, const char *word, char *path)
{
    struct pps_source file = {.slot = pps_input_word_slot(o->ask->kernel, word)};
    if (is_used(o->inputs, path))
        return PPS_OK;
    file.path = strdup(path);
    enum pps_status status =
        file.path != NULL ? pps_document_load(o, &file) : pps_fail_memory(o->err, "the inputs");
    if (status == PPS_OK && !is_known(o->inputs, &file))
        status = pps_fail(o->err, PPS_E_INPUT,
                          "--input %s: the result was made with other documents: none has the "
                          "content of %s",
                          word, path);
    pps_document_free(&file);
    return status;
}

enum pps_status pps_omitted_check(const struct pps_opening *o)
{
    enum pps_status status = PPS_OK;
    for (int i = 0; i < o->ask->words.n && status == PPS_OK; i++) {
        const char *word = o->ask->words.words[i];
        char *paths = strdup(strchr(word, '=') + 1), *rest = paths, *path;
        if (paths == NULL)
            return pps_fail_memory(o->err, "the inputs");
        while (status == PPS_OK && (path = strsep(&rest, ",")) != NULL)
            status = check_path(o, word, path);
        free(paths);
    }
    return status;
}
