// SPDX-License-Identifier: Apache-2.0
// A growing text buffer. Callers append without checks and test `failed` once at the end.
#ifndef PPS_TEXT_BUFFER_H
#define PPS_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct textroom {
    char *text; // n bytes, and a NUL after them; NULL before the first
    size_t n, cap;
    bool failed; // out of memory; text appended since then is lost
};

// A zeroed room is empty.
void textroom_add(struct textroom *room, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void textroom_add_bytes(struct textroom *room, const char *bytes, size_t n);
// Appends the fewest digits that read back as the same number.
void textroom_add_number(struct textroom *room, double value);
// Empties the room for another text and keeps its memory; the text is "" afterwards.
void textroom_clear(struct textroom *room);
void textroom_free(struct textroom *room);

#endif
