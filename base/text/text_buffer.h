// SPDX-License-Identifier: Apache-2.0
// A text buffer grows as text is appended. Callers append without checks and test `failed` once
// at the end.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct text_buffer {
    char *text; // n bytes, and a NUL after them; NULL before the first
    size_t n, cap;
    bool failed; // out of memory; text appended since then is lost
};

// A zeroed room is empty.
void text_buffer_add(struct text_buffer *room, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_buffer_add_bytes(struct text_buffer *room, const char *bytes, size_t n);
// Appends the fewest digits that read back as the same number.
void text_buffer_add_number(struct text_buffer *room, double value);
// Empties the room for another text and keeps its memory; the text is "" afterwards.
void text_buffer_clear(struct text_buffer *room);
void text_buffer_free(struct text_buffer *room);
