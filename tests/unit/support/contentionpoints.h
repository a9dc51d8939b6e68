// SPDX-License-Identifier: Apache-2.0
// Points of the contention model for tests: a usual point, the number of random points, their
// scratch, and a text that describes a point.
#ifndef TEST_CONTENTIONPOINTS_H
#define TEST_CONTENTIONPOINTS_H

#include "contentionamount.h"

#include "kernels/contention/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline struct contention_point usual(void)
{
    return (struct contention_point){.n = 8,
                                     .gpus = 4,
                                     .sync_freq = 1,
                                     .fwd_len = 1,
                                     .bwd_len = 2,
                                     .prop_len = 1,
                                     .sync_base_len = 2,
                                     .fwd_impact = 0.2,
                                     .bwd_impact = 0.2,
                                     .congestion = true,
                                     .priority = {0.3, 0.3, 0.4}};
}

// Scratch for points up to this one; free() gives it back.
static inline void *scratch_for(const struct contention_point *largest)
{
    const size_t bytes = contention_scratch_bytes(largest);
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(memory, 0x5a, bytes);
    return memory;
}

// Returns a text with all fields of a point; valid in this thread until the next call.
static inline const char *show(const struct contention_point *p)
{
    static _Thread_local char text[512];
    snprintf(text, sizeof text,
             "n %d gpus %d sync_freq %d lengths %.17g %.17g %.17g %.17g impacts %.17g %.17g "
             "pipeline %d channels %d congestion %d priorities %.17g %.17g %.17g",
             p->n, p->gpus, p->sync_freq, p->fwd_len, p->bwd_len, p->prop_len, p->sync_base_len,
             p->fwd_impact, p->bwd_impact, p->pipeline, p->channels, p->congestion,
             p->priority[0], p->priority[1], p->priority[2]);
    return text;
}

#endif
