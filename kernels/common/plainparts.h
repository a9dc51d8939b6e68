// SPDX-License-Identifier: Apache-2.0
// What the readers of plain forms share: a place in the text, values on a line, maps without
// repeated keys. For plain*.c only.
#ifndef PPS_PLAINPARTS_H
#define PPS_PLAINPARTS_H

#include "plaindoc.h"

#include <cjson/cJSON.h>

struct plain {
    const char *text; // ends with NUL, has no other
    size_t at;
    enum plaindoc_form form;
    struct plaindoc *doc;
    size_t cap_places;
    struct plaindoc_fault *fault;
    int depth;
};

struct plain_key {
    char *name; // the reader's to free
    size_t at;
};

enum { PLAIN_DEEPEST = 64, PLAIN_MOST_VALUES = 1 << 14 };

// Fills the fault for a place in the text; false.
bool plain_fail(struct plain *p, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool plain_no_memory(struct plain *p);

// Goes past spaces and tabs.
void plain_blanks(struct plain *p);

// A comment stands here: # at the start of a line or after a blank.
bool plain_at_comment(const struct plain *p);

// Goes past blanks, a comment and the end of line, beside which there must be nothing.
bool plain_line_end(struct plain *p);

// One level deeper, until plain_leave.
bool plain_enter(struct plain *p);
void plain_leave(struct plain *p);

// Notes where an item stands. Takes the item, which is NULL where memory ran out; NULL then.
cJSON *plain_note(struct plain *p, cJSON *item, size_t at);

// A value, from the first character of which to the last; NULL: fault. within: in a list or map
// in brackets, where commas and brackets end text without quotes.
cJSON *plain_value(struct plain *p, bool within);

// Text in quotes, decoded; the caller's to free. NULL: fault.
char *plain_quoted(struct plain *p);

// A value from text without quotes, of n bytes at `at`.
cJSON *plain_word(struct plain *p, size_t at, size_t n);

// Puts an item into an object under a key, whose name is freed; i_place is that of the item.
// Takes the item, whatever happens; NULL is a fault that was told. false: the key is there.
bool plain_add(struct plain *p,
               cJSON *object,
               struct plain_key key,
               cJSON *item,
               size_t i_place);

// The whole document below root.
bool plain_read_lines(struct plain *p, cJSON *root); // flat and TOML
cJSON *plain_read_yaml(struct plain *p);

#endif
