// SPDX-License-Identifier: Apache-2.0
// The JSON reader parses a document with cJSON. A scan that is stricter than cJSON checks the
// text and records the position of every key and value.
#pragma once

#include "base/text/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pps_hint;

struct pps_json {
    char *name; // name in errors: the path, or "-s" and the like
    char *text; // comments are replaced by blanks; ends with NUL; NULL: a tree without text
    size_t n;
    cJSON *root;
    struct pps_json_place *places; // one per value, in document order
    size_t n_places;
};

// The place of a value; offsets into `text`.
struct pps_json_place {
    const cJSON *item;
    size_t value_at;
    size_t key_at;    // opening quote of the key; value_at if there is no key
    size_t value_end; // past the value; 0: unknown, as in JSON
    // YAML only: the value that an alias or a merge key copies to this place (the item itself if its
    // text is a map behind a merge key); NULL: the text belongs to this place alone. If is_alias,
    // the text from value_at is the alias; otherwise it is the text of the source, and the alias or
    // the merge key is further up in the tree.
    const cJSON *source;
    bool is_alias;
    size_t properties_at; // YAML only: where the anchor and the tag of the value begin
};

// Reads and parses a file ("-": stdin). Comments from // to the end of the line are allowed
// outside strings. A byte-order mark is skipped and CRLF is allowed. Refuses with line and
// column: anything that is not JSON (RFC 8259), trailing text, repeated keys in an object, NUL
// bytes or \u0000, leading zeros, `1.`, `.5`, NaN, Infinity (null beside a "model_type"), numbers that are not finite or
// would become 0, whole numbers from 2^53, numbers of more than 63 characters, nesting deeper
// than 64 levels, files above 64 MiB or with more than 2^22 values, invalid UTF-8. After an
// error there is nothing to free.
PPS_MUST_CHECK enum pps_status pps_json_load(struct pps_json *json, const char *path,
                                             struct pps_error *err);

// Parses a text of n bytes, which is copied, like a file. `name` replaces the path in errors.
PPS_MUST_CHECK enum pps_status pps_json_parse(struct pps_json *json, const char *name,
                                              const char *text, size_t n,
                                              struct pps_error *err);

// Copies a tree, in which raw items become the values that they spell, exactly. Refuses what a
// parsed text cannot contain: repeated keys, numbers that are not finite, nesting deeper than 64
// levels, invalid UTF-8, and raw items that pps_json_parse refuses. `name` replaces the path in
// errors, which have no line. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status pps_json_of_tree(struct pps_json *json, const char *name,
                                                const cJSON *tree, struct pps_error *err);
void pps_json_free(struct pps_json *json); // a zeroed struct is allowed

// Fill err with the file, line and column of item's value (pps_json_fail) or key
// (pps_json_fail_key) and the message; return PPS_E_INPUT. Columns count UTF-8 characters from
// 1. If item is NULL, the error names the file only.
enum pps_status pps_json_fail(const struct pps_json *json, const cJSON *item,
                              struct pps_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
enum pps_status pps_json_fail_key(const struct pps_json *json, const cJSON *item,
                                  struct pps_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Finds where an item or its key begins; 0 and 0 if the item is not in the document or the
// document has no text.
void pps_json_position(const struct pps_json *json, const cJSON *item, bool at_key, int *line,
                       int *column);

// Returns line and column of a byte of item's string value, for errors inside an expression.
// Bytes count from 0 at the first character of the string. If the string contains escapes, the
// place is the start of the string.
void pps_json_where(const struct pps_json *json, const cJSON *item, size_t byte, int *line,
                    int *column);

// Returns the member with this case-sensitive key, or NULL if there is none.
const cJSON *pps_json_member(const cJSON *object, const char *key);

// Prints a tree on many lines with tabs, or on one line. Free the text with cJSON_free. Returns NULL if memory
// ran out, now or in any of cJSON's functions that built the tree: they return nothing that callers
// look at. Trees are printed by no other function.
char *pps_json_print(const cJSON *root);
char *pps_json_print_line(const cJSON *root);

// Write a tree and a newline, on many lines or on one, and delete it. Nothing is written if memory ran out.
void pps_json_put(FILE *out, cJSON *root);
void pps_json_put_line(FILE *out, cJSON *root);

// Adds a count exactly. cJSON itself rounds numbers above 2^53.
void pps_json_add_count(cJSON *object, const char *name, uint64_t n);

// Returns true if the key of a member is one of the n keys.
bool pps_json_key_is_of(const cJSON *member, const char *const *keys, size_t n);

// Returns a hint for a member whose key is none of the n keys (n <= 8): the nearest key that
// the object does not have yet, as pps_did_you_mean formats it.
struct pps_hint pps_json_missing_key(const cJSON *object, const cJSON *member,
                                     const char *const *keys, size_t n);
