// SPDX-License-Identifier: Apache-2.0
// A time limit calls a function after some seconds. It waits in a thread of its own, so that it
// also ends a long point, and needs no signal.
#pragma once

#include "base/text/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct pps_time_limit {
    void (*reached)(void *self);
    void *self;
    double seconds;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool runs, over; // over: pps_time_limit_end was called
};

// Starts a limit that calls reached(self) on its thread after `seconds`, at once if they are 0 or less.
// The limit must stay where it is until pps_time_limit_end.
PPS_MUST_CHECK enum pps_status pps_time_limit_begin(struct pps_time_limit *limit,
                                                    double seconds, void (*reached)(void *self),
                                                    void *self, struct pps_error *err);

// Raises the atomic_bool `flag`.
void pps_time_limit_raise(void *flag);

// Ends the limit; from now on it no longer calls, and a call has returned. A zeroed limit is fine.
void pps_time_limit_end(struct pps_time_limit *limit);
