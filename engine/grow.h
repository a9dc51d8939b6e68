// SPDX-License-Identifier: Apache-2.0
// Lists that grow as things are added to them.
#ifndef PPS_GROW_H
#define PPS_GROW_H

#include <stddef.h>

// The list with room for `wanted` things of `unit` bytes each: itself where *room, which says for how
// many there is room, is enough; else one more than twice as long, with what was in it. NULL: no
// memory; the list and *room are as they were. An empty list is NULL and 0. Free it with free().
void *pps_grow(void *list, size_t *room, size_t wanted, size_t unit);

#endif
