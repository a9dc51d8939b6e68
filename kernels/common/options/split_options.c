// SPDX-License-Identifier: Apache-2.0
// Hides and removes the options that the caller has marked.
#include "kernels/common/options/split_options.h"

#include <string.h>

static void exchange(void *one, void *two, size_t bytes)
{
    unsigned char *a = one, *b = two;
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char held = a[i];
        a[i] = b[i];
        b[i] = held;
    }
}

void split_options_hide(struct split_options *o, int32_t stage, bool *dropped)
{
    const size_t bytes = (size_t)o->chunks * sizeof *o->forward;
    for (int32_t x = 0; x <= o->most; x++) {
        int32_t *end = &o->end[stage * (o->most + 2) + x];
        for (int32_t k = split_options_first(o, stage, x); k < *end;) {
            if (!dropped[k]) {
                k++;
                continue;
            }
            const int32_t last = --*end;
            exchange(&dropped[k], &dropped[last], sizeof *dropped);
            exchange(&o->id[k], &o->id[last], sizeof *o->id);
            exchange(&o->forward[k * o->chunks], &o->forward[last * o->chunks], bytes);
            exchange(&o->backward[k * o->chunks], &o->backward[last * o->chunks], bytes);
        }
    }
}

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
