// SPDX-License-Identifier: Apache-2.0
#include "toolread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LARGEST = 1 << 20 }; // bytes; configurations have thousands

static enum pps_status no_memory(struct pps_error *err, const char *path)
{
    return pps_fail(err, PPS_E_MACHINE, "not enough memory for %s", path);
}

// ---- bytes --------------------------------------------------------------------------------------

static enum pps_status read_stream(FILE *file,
                                   const char *path,
                                   char *bytes,
                                   size_t *n,
                                   struct pps_error *err)
{
    errno = 0;
    *n = fread(bytes, 1, LARGEST + 1, file);
    if (ferror(file))
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "cannot read it: %s", strerror(errno));
    if (*n > LARGEST)
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0,
                           "more than %d MiB; a document of this form may not be larger",
                           LARGEST >> 20);
    return PPS_OK;
}

// *bytes is the caller's to free, whatever happens.
static enum pps_status read_bytes(const char *path,
                                  char **bytes,
                                  size_t *n,
                                  struct pps_error *err)
{
    FILE *file = fopen(path, "rbe");
    *bytes = NULL;
    if (file == NULL)
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "cannot read it: %s", strerror(errno));
    *bytes = malloc(LARGEST + 1);
    enum pps_status status =
        *bytes != NULL ? read_stream(file, path, *bytes, n, err) : no_memory(err, path);
    fclose(file);
    return status;
}

// ---- as JSON has it -----------------------------------------------------------------------------

static enum pps_status take(struct pps_json *json,
                            struct plaindoc *doc,
                            const char *path,
                            struct pps_error *err)
{
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

static enum pps_status load_plain(struct pps_json *json,
                                  const char *path,
                                  enum plaindoc_form form,
                                  struct pps_error *err)
{
    struct plaindoc doc;
    struct plaindoc_fault fault;
    char *bytes;
    size_t n = 0;
    enum pps_status status = read_bytes(path, &bytes, &n, err);
    const bool ok = status == PPS_OK && plaindoc_parse(&doc, form, bytes, n, &fault);
    free(bytes);
    if (status != PPS_OK)
        return status;
    if (ok)
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

enum pps_status nd_document_load(struct pps_json *json,
                                 const char *path,
                                 enum plaindoc_form form,
                                 struct pps_error *err)
{
    const enum plaindoc_form known = plaindoc_form_of(path);
    memset(json, 0, sizeof *json);
    if (known != PLAINDOC_NONE)
        form = known;
    if (is_json(path) || form == PLAINDOC_NONE)
        return pps_json_load(json, path, err);
    return load_plain(json, path, form, err);
}
