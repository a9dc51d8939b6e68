// SPDX-License-Identifier: Apache-2.0
// Starts threads, which wait at a gate until all of them exist.
#include "base/system/threads.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct team {
    pthread_mutex_t gate;
    bool complete; // all threads exist
    void (*work)(void *self, int i);
    void *self;
};

struct member {
    struct team *team;
    int i;
    pthread_t thread;
};

static void *wait_and_work(void *self)
{
    const struct member *member = self;
    struct team *team = member->team;
    pthread_mutex_lock(&team->gate);
    const bool complete = team->complete;
    pthread_mutex_unlock(&team->gate);
    if (complete)
        team->work(team->self, member->i);
    return NULL;
}

// Starts the threads 1 ... n - 1, runs 0 here, and returns the error of the first that cannot
// start.
static int run_team(struct team *team, struct member *members, int n)
{
    int started = 1, error = 0;
    pthread_mutex_lock(&team->gate);
    for (; started < n && error == 0; started += error == 0) {
        struct member *member = &members[started];
        *member = (struct member){.team = team, .i = started};
        error = pthread_create(&member->thread, NULL, wait_and_work, member);
    }
    team->complete = error == 0;
    pthread_mutex_unlock(&team->gate);
    if (error == 0)
        team->work(team->self, 0);
    for (int i = 1; i < started; i++)
        pthread_join(members[i].thread, NULL);
    return error;
}

enum pps_status pps_parallel(int n, void (*work)(void *self, int i), void *self,
                             struct pps_error *err)
{
    struct team team = {.gate = PTHREAD_MUTEX_INITIALIZER, .work = work, .self = self};
    if (n <= 1) {
        work(self, 0);
        return PPS_OK;
    }
    struct member *members = malloc((size_t)n * sizeof *members);
    if (members == NULL)
        return pps_fail_memory(err, "%d threads", n);
    const int error = run_team(&team, members, n);
    pthread_mutex_destroy(&team.gate);
    free(members);
    if (error == 0)
        return PPS_OK;
    return pps_fail(err, PPS_E_MACHINE,
                    "cannot start %d threads (%s): free memory, or use fewer (-j)", n,
                    strerror(error));
}

static void do_nothing(void *self, int i)
{
    (void)self;
    (void)i;
}

enum pps_status pps_threads_check(int n, struct pps_error *err)
{
    return pps_parallel(n, do_nothing, NULL, err);
}
