// SPDX-License-Identifier: Apache-2.0
// Documents that are text instead of JSON, for the slots that take text.
#include "engine/experiment/documents_private.h"

#include "base/system/whole_file.h"
#include "base/text/characters.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)64 << 20)

// Returns whether the text begins like a JSON object, behind blanks and comments.
static bool is_object(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (strncmp(text, "//", 2) != 0)
            return text[0] == '{';
        text += strcspn(text, "\n");
    }
}

static enum pps_status check_text(const char *path, const char *text, size_t n,
                                  struct pps_error *err)
{
    int line, column;
    for (size_t at = 0; at < n;) {
        const size_t length = text[at] != '\0' ? pps_utf8_length(text + at) : 0;
        if (length == 0) {
            pps_find_place(text, at, &line, &column);
            return pps_fail_at(err, PPS_E_INPUT, path, line, column,
                               text[at] == '\0' ? "a NUL byte" : "this is not UTF-8");
        }
        at += length;
    }
    return PPS_OK;
}

enum pps_status pps_text_document_load(struct pps_source *source, struct pps_error *err)
{
    char *text;
    size_t n;
    enum pps_status status = pps_whole_file_read(source->path, MOST_BYTES, &text, &n, err);
    if (status != PPS_OK)
        return status;
    const size_t mark = pps_utf8_mark(text, n);
    if (is_object(text + mark)) {
        status = pps_json_parse(&source->own, source->path, text, n, err);
        free(text);
        return status;
    }
    memmove(text, text + mark, n - mark + 1);
    source->text = text;
    source->n = n - mark;
    source->own.name = strdup(source->path);
    if (source->own.name == NULL)
        return pps_fail_memory(err, "the inputs");
    return check_text(source->path, source->text, source->n, err);
}

bool pps_text_document_take(struct pps_source *source)
{
    const char *text = cJSON_GetStringValue(pps_json_member(source->root, "text"));
    const int n_keys = pps_json_member(source->root, "name") != NULL ? 2 : 1;
    if (text == NULL || cJSON_GetArraySize(source->root) != n_keys)
        return true;
    source->text = strdup(text);
    source->n = strlen(text);
    return source->text != NULL;
}

cJSON *pps_text_document_resolve(const struct pps_source *source)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", source->name);
    cJSON_AddStringToObject(object, "text", source->text);
    return object;
}

enum pps_status pps_text_document_fail(const struct pps_source *source,
                                       const struct pps_fault *fault, struct pps_error *err)
{
    if (source->root == NULL)
        return pps_fail_at(err, PPS_E_INPUT, source->path, fault->line, fault->column, "%s",
                           fault->text);
    const cJSON *item = pps_json_member(source->root, "text");
    if (fault->line == 0)
        return pps_json_fail(source->json, item, err, "%s", fault->text);
    return pps_json_fail(source->json, item, err, "text: line %d, column %d: %s", fault->line,
                         fault->column, fault->text);
}
