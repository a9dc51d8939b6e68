// SPDX-License-Identifier: Apache-2.0
// Converts the values of a point to a strategy, its estimate and its memory limit, and defines the
// state that a worker keeps between points.
#pragma once

#include "kernels/ndsearch/documents.h"
#include "kernels/ndsearch/open_estimates.h"

enum { ND_SETTINGS = 16 }; // parameters on which an open estimate depends

// Lies in a worker's scratch; the cache of estimates follows.
struct nd_worker {
    struct nd_opened opened;
    double last[ND_SETTINGS];
    const struct nd_estimate *estimate; // of `last`; NULL: none yet
};

struct nd_cache *nd_worker_cache(struct nd_worker *worker);

// Returns the model, the cluster and the training of a point.
struct nd_setting nd_setting_of(const struct nd_shared *shared, const double *value);

// Returns the estimate for the point's model, cluster and training.
const struct nd_estimate *nd_worker_estimate(struct nd_worker *worker,
                                             const struct nd_shared *shared,
                                             const double *value);

// Returns the strategy; with recompute auto, the strategy has no recompute.
struct nd_point nd_point_of(const double *value);

// Returns the usable bytes of a device; HUGE_VAL if unknown.
double nd_limit_of(const struct nd_shared *shared, const double *value);
