// SPDX-License-Identifier: Apache-2.0
// A JSON document with places: parsed by cJSON, checked by a scan of our own that is stricter
// than cJSON and records where every key and value stands.
#ifndef PPS_JSONFILE_H
#define PPS_JSONFILE_H

#include "status.h"
#include "suggest.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

struct pps_json {
    char *name; // for errors: the path, or "-s" and the like
    char *text; // comments blanked in place; NUL at the end
    size_t n;
    cJSON *root;
    struct pps_json_place *places; // one a value, in document order
    size_t n_places;
};

// Where a value stands; offsets into `text`.
struct pps_json_place {
    const cJSON *item;
    size_t value_at;
    size_t key_at; // of its key's opening quote; value_at where it has none
};

// Reads and parses a file ("-": stdin). // comments to the end of line are allowed (not inside
// strings), a byte-order mark is skipped, CRLF is fine. Refused with line and column: anything
// that is not JSON (RFC 8259), trailing text, repeated keys in one object, NUL bytes or \u0000,
// leading zeros, `1.`, `.5`, NaN, Infinity, numbers that are not finite or would become 0,
// whole numbers from 2^53 on, numbers of more than 63 characters, nesting deeper than 64, files
// above 64 MiB or of more than 2^22 values, invalid UTF-8. A refused document needs no free.
PPS_MUST_CHECK enum pps_status pps_json_load(struct pps_json *json,
                                             const char *path,
                                             struct pps_error *err);

// The same of a text of n bytes, which is copied; name stands for the file in errors.
PPS_MUST_CHECK enum pps_status pps_json_parse(struct pps_json *json,
                                              const char *name,
                                              const char *text,
                                              size_t n,
                                              struct pps_error *err);
void pps_json_free(struct pps_json *json); // a zeroed one is fine

// Fills err with the file, line and column of item's value (or of its key) and the text;
// returns PPS_E_INPUT. Columns count characters (UTF-8), from 1. item NULL: the file alone.
enum pps_status pps_json_fail(const struct pps_json *json,
                              const cJSON *item,
                              struct pps_error *err,
                              const char *format,
                              ...) __attribute__((format(printf, 4, 5)));
enum pps_status pps_json_fail_key(const struct pps_json *json,
                                  const cJSON *item,
                                  struct pps_error *err,
                                  const char *format,
                                  ...) __attribute__((format(printf, 4, 5)));

// Line and column of a byte of item's string value, counted from 0 at its first character; for
// errors inside an expression. Escapes in the string make it point at the string's start.
void pps_json_where(const struct pps_json *json,
                    const cJSON *item,
                    size_t byte,
                    int *line,
                    int *column);

// The case-sensitive member; NULL where there is none.
const cJSON *pps_json_member(const cJSON *object, const char *key);

// Whether the key of a member is one of these.
bool pps_json_key_is_of(const cJSON *member, const char *const *keys, size_t n);

// For a member of the object whose key is none of these: the nearest that the object has not yet,
// as pps_did_you_mean says it. n is at most 8.
struct pps_hint pps_json_missing_key(const cJSON *object,
                                     const cJSON *member,
                                     const char *const *keys,
                                     size_t n);

#endif
