// SPDX-License-Identifier: Apache-2.0
// Moves a list to more memory when it needs room for more items.
#pragma once

#include <stddef.h>

// Returns the list with room for at least `wanted` items of `unit` bytes each. *room is the
// number of items that the list has room for. If *room is too small, the list is moved to new
// memory with more than twice the room, contents included. Returns NULL if memory runs out, which
// pps_memory_failed remembers; the list and *room are unchanged then. An empty list is NULL with *room 0. Free the list with
// free().
void *pps_grow(void *list, size_t *room, size_t wanted, size_t unit);
