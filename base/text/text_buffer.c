// SPDX-License-Identifier: Apache-2.0
// Appends text to the buffer, which grows by doubling.
#include "base/text/text_buffer.h"

#include "base/text/grow_list.h"
#include "base/text/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(struct text_buffer *room, size_t n)
{
    char *text = room->failed ? NULL : pps_grow(room->text, &room->cap, room->n + n + 1, 1);
    room->failed = text == NULL;
    if (text != NULL)
        room->text = text;
    return text != NULL;
}

void text_buffer_add_bytes(struct text_buffer *room, const char *bytes, size_t n)
{
    if (!make_room(room, n))
        return;
    if (n > 0)
        memcpy(room->text + room->n, bytes, n);
    room->n += n;
    room->text[room->n] = '\0';
}

void text_buffer_add(struct text_buffer *room, const char *format, ...)
{
    char text[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const size_t n = (size_t)vsnprintf(text, sizeof text, format, args);
    if (n < sizeof text)
        text_buffer_add_bytes(room, text, n);
    else if (make_room(room, n)) {
        vsnprintf(room->text + room->n, n + 1, format, again);
        room->n += n;
    }
    va_end(again);
    va_end(args);
}

void text_buffer_add_number(struct text_buffer *room, double value)
{
    char text[NUMBER_TEXT_CAP];
    number_text_write(text, value);
    text_buffer_add_bytes(room, text, strlen(text));
}

void text_buffer_clear(struct text_buffer *room)
{
    room->n = 0;
    text_buffer_add_bytes(room, "", 0);
}

void text_buffer_free(struct text_buffer *room)
{
    free(room->text);
    *room = (struct text_buffer){0};
}
