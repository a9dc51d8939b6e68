// SPDX-License-Identifier: Apache-2.0
// Grows the buffer by doubling.
#include "base/text/text_buffer.h"

#include "base/text/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct textroom *room, size_t n)
{
    if (room->failed || n + 1 <= room->cap - room->n)
        return !room->failed;
    const size_t cap = 2 * room->cap > room->n + n + 1 ? 2 * room->cap : room->n + n + 256;
    char *text = realloc(room->text, cap);
    if (text == NULL) {
        room->failed = true;
        return false;
    }
    room->text = text;
    room->cap = cap;
    return true;
}

void textroom_add_bytes(struct textroom *room, const char *bytes, size_t n)
{
    if (n == 0 || !make_room(room, n))
        return;
    memcpy(room->text + room->n, bytes, n);
    room->n += n;
    room->text[room->n] = '\0';
}

void textroom_add(struct textroom *room, const char *format, ...)
{
    char text[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const size_t n = (size_t)vsnprintf(text, sizeof text, format, args);
    if (n < sizeof text)
        textroom_add_bytes(room, text, n);
    else if (make_room(room, n)) {
        vsnprintf(room->text + room->n, n + 1, format, again);
        room->n += n;
    }
    va_end(again);
    va_end(args);
}

void textroom_add_number(struct textroom *room, double value)
{
    char text[NUMTEXT_CAP];
    numtext_write(text, value);
    textroom_add_bytes(room, text, strlen(text));
}

void textroom_free(struct textroom *room)
{
    free(room->text);
    *room = (struct textroom){0};
}
