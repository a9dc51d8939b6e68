// SPDX-License-Identifier: Apache-2.0
// Reads a JSON document: scans its text, parses it with cJSON, and reports errors with the places
// that the scan recorded.
#include "base/document/json.h"
#include "base/document/json_private.h"
#include "base/system/whole_file.h"
#include "base/text/characters.h"
#include "base/text/nearest.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST ((size_t)64 << 20)

// ---- reading -------------------------------------------------------------------------------

enum pps_status pps_json_load(struct pps_json *json, const char *path, struct pps_error *err)
{
    char *text;
    size_t n;
    memset(json, 0, sizeof *json);
    enum pps_status status = pps_whole_file_read(path, LARGEST, &text, &n, err);
    if (status == PPS_OK)
        status = pps_json_parse(json, strcmp(path, "-") == 0 ? "stdin" : path, text, n, err);
    free(text);
    return status;
}

// ---- errors with a place --------------------------------------------------------------------

// Like pps_json_fail_byte, with a va_list and a known place. If line is 0, err has no place.
__attribute__((format(printf, 5, 0))) static enum pps_status fail_list(
    const struct pps_json *json, int line, int column, struct pps_error *err,
    const char *format, va_list args)
{
    char text[sizeof err->text];
    vsnprintf(text, sizeof text, format, args);
    pps_make_printable(text);
    return pps_fail_at(err, PPS_E_INPUT, json->name, line, column, "%s", text);
}

enum pps_status pps_json_fail_byte(const struct pps_json *json, size_t at,
                                   struct pps_error *err, const char *format, ...)
{
    int line, column;
    enum pps_status status;
    va_list args;
    pps_find_place(json->text, at, &line, &column);
    va_start(args, format);
    status = fail_list(json, line, column, err, format, args);
    va_end(args);
    return status;
}

// ---- parsing -------------------------------------------------------------------------------

// Refuses NUL bytes and invalid UTF-8.
static enum pps_status check_bytes(const struct pps_json *json, struct pps_error *err)
{
    for (size_t at = 0; at < json->n;) {
        size_t length = pps_utf8_length(json->text + at);
        if (length == 0)
            return pps_json_fail_byte(json, at, err,
                                      "byte 0x%02x is not UTF-8; save the text as UTF-8",
                                      (unsigned)(unsigned char)json->text[at]);
        if (json->text[at] == '\0')
            return pps_json_fail_byte(json, at, err, "a NUL byte; remove it");
        at += length;
    }
    return PPS_OK;
}

static enum pps_status parse(struct pps_json *json, struct pps_error *err)
{
    enum pps_status status = check_bytes(json, err);
    if (status == PPS_OK)
        status = pps_json_scan(json, err);
    if (status != PPS_OK)
        return status;
    // The scan has accepted the text, so this can fail only if memory runs out.
    json->root = cJSON_ParseWithLength(json->text, json->n);
    if (json->root == NULL)
        return pps_fail_memory(err, "%s", json->name);
    return pps_json_match(json, err);
}

enum pps_status pps_json_parse(struct pps_json *json, const char *name, const char *text,
                               size_t n, struct pps_error *err)
{
    size_t mark = pps_utf8_mark(text, n);
    enum pps_status status;
    memset(json, 0, sizeof *json);
    if (n > LARGEST)
        return pps_fail_at(err, PPS_E_INPUT, name, 0, 0,
                           "more than %zu MiB; a document may not be larger", LARGEST >> 20);
    json->n = n - mark;
    json->name = strdup(name);
    json->text = malloc(json->n + 1);
    if (json->name == NULL || json->text == NULL) {
        pps_json_free(json);
        return pps_fail_memory(err, "%s", name);
    }
    memcpy(json->text, text + mark, json->n);
    json->text[json->n] = '\0';
    status = parse(json, err);
    if (status != PPS_OK)
        pps_json_free(json);
    return status;
}

void pps_json_free(struct pps_json *json)
{
    cJSON_Delete(json->root);
    free(json->places);
    free(json->text);
    free(json->name);
    memset(json, 0, sizeof *json);
}

// ---- errors of callers ---------------------------------------------------------------------

static const struct pps_json_place *place_of(const struct pps_json *json, const cJSON *item)
{
    for (size_t i = 0; json->text != NULL && i < json->n_places; i++)
        if (json->places[i].item == item)
            return &json->places[i];
    return NULL;
}

void pps_json_position(const struct pps_json *json, const cJSON *item, bool at_key, int *line,
                       int *column)
{
    const struct pps_json_place *place = place_of(json, item);
    *line = *column = 0;
    if (place != NULL)
        pps_find_place(json->text, at_key ? place->key_at : place->value_at, line, column);
}

enum pps_status pps_json_fail(const struct pps_json *json, const cJSON *item,
                              struct pps_error *err, const char *format, ...)
{
    int line, column;
    va_list args;
    pps_json_position(json, item, false, &line, &column);
    va_start(args, format);
    const enum pps_status status = fail_list(json, line, column, err, format, args);
    va_end(args);
    return status;
}

enum pps_status pps_json_fail_key(const struct pps_json *json, const cJSON *item,
                                  struct pps_error *err, const char *format, ...)
{
    int line, column;
    va_list args;
    pps_json_position(json, item, true, &line, &column);
    va_start(args, format);
    const enum pps_status status = fail_list(json, line, column, err, format, args);
    va_end(args);
    return status;
}

// Returns the offset of byte `byte` of the string literal at `at`, but at most its closing
// quote; returns `at` if the string has escapes.
static size_t inside(const struct pps_json *json, size_t at, size_t byte)
{
    size_t n = strcspn(json->text + at + 1, "\"\\");
    if (json->text[at] != '"' || json->text[at + 1 + n] == '\\')
        return at;
    return at + 1 + (byte < n ? byte : n);
}

void pps_json_where(const struct pps_json *json, const cJSON *item, size_t byte, int *line,
                    int *column)
{
    const struct pps_json_place *place = place_of(json, item);
    *line = 0;
    *column = 0;
    if (place != NULL)
        pps_find_place(json->text, inside(json, place->value_at, byte), line, column);
}

const cJSON *pps_json_member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

bool pps_json_key_is_of(const cJSON *member, const char *const *keys, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(member->string, keys[k]) == 0)
            return true;
    return false;
}

struct pps_hint pps_json_missing_key(const cJSON *object, const cJSON *member,
                                     const char *const *keys, size_t n)
{
    const char *missing[8];
    size_t n_missing = 0;
    for (size_t k = 0; k < n && n_missing < sizeof missing / sizeof *missing; k++)
        if (pps_json_member(object, keys[k]) == NULL)
            missing[n_missing++] = keys[k];
    return pps_did_you_mean(member->string, missing, n_missing);
}

void pps_json_add_count(cJSON *object, const char *name, uint64_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, n);
    cJSON_AddRawToObject(object, name, text);
}
