// SPDX-License-Identifier: Apache-2.0
// Items of a document that is read from a Python file, with their places in the text. Functions set `failed`
// where memory or MOST_VALUES runs out.
#pragma once

#include "kernels/frameworks/python/python.h"

struct python {
    struct plaindoc *doc;
    const char *text;
    const struct python_functions *functions;
    size_t room;
    int depth, values;
    bool failed; // memory, or too many values
};

// Notes the place of an item and returns the item. NULL: failed, and the item is freed.
cJSON *python_note(struct python *p, cJSON *item, size_t at, size_t end, size_t key);

// Returns the place of an item; NULL: it has none.
struct pps_json_place *python_place_of(struct python *p, const cJSON *item);

// Makes the text "?", which stands for a value that is not evaluated.
cJSON *python_unknown(struct python *p, size_t at, size_t end);

// Frees an item (may be NULL) and the places of everything in it.
void python_forget(struct python *p, cJSON *item);

// Copies an item with its places; NULL: failed.
cJSON *python_copy_of(struct python *p, const cJSON *item);

// Puts an item into an object, which owns it then, in place of the one with this key. Does nothing without both.
void python_put(struct python *p, cJSON *object, const char *key, cJSON *item);
