// SPDX-License-Identifier: Apache-2.0
// Returns thresholds without a lock as long as nothing has changed, which is nearly always.
#include "engine/best/shared_best.h"

#include <string.h>

double pps_rival_threshold(struct pps_rival *rival,
                           struct pps_shared_best *contest,
                           const double *group)
{
    const size_t bytes = (size_t)contest->tops.n_by * sizeof *group;
    const uint64_t changes = atomic_load_explicit(&contest->changes, memory_order_relaxed);
    if (rival->known && rival->changes == changes && memcmp(rival->group, group, bytes) == 0)
        return rival->threshold;
    pthread_mutex_lock(&contest->lock);
    rival->threshold = pps_best_by_group_threshold(&contest->tops, group);
    pthread_mutex_unlock(&contest->lock);
    rival->known = true;
    rival->changes = changes;
    memcpy(rival->group, group, bytes);
    return rival->threshold;
}

enum pps_status pps_shared_best_enter(struct pps_shared_best *contest,
                                      const double *group,
                                      double value,
                                      uint64_t index,
                                      struct pps_error *err)
{
    pthread_mutex_lock(&contest->lock);
    const enum pps_status status =
        pps_best_by_group_add(&contest->tops, group, value, index, "", 0, err);
    atomic_fetch_add_explicit(&contest->changes, 1, memory_order_relaxed);
    pthread_mutex_unlock(&contest->lock);
    return status;
}
