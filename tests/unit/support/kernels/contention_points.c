// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/kernels/contention_points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/random.h"

struct contention_point usual(void)
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

void *scratch_for(const struct contention_point *largest)
{
    const size_t bytes = contention_scratch_bytes(largest);
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(memory, 0x5a, bytes);
    return memory;
}

const char *show(const struct contention_point *p)
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

static double one_of(struct random *r, const double *values, int count)
{
    return values[random_below(r, count)];
}

// Half of the lengths are round, so that many events coincide.
static double length(struct random *r, bool may_be_zero)
{
    static const double round[] = {0.25, 0.5, 0.75, 1, 1.3, 1.5, 2, 2.5, 3, 4};
    if (may_be_zero && random_below(r, 10) == 0)
        return 0;
    return random_below(r, 2) ? one_of(r, round, 10) : 0.05 + 4 * random_unit(r);
}

static double impact(struct random *r)
{
    static const double round[] = {0, 0.1, 0.2, 0.4, 0.5, 0.999};
    return random_below(r, 2) ? one_of(r, round, 6) : 0.99 * random_unit(r);
}

static double priority(struct random *r)
{
    switch (random_below(r, 8)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return (double)(-1 - random_below(r, 3));
    case 3:
        return random_unit(r);
    default:
        return (double)random_below(r, 11) / 10.0;
    }
}

// Mostly small, with a tail of larger ones.
static int32_t size(struct random *r, int32_t most)
{
    int32_t bound = random_below(r, 20) == 0 ? most : most / 4 + 1;
    return (int32_t)(1 + random_below(r, bound));
}

struct contention_point random_point(uint64_t seed)
{
    struct random r = {seed * 0x2545f4914f6cdd1du};
    struct contention_point p = {.n = size(&r, 64), .gpus = size(&r, 16)};
    p.sync_freq = random_below(&r, 2) ? 1 : (int32_t)(1 + random_below(&r, p.n));
    p.fwd_len = length(&r, false);
    p.bwd_len = length(&r, false);
    p.prop_len = length(&r, true);
    p.sync_base_len = length(&r, true);
    p.fwd_impact = impact(&r);
    p.bwd_impact = impact(&r);
    p.pipeline = random_below(&r, 4) == 0 ? CONTENTION_GPIPE : CONTENTION_1F1B;
    p.congestion = random_below(&r, 4) != 0;
    p.channels = random_below(&r, 5) != 0 ? CONTENTION_SHARED
                                          : (enum contention_channels)(1 + random_below(&r, 2));
    for (int k = 0; k < CONTENTION_N_SHARING; k++)
        p.priority[k] = priority(&r);
    return p;
}
