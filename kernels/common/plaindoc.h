// SPDX-License-Identifier: Apache-2.0
// Documents that are not JSON: flat `key = value` lines and what configurations use of YAML and
// TOML, read into the same trees.
//
// All forms: UTF-8, # comments; null, true, false, decimal numbers, "text" with JSON's escapes,
// 'text' without any, [lists] and {maps} on one or several lines. Beside these
//   flat  key = value, or key: value, also in [sections]. Text needs no quotes up to the end of
//         line; dots in keys stay, those in names of sections lead down.
//   YAML  nested maps and lists by indentation, text without quotes, one document. No anchors, tags,
//         text blocks, tabs before content.
//   TOML  [sections], [dotted.sections] and dotted keys. No dates, text of several lines, arrays of
//         sections, numbers to other bases than ten, inf and nan.
// Refused, as in JSON: a key twice in one map, numbers that are not finite or whole numbers from
// 2^53 on, nesting deeper than 64, more than 16384 values.
#ifndef PPS_PLAINDOC_H
#define PPS_PLAINDOC_H

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

enum plaindoc_form {
    PLAINDOC_NONE = -1, // none of these
    PLAINDOC_FLAT,
    PLAINDOC_YAML,
    PLAINDOC_TOML,
};

// Where a value stands; offsets into `text`. key_at is value_at where it has no key.
struct plaindoc_place {
    const struct cJSON *item;
    size_t value_at, key_at;
};

struct plaindoc {
    char *
        text; // as given, without byte-order mark and carriage returns at ends of lines; and NUL
    size_t n;
    struct cJSON *root;            // an object
    struct plaindoc_place *places; // one a value
    size_t n_places;
};

struct plaindoc_fault {
    int line, column; // from 1; columns count characters. 0: no memory
    char text[256];   // one line, no full stop
};

// By the end of a file's name: .yaml, .yml; .toml; .txt, .conf, .cfg, .ini, .sh; any case.
enum plaindoc_form plaindoc_form_of(const char *path);

// What a text looks like: the first line that says something tells. Never TOML, of which most is
// also flat; PLAINDOC_NONE: JSON, or nothing.
enum plaindoc_form plaindoc_form_like(const char *text, size_t n);

// text of n bytes is copied. A refused document needs no free.
bool plaindoc_parse(struct plaindoc *doc,
                    enum plaindoc_form form,
                    const char *text,
                    size_t n,
                    struct plaindoc_fault *fault);
void plaindoc_free(struct plaindoc *doc); // a zeroed one is fine

#endif
