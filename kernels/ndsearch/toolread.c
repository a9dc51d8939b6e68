// SPDX-License-Identifier: Apache-2.0
#include "toolread.h"

#include "kernels/common/flattext.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads to the end and puts a NUL behind it; NULL: no memory. A file that cannot be read shows in ferror.
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
    } while (got > 0);
    text[*n] = '\0';
    return text;
}

char *nd_tool_read(const char *path, size_t *n, struct pps_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "cannot read it: %s", strerror(errno));
        return NULL;
    }
    char *text = read_all(file, n);
    if (text == NULL) {
        pps_fail(err, PPS_E_MACHINE, "no memory for %s", path);
    } else if (ferror(file)) {
        pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "cannot read it: %s", strerror(errno));
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static enum pps_status convert(struct pps_json *json,
                               const char *path,
                               const char *text,
                               size_t n,
                               struct pps_error *err)
{
    struct textroom room = {.text = NULL};
    struct flattext_fault fault;
    enum pps_status status;
    if (!flattext_to_json(&room, text, n, &fault))
        status = pps_fail_at(err, PPS_E_INPUT, path, fault.line, 0, "%s", fault.text);
    else if (room.failed)
        status = pps_fail(err, PPS_E_MACHINE, "no memory for %s", path);
    else
        status = pps_json_parse(json, path, room.text, room.n, err);
    if (status != PPS_OK)
        err->column = 0;
    textroom_free(&room);
    return status;
}

enum pps_status nd_tool_document(struct pps_json *json,
                                 const char *path,
                                 bool *flat,
                                 struct pps_error *err)
{
    size_t n;
    *flat = false;
    if (strcmp(path, "-") == 0)
        return pps_json_load(json, path, err);
    char *text = nd_tool_read(path, &n, err);
    if (text == NULL)
        return err->code;
    *flat = flattext_is_flat(text, n);
    const enum pps_status status =
        *flat ? convert(json, path, text, n, err) : pps_json_parse(json, path, text, n, err);
    free(text);
    return status;
}
