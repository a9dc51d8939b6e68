// SPDX-License-Identifier: Apache-2.0
// The parts of a YAML edit: the values after all changes, and the text that is written. Private to
// yaml_edit*.c.
#pragma once

#include "base/edit/yaml_edit.h"

#include <cjson/cJSON.h>

struct yaml_setting {
    char *path;
    cJSON *value;
    const cJSON *item; // the item that it changes in its own text; NULL: none
};

// A map or list of the text that changes as a whole or gets members.
struct yaml_growth {
    const cJSON *item; // a map with text of its own, null, or an alias
    bool in_brackets;  // the item is in a list or map in brackets
    cJSON *members;    // new members; the whole list if the item is the alias of a list
};

// ---- paths --------------------------------------------------------------------------------------

enum { YAML_KEY_MAX = 128 };

// Copies the first key of a path; returns the rest of the path, NULL: none.
const char *yaml_first_key(const char *path, char key[YAML_KEY_MAX]);

// Returns the member of a map, or the item of a list with this number; NULL: none.
cJSON *yaml_member(const cJSON *item, const char *key);

// Where a path leaves the text of the document.
struct yaml_target {
    const cJSON *item; // the last map, list, null or alias on the path
    const char *rest;  // of the path below it
    const cJSON
        *last; // the member of the item with the rest as key, own text or alias; NULL: none
    bool in_brackets;
};

// Follows a path as far as the text has the values on it.
bool yaml_find_target(const struct yaml_edit *y, const char *path, struct yaml_target *target,
                      struct pps_fault *fault);

// Checks that the values below a target can have members, as far as the document has them.
bool yaml_check_rest(const struct yaml_edit *y, const struct yaml_target *target,
                     const char *path, struct pps_fault *fault);

// Fills the fault for a path that the text cannot hold; false.
bool yaml_fail_kind(const struct yaml_edit *y, const cJSON *item, const char *path,
                    struct pps_fault *fault);

// ---- text ---------------------------------------------------------------------------------------

// Returns the place of an item of the document.
const struct pps_json_place *yaml_place(const struct plaindoc *doc, const cJSON *item);

// Replaces the text of an item that has its own text, or of an alias.
void yaml_write_value(struct yaml_edit *y, const cJSON *item, const cJSON *value);

// Writes the members of a growth.
void yaml_write_growth(struct yaml_edit *y, const struct yaml_growth *growth);
