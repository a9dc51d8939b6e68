// SPDX-License-Identifier: Apache-2.0
// Starts a thread that waits for the end of the job or of its time, whichever is first.
#include "base/system/time_limit.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#define LONGEST_S 1e9

static struct timespec deadline(double seconds)
{
    struct timespec at;
    const double wait = fmin(fmax(seconds, 0), LONGEST_S);
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)wait;
    at.tv_nsec += (long)((wait - floor(wait)) * 1e9);
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    return at;
}

static void *wait_for_end(void *self)
{
    struct pps_time_limit *limit = self;
    const struct timespec at = deadline(limit->seconds);
    int outcome = 0;
    pthread_mutex_lock(&limit->lock);
    while (!limit->over && outcome != ETIMEDOUT)
        outcome = pthread_cond_timedwait(&limit->ended, &limit->lock, &at);
    if (!limit->over)
        limit->reached(limit->self);
    pthread_mutex_unlock(&limit->lock);
    return NULL;
}

void pps_time_limit_raise(void *flag)
{
    atomic_store((atomic_bool *)flag, true);
}

enum pps_status pps_time_limit_begin(struct pps_time_limit *limit, double seconds,
                                     void (*reached)(void *self), void *self,
                                     struct pps_error *err)
{
    pthread_condattr_t monotonic;
    *limit = (struct pps_time_limit){.reached = reached, .self = self, .seconds = seconds};
    pthread_mutex_init(&limit->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&limit->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    limit->runs = pthread_create(&limit->thread, NULL, wait_for_end, limit) == 0;
    return limit->runs
               ? PPS_OK
               : pps_fail(err, PPS_E_MACHINE, "cannot start a thread for the time limit");
}

void pps_time_limit_end(struct pps_time_limit *limit)
{
    if (!limit->runs)
        return;
    pthread_mutex_lock(&limit->lock);
    limit->over = true;
    pthread_cond_signal(&limit->ended);
    pthread_mutex_unlock(&limit->lock);
    pthread_join(limit->thread, NULL);
    pthread_cond_destroy(&limit->ended);
    pthread_mutex_destroy(&limit->lock);
    limit->runs = false;
}
