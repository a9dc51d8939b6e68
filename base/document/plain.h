// SPDX-License-Identifier: Apache-2.0
// Reads documents that are not JSON into the same trees: flat `key = value` lines, YAML, and TOML.
//
//   flat  UTF-8, # comments; null, true, false, decimal numbers, "text" with JSON's escapes, 'text'
//         without escapes, [lists] and {maps} on one or several lines. key = value, or key: value,
//         also in [sections]. Text up to the end of the line needs no quotes. Dots in keys are part
//         of the key; dots in names of sections separate levels.
//   YAML  all of YAML 1.1 and 1.2 in one document whose keys are text; aliases are copies, and merge
//         keys (<<) are resolved. Values without quotes mean what they mean to PyYAML, except that
//         1e-5 is a number, and .inf, .nan and whole numbers of 2^53 or more are text. Tags other
//         than YAML's own are ignored, and make a single value text.
//   TOML  version 1.0, and what 1.1 allows in addition: inline tables on several lines, \e, \x,
//         times without seconds. Dates, times, inf, nan and whole numbers of 2^53 or more become
//         text.
// Refused, as in JSON: a repeated key in one map, numbers that are not finite, whole numbers of 2^53
// or more (flat, TOML), nesting deeper than 64, more than 16384 values, copies included.
#pragma once

#include "base/document/json.h"
#include "ppsweep/fault.h"

#include <stdbool.h>
#include <stddef.h>

enum plaindoc_form {
    PLAINDOC_NONE = -1, // none of the forms below
    PLAINDOC_FLAT,
    PLAINDOC_YAML,
    PLAINDOC_TOML,
    PLAINDOC_PYTHON, // not parsed here
};

struct plaindoc {
    char *
        text; // a copy without byte-order mark and carriage returns at ends of lines; ends with NUL
    size_t n;
    struct cJSON *root;            // an object
    struct pps_json_place *places; // one per value
    size_t n_places;
};

// Returns the form by the extension of a file: .yaml, .yml; .toml; .txt, .conf, .cfg, .ini, .sh; .py; any
// case.
enum plaindoc_form plaindoc_form_of(const char *path);

// Guesses the form of a text by its first line that is not blank or a comment. Never returns TOML,
// as most TOML text is also flat; PLAINDOC_NONE: JSON, or an empty text.
enum plaindoc_form plaindoc_form_like(const char *text, size_t n);

// Parses a text of n bytes, which is copied. false: `fault` describes the error, and the caller need
// not free the document.
bool plaindoc_parse(struct plaindoc *doc, enum plaindoc_form form, const char *text, size_t n,
                    struct pps_fault *fault);
// Moves a parsed document into the form that JSON has; `path` is its name in errors. Frees the document
// in every case.
PPS_MUST_CHECK enum pps_status plaindoc_to_json(struct plaindoc *doc, const char *path,
                                                struct pps_json *json, struct pps_error *err);

// Returns the error of a text: PPS_E_INPUT with its place, or out of memory.
enum pps_status plaindoc_fail(const char *path, const struct pps_fault *fault,
                              struct pps_error *err);

// Reads a whole file, as pps_json_load does: JSON, or YAML or TOML if its name ends in .yaml, .yml or
// .toml.
PPS_MUST_CHECK enum pps_status plaindoc_load(struct pps_json *json, const char *path,
                                             struct pps_error *err);

// Copies and checks a text that is not parsed: root is NULL, and there are no places.
bool plaindoc_take(struct plaindoc *doc, const char *text, size_t n, struct pps_fault *fault);
void plaindoc_free(struct plaindoc *doc); // a zeroed document is allowed
