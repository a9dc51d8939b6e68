// SPDX-License-Identifier: Apache-2.0
// A text edit collects replacements of byte ranges of a document and writes the document with them.
// All other bytes stay as they are: a byte-order mark, CRLF line ends, comments.
//
// Offsets refer to the normalized text that parsers see: without byte-order mark, with LF instead
// of CRLF (`text` of a plaindoc).
#pragma once

#include "base/text/text_buffer.h"

#include <stdbool.h>
#include <stddef.h>

struct text_change {
    size_t from, to; // of the document
    size_t at, n;    // of the new text, in `bytes`
};

// A zeroed edit has no changes. Free it with text_edit_free().
struct text_edit {
    struct text_change *changes; // sorted by `from`
    size_t n, room;
    struct text_buffer bytes; // new texts, one after the other
    bool failed;              // out of memory; changes since then are lost
};

// Replaces bytes [from, to) by n bytes. from == to inserts; several texts inserted at one place
// appear in the order of the calls. Returns false, without a change, if the range overlaps an
// earlier one. Lack of memory sets `failed`.
bool text_edit_replace(struct text_edit *edit, size_t from, size_t to, const char *with,
                       size_t n);

// Appends the changed document to `out`. original: the n bytes of the file. In a file whose first
// line ends with CRLF, new lines end with CRLF, too. Lack of memory sets out->failed.
void text_edit_apply(const struct text_edit *edit, const char *original, size_t n,
                     struct text_buffer *out);

void text_edit_free(struct text_edit *edit);
