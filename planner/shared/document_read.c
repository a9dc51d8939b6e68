// SPDX-License-Identifier: Apache-2.0
// Reads whole files into memory, and documents in the format that their names select.
#include "planner/shared/document_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LARGEST ((size_t)64 << 20)

// ---- bytes --------------------------------------------------------------------------------------

// Reads to the end, or at most one byte more than the limit, and appends a NUL. Returns NULL when
// out of memory. ferror() reports a file that cannot be read.
static char *read_all(FILE *file, size_t *n)
{
    char *text = NULL;
    size_t cap = 1 << 14, got;
    *n = 0;
    do {
        char *grown = realloc(text, cap *= 2);
        if (grown == NULL) {
            free(text);
            return NULL;
        }
        text = grown;
        got = fread(text + *n, 1, cap - *n - 1, file);
        *n += got;
    } while (got > 0 && *n <= LARGEST);
    text[*n] = '\0';
    return text;
}

static enum pps_status no_memory(struct pps_error *err, const char *path)
{
    return pps_fail(err, PPS_E_MACHINE, "out of memory for %s", path);
}

char *nd_tool_read(const char *path, size_t *n, struct pps_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "cannot read it: %s", strerror(errno));
        return NULL;
    }
    char *text = read_all(file, n);
    bool ok = false;
    if (text == NULL)
        no_memory(err, path);
    else if (ferror(file))
        pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "cannot read it: %s", strerror(errno));
    else if (*n > LARGEST)
        pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "more than %zu MiB", LARGEST >> 20);
    else
        ok = true;
    fclose(file);
    if (ok)
        return text;
    free(text);
    return NULL;
}

// ---- documents ----------------------------------------------------------------------------------

// As JSON has it.
static enum pps_status take(struct pps_json *json,
                            struct plaindoc *doc,
                            const char *path,
                            struct pps_error *err)
{
    memset(json, 0, sizeof *json);
    json->name = strdup(path);
    json->places = malloc(doc->n_places * sizeof *json->places);
    if (json->name == NULL || json->places == NULL) {
        pps_json_free(json);
        plaindoc_free(doc);
        return no_memory(err, path);
    }
    for (size_t i = 0; i < doc->n_places; i++)
        json->places[i] = (struct pps_json_place){.item = doc->places[i].item,
                                                  .value_at = doc->places[i].value_at,
                                                  .key_at = doc->places[i].key_at};
    json->text = doc->text;
    json->n = doc->n;
    json->root = doc->root;
    json->n_places = doc->n_places;
    free(doc->places);
    return PPS_OK;
}

static enum pps_status parse(struct pps_json *json,
                             const char *path,
                             enum plaindoc_form form,
                             const char *text,
                             size_t n,
                             struct pps_error *err)
{
    struct plaindoc doc;
    struct plaindoc_fault fault;
    if (form == PLAINDOC_NONE)
        return pps_json_parse(json, path, text, n, err);
    if (plaindoc_parse(&doc, form, text, n, &fault))
        return take(json, &doc, path, err);
    if (fault.line == 0)
        return no_memory(err, path);
    return pps_fail_at(err, PPS_E_INPUT, path, fault.line, fault.column, "%s", fault.text);
}

static bool is_json(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot, ".json") == 0;
}

enum pps_status nd_tool_document(struct pps_json *json,
                                 const char *path,
                                 enum plaindoc_form form,
                                 struct pps_error *err)
{
    const enum plaindoc_form named = plaindoc_form_of(path);
    size_t n;
    if (is_json(path) || strcmp(path, "-") == 0)
        return pps_json_load(json, path, err);
    char *text = nd_tool_read(path, &n, err);
    if (text == NULL)
        return err->code;
    if (named != PLAINDOC_NONE)
        form = named;
    else if (form == PLAINDOC_NONE)
        form = plaindoc_form_like(text, n);
    const enum pps_status status = parse(json, path, form, text, n, err);
    free(text);
    return status;
}
