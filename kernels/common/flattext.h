// SPDX-License-Identifier: Apache-2.0
// Documents as people write them by hand: lines of `key = value` or `key: value`, nested by
// indentation (as YAML has it) or under [section] lines (as TOML has it), turned into JSON text.
//
// Values are numbers, true, false, null or ~, strings with or without quotes, and lists and objects
// in brackets on one line. '#' begins a comment. Not taken: lists of lines that begin with '-',
// strings over several lines, anchors, tags.
#ifndef PPS_FLATTEXT_H
#define PPS_FLATTEXT_H

#include "textroom.h"

#include <stdbool.h>
#include <stddef.h>

struct flattext_fault {
    int line;       // from 1
    char text[160]; // what is wrong and what to write
};

// Adds one JSON object to `json`, in which every value stands on the line where it stands in the
// text, so that whoever reads the JSON can name places. Keys that repeat are left to that reader.
// json->failed: no memory.
bool flattext_to_json(struct textroom *json,
                      const char *text,
                      size_t n,
                      struct flattext_fault *fault);

// Whether the text looks like one of these rather than JSON.
bool flattext_is_flat(const char *text, size_t n);

#endif
