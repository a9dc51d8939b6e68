// SPDX-License-Identifier: Apache-2.0
// Grows lists by doubling, so adding an item has a constant cost on average.
#include "base/text/grow_list.h"

#include "base/text/status.h"

#include <stdint.h>
#include <stdlib.h>

enum { FIRST = 16 };

void *pps_grow(void *list, size_t *room, size_t wanted, size_t unit)
{
    if (wanted <= *room)
        return list;
    const size_t most = SIZE_MAX / unit;
    const size_t twice = *room < (most - FIRST) / 2 ? 2 * *room + FIRST : most;
    const size_t more = wanted > twice ? wanted : twice;
    void *grown = more <= most ? realloc(list, more * unit) : NULL;
    if (grown != NULL)
        *room = more;
    else
        pps_memory_note();
    return grown;
}
