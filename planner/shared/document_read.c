// SPDX-License-Identifier: Apache-2.0
// Reads documents in the format that their names select.
#include "planner/shared/document_read.h"

#include "base/system/whole_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// As JSON has it.
static enum pps_status take(struct pps_json *json,
                            struct plaindoc *doc,
                            const char *path,
                            struct pps_error *err)
{
    memset(json, 0, sizeof *json);
    json->name = strdup(path);
    if (json->name == NULL) {
        plaindoc_free(doc);
        return pps_fail_memory(err, "%s", path);
    }
    json->places = doc->places;
    json->text = doc->text;
    json->n = doc->n;
    json->root = doc->root;
    json->n_places = doc->n_places;
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
    struct pps_fault fault;
    if (form == PLAINDOC_NONE)
        return pps_json_parse(json, path, text, n, err);
    if (plaindoc_parse(&doc, form, text, n, &fault))
        return take(json, &doc, path, err);
    if (fault.line == 0)
        return pps_fail_memory(err, "%s", path);
    return pps_fail_at(err, PPS_E_INPUT, path, fault.line, fault.column, "%s", fault.text);
}

static bool is_json(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot, ".json") == 0;
}

enum pps_status plan_document_read(struct pps_json *json,
                                   const char *path,
                                   enum plaindoc_form form,
                                   struct pps_error *err)
{
    const enum plaindoc_form named = plaindoc_form_of(path);
    char *text;
    size_t n;
    if (is_json(path) || strcmp(path, "-") == 0)
        return pps_json_load(json, path, err);
    enum pps_status status = pps_whole_file_read(path, PLAN_DOCUMENT_MAX, &text, &n, err);
    if (status != PPS_OK)
        return status;
    if (named != PLAINDOC_NONE)
        form = named;
    else if (form == PLAINDOC_NONE)
        form = plaindoc_form_like(text, n);
    status = parse(json, path, form, text, n, err);
    free(text);
    return status;
}
