// SPDX-License-Identifier: Apache-2.0
// A point of an estimate as it is looked up: memory and time are summed over the kinds of its stages.
#pragma once

#include "kernels/common/estimate/estimate.h"
#include "kernels/common/estimate/estimate_cache.h"
#include "kernels/common/estimate/replicas.h"

// A point with its entries in the cache.
struct nd_view {
    const struct nd_estimate *e;
    const struct nd_strategy *s;
    struct nd_cache *cache;
    const struct nd_shape_place *at;
    const struct nd_replica_place *replicas;
    const struct nd_kinds *kinds;
    struct nd_pipeline pipeline;
    double micro_batches;
};

static inline int64_t nd_some_micro_batches(const struct nd_point *point)
{
    int64_t n = nd_micro_batches(point);
    return n < 1 ? 1 : n;
}

// Fills the time of a point with a mode of recomputation, layercost_mode.
void nd_view_time(const struct nd_view *view, int mode, const struct nd_point *point,
                  struct nd_time *time);
