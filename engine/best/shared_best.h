// SPDX-License-Identifier: Apache-2.0
// Shares the values of the best rows among all workers of a run that keeps only the best rows.
// A worker drops every row whose value does not reach the threshold of its group. The rows
// themselves stay with the workers.
#ifndef PPS_ENGINE_BEST_SHARED_BEST_H
#define PPS_ENGINE_BEST_SHARED_BEST_H

#include "engine/best/best_by_group.h"
#include "engine/space/space.h"

#include <pthread.h>
#include <stdatomic.h>

struct pps_shared_best {
    pthread_mutex_t lock; // of tops
    struct pps_best_by_group tops;
    _Atomic uint64_t changes; // how often a threshold may have changed; 0: tops is empty
};

// The copy of a worker; a zeroed copy is empty. It may be out of date, which is safe, as
// thresholds only become harder.
struct pps_rival {
    bool known;
    uint64_t changes; // of the contest at that time
    double group[PPS_MAX_PARAMS];
    double threshold;
};

// The value that a row of this group must reach; takes the lock only where something may have
// changed.
double pps_rival_threshold(struct pps_rival *rival,
                           struct pps_shared_best *contest,
                           const double *group);

// A row has this value: thresholds may become harder.
PPS_MUST_CHECK enum pps_status pps_shared_best_enter(struct pps_shared_best *contest,
                                                     const double *group,
                                                     double value,
                                                     uint64_t index,
                                                     struct pps_error *err);

#endif
