// SPDX-License-Identifier: Apache-2.0
// Allocates scratch memory.
#include "base/system/scratch.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

void *pps_scratch_take(size_t bytes)
{
    const size_t rounded = (bytes + ALIGN) / ALIGN * ALIGN;
    void *scratch = aligned_alloc(ALIGN, rounded);
    return scratch != NULL ? memset(scratch, 0, rounded) : NULL;
}
