// SPDX-License-Identifier: Apache-2.0
// Checks whether several verified results are all shards of one experiment.
#ifndef PPS_ENGINE_CHECK_VERIFY_SHARDS_H
#define PPS_ENGINE_CHECK_VERIFY_SHARDS_H

#include "engine/check/verify.h"

#include <stddef.h>

// Returns false unless all n (> 0) results are shards of one experiment with the same number of
// shards. *here is the number of different shards present, *missing the first absent shard (if
// there is one). Changes the order of the results.
bool pps_shards_together(struct pps_verified *verified,
                         size_t n,
                         uint32_t *here,
                         uint32_t *missing);

#endif
