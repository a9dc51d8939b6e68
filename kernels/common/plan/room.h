// SPDX-License-Identifier: Apache-2.0
// Divides one block of memory into arrays. The same function that takes the arrays also counts the
// bytes: it runs once without memory, and once with the bytes that it counted.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { ROOM_ALIGNMENT = 64 };

// memory: aligned to ROOM_ALIGNMENT bytes, or NULL to count only.
struct room {
    char *memory;
    size_t used; // SIZE_MAX: the sum does not fit in size_t
};

// Returns an array of n elements of `size` bytes; NULL if the room only counts. The bytes are as the
// caller left them.
static inline void *room_take(struct room *room, size_t n, size_t size)
{
    const size_t at = room->used;
    if (at == SIZE_MAX || (size > 0 && n > (SIZE_MAX / 2 - at) / size)) {
        room->used = SIZE_MAX;
        return NULL;
    }
    room->used = (at + n * size + ROOM_ALIGNMENT - 1) / ROOM_ALIGNMENT * ROOM_ALIGNMENT;
    return room->memory == NULL ? NULL : room->memory + at;
}
