// SPDX-License-Identifier: Apache-2.0
// Counts the shards of an experiment.
#include "engine/check/verify_shards.h"

#include <stdlib.h>

static int by_shard(const void *a, const void *b)
{
    const struct pps_verified *x = a, *y = b;
    return (x->shard > y->shard) - (x->shard < y->shard);
}

bool pps_shards_together(struct pps_verified *verified,
                         size_t n,
                         uint32_t *here,
                         uint32_t *missing)
{
    for (size_t i = 0; i < n; i++)
        if (verified[i].n_shards < 2 || verified[i].n_shards != verified[0].n_shards ||
            verified[i].digest != verified[0].digest)
            return false;
    qsort(verified, n, sizeof *verified, by_shard);
    *here = *missing = 0;
    for (size_t i = 0; i < n; i++) {
        *here += i == 0 || verified[i].shard != verified[i - 1].shard;
        *missing += verified[i].shard == *missing;
    }
    return true;
}
