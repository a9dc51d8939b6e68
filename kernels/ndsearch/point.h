// SPDX-License-Identifier: Apache-2.0
// What the values of a point mean: a strategy, the model, cluster and training it is for, the memory
// it may use; and what a worker keeps open from point to point.
#ifndef PPS_NDSEARCH_POINT_H
#define PPS_NDSEARCH_POINT_H

#include "opened.h"
#include "shared.h"

enum { ND_SETTINGS = 14 }; // parameters on which an open estimate depends

// In a worker's scratch; the cache of estimates lies behind it.
struct nd_worker {
    struct nd_opened opened;
    double last[ND_SETTINGS];
    const struct nd_estimate *estimate; // of `last`; NULL: none yet
};

struct nd_cache *nd_worker_cache(struct nd_worker *worker);

// The estimate for the point's model, cluster and training.
const struct nd_estimate *nd_worker_estimate(struct nd_worker *worker,
                                             const struct nd_shared *shared,
                                             const double *value);

// The strategy, without recompute where that is to be chosen.
struct nd_point nd_point_of(const double *value);

// Bytes a device may use; HUGE_VAL: nothing says.
double nd_limit_of(const struct nd_shared *shared, const double *value);

#endif
