// SPDX-License-Identifier: Apache-2.0
// Writes trees of values in the plain forms that plaindoc reads.
#pragma once

#include "base/document/plain.h"

struct cJSON;
struct text_buffer;

// Appends an object to the room; plaindoc_parse reads the same tree back. `room->failed` is set if
// memory runs out.
//   flat  nested maps become dotted keys, an empty map is skipped; maps in lists stay maps
//   YAML  maps by indentation, lists in brackets
//   TOML  values first, then one [section] per map; TOML has no null: null is skipped in maps and
//         becomes text in lists
// A key of a flat document with blanks, quotes, brackets, commas, colons, = or # is skipped.
// Numbers have the fewest digits that read back as the same number.
void docwrite(struct text_buffer *room, enum plaindoc_form form, const struct cJSON *object);

// Appends one value on the current line: lists and maps in brackets.
void docwrite_value(struct text_buffer *room, enum plaindoc_form form,
                    const struct cJSON *value);
