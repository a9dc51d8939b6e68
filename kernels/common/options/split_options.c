// SPDX-License-Identifier: Apache-2.0
// Removes the options that the caller has marked.
#include "kernels/common/options/split_options.h"

#include <string.h>

void split_options_drop(struct split_options *o, const bool *dropped)
{
    const size_t v = (size_t)o->chunks;
    const int32_t starts = o->stages * (o->most + 2);
    int32_t kept = 0, at = 0;
    for (int32_t k = 0; k <= o->n; k++) {
        for (; at < starts && o->start[at] == k; at++)
            o->start[at] = kept;
        if (k == o->n || dropped[k])
            continue;
        o->layers[kept] = o->layers[k];
        o->id[kept] = o->id[k];
        memmove(o->forward + (size_t)kept * v, o->forward + (size_t)k * v,
                v * sizeof *o->forward);
        memmove(o->backward + (size_t)kept * v, o->backward + (size_t)k * v,
                v * sizeof *o->backward);
        kept++;
    }
    o->n = kept;
}
