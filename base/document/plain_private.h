// SPDX-License-Identifier: Apache-2.0
// The shared reader of plain forms tracks a place in the text, reads values on a line, and builds
// maps without repeated keys. Private to plain*.c.
#pragma once

#include "base/document/plain.h"

#include <cjson/cJSON.h>

struct plain {
    const char *text; // ends with NUL and contains no other NUL
    size_t at;
    enum plaindoc_form form;
    struct plaindoc *doc;
    size_t cap_places;
    struct pps_fault *fault;
    int depth;
};

struct plain_key {
    char *name; // the reader frees it
    size_t at;
};

enum { PLAIN_DEEPEST = 64, PLAIN_MOST_VALUES = 1 << 14 };

// Fills the fault for a place in the text; false.
bool plain_fail(struct plain *p, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool plain_no_memory(struct plain *p);

// Skips spaces and tabs.
void plain_blanks(struct plain *p);

// Returns whether a comment starts here: # at the start of a line or after a blank.
bool plain_at_comment(const struct plain *p);

// Skips blanks, a comment and the end of the line. false: other text is left on the line.
bool plain_line_end(struct plain *p);

// Enters one nesting level, until plain_leave.
bool plain_enter(struct plain *p);
void plain_leave(struct plain *p);

// Records the place of an item and returns the item. Takes ownership; an item of NULL means out of
// memory, and the function returns NULL.
cJSON *plain_note(struct plain *p, cJSON *item, size_t at);

// Reads a value at the current place; NULL: fault. within: the value is in a list or map in
// brackets, where commas and brackets end text without quotes.
cJSON *plain_value(struct plain *p, bool within);

// Returns decoded text in quotes, which the caller frees. NULL: fault.
char *plain_quoted(struct plain *p);

// Returns a value from n bytes of text without quotes at `at`.
cJSON *plain_word(struct plain *p, size_t at, size_t n);

// Adds an item to an object under a key and frees the name of the key; i_place is the place of the
// item. Takes ownership of the item also on failure; NULL means that a fault is already set.
// false: fault, for example a repeated key.
bool plain_add(struct plain *p, cJSON *object, struct plain_key key, cJSON *item,
               size_t i_place);

// Read the whole document into root.
bool plain_read_lines(struct plain *p, cJSON *root); // flat
bool plain_read_toml(struct plain *p, cJSON *root);
cJSON *plain_read_yaml(struct plain *p);

// Skips blanks and a dot; false: no dot follows.
bool plain_another_part(struct plain *p);
