// SPDX-License-Identifier: Apache-2.0
// A YAML edit sets values in a user's YAML text by the paths of their keys. All other bytes stay as
// they are: comments, anchors, order, spelling of values that do not change.
//
// A value with an anchor changes in all places that use it, as its author wrote it. Where the path
// leads through an alias or a merge key, the anchored value stays: the path gets its own value, or its
// own key beside the merge key. An alias whose value changes with its anchor to the wanted value stays
// an alias.
#pragma once

#include "base/document/plain.h"
#include "base/edit/text_edit.h"
#include "ppsweep/fault.h"

#include <stdbool.h>

struct cJSON;
struct yaml_setting;

struct yaml_edit {
    const struct plaindoc *doc;
    struct text_edit *edit;
    struct yaml_setting *settings;
    size_t n, room;
    bool failed; // out of memory
};

// `doc`: a YAML document; both stay valid until yaml_edit_end().
void yaml_edit_begin(struct yaml_edit *y, const struct plaindoc *doc, struct text_edit *edit);

// Sets the value of a path as "model.model_config.num_layers": keys joined by dots, and numbers from
// 0 for items of lists. An equal value is not touched. A missing key is added at the end of its map, a
// missing map at the end of the map above it. Of two values for one path, the last one counts. `value`
// may be a list; the caller keeps it.
void yaml_set(struct yaml_edit *y, const char *path, const struct cJSON *value);
void yaml_set_number(struct yaml_edit *y, const char *path, double value);
void yaml_set_bool(struct yaml_edit *y, const char *path, bool value);
void yaml_set_text(struct yaml_edit *y, const char *path, const char *value);

// Returns the item at a path; NULL: none.
const struct cJSON *yaml_get(const struct plaindoc *doc, const char *path);

// Writes all changes and frees the edit, but not `edit`. Returns false with a fault if the text has
// another kind of value where a path needs a map, no list item, or a rare form that cannot be
// edited. `edit` must have no other changes. Lack of memory sets edit->failed.
bool yaml_edit_end(struct yaml_edit *y, struct pps_fault *fault);
