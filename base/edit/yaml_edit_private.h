// SPDX-License-Identifier: Apache-2.0
// The parts of a YAML edit: the values after all changes, and the text that is written. Private to
// yaml_edit*.c.
#ifndef PPS_BASE_EDIT_YAML_EDIT_PRIVATE_H
#define PPS_BASE_EDIT_YAML_EDIT_PRIVATE_H

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

// ---- text ---------------------------------------------------------------------------------------

// Returns the place of an item of the document.
const struct pps_json_place *yaml_place(const struct plaindoc *doc, const cJSON *item);

// Replaces the text of an item that has its own text, or of an alias.
void yaml_write_value(struct yaml_edit *y, const cJSON *item, const cJSON *value);

// Writes the members of a growth.
void yaml_write_growth(struct yaml_edit *y, const struct yaml_growth *growth);

#endif
