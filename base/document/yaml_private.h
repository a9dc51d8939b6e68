// SPDX-License-Identifier: Apache-2.0
// The reader of YAML: what libyaml reports becomes a tree of values with places. Private to yaml_*.c.
#pragma once

#include "base/document/plain_private.h"
#include "base/yaml/yaml_source.h"

struct yaml_anchor {
    char *name;
    size_t i_place; // of the anchored value; the values in it have the places after it
    bool complete;  // false while the value is read
};

// A map, or a list of maps, whose members a map takes.
struct yaml_merge {
    size_t i_place; // in the document, or in `inlined`
    bool inlined;
    size_t at; // of the merge key's value
};

struct yaml_reader {
    struct plain *p;
    struct yaml_source source;
    struct yaml_anchor *anchors;
    size_t n_anchors, anchors_room;
    // Maps that are written as the value of a merge key. They are not in the tree of the document.
    struct pps_json_place *inlined;
    size_t n_inlined, inlined_room;
    cJSON *unused; // an array of these maps
};

// ---- aliases ------------------------------------------------------------------------------------

// Names the value with the place i_place; n: bytes of the name. false: fault.
bool yaml_anchor_begin(struct yaml_reader *y, const char *name, size_t i_place);
void yaml_anchor_end(struct yaml_reader *y, size_t i_place);

// Returns the completed anchor with this name, for an alias at `at`; NULL: fault.
const struct yaml_anchor *yaml_anchor_find(struct yaml_reader *y, const char *name, size_t at);

// Copies the value with the place i, with places. The copy itself has the place [at, end) of the
// alias, the values in it have the places of their originals. NULL: fault.
cJSON *yaml_alias_copy(struct yaml_reader *y, size_t i, size_t at, size_t end);

// Adds copies of the members that `map` does not have yet.
bool yaml_merge(struct yaml_reader *y, cJSON *map, const struct yaml_merge *merge);
