// SPDX-License-Identifier: Apache-2.0
// A time limit raises a stop flag after some seconds. It waits in a thread of its own, so that it
// also ends a long point, and needs no signal.
#pragma once

#include "base/text/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct pps_time_limit {
    atomic_bool *stop;
    double seconds;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool runs, over; // over: pps_time_limit_end was called
};

// Starts a limit that raises *stop after `seconds`, at once if they are 0 or less. The limit must
// stay where it is until pps_time_limit_end.
PPS_MUST_CHECK enum pps_status pps_time_limit_begin(struct pps_time_limit *limit,
                                                    double seconds, atomic_bool *stop,
                                                    struct pps_error *err);

// Ends the limit; from now on it no longer raises the flag. A zeroed limit is fine.
void pps_time_limit_end(struct pps_time_limit *limit);
