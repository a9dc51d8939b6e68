// SPDX-License-Identifier: Apache-2.0
// Threads: every number is processed once, on several threads at the same time.
#include "base/system/threads.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/resource.h>

enum { THREADS = 7 };

struct meeting {
    pthread_barrier_t barrier;
    int calls[THREADS];
};

static void meet(void *self, int i)
{
    struct meeting *meeting = self;
    meeting->calls[i]++;
    pthread_barrier_wait(&meeting->barrier);
}

// Catches a number that two threads get or none, and calls one after the other, which never
// meet: the test would hang.
Test(threads, all_at_once)
{
    struct meeting meeting = {.calls = {0}};
    struct pps_error err;
    pthread_barrier_init(&meeting.barrier, NULL, THREADS);
    cr_assert_eq(pps_parallel(THREADS, meet, &meeting, &err), PPS_OK);
    for (int i = 0; i < THREADS; i++)
        cr_expect_eq(meeting.calls[i], 1, "thread %d", i);
    pthread_barrier_destroy(&meeting.barrier);
}

static void count(void *self, int i)
{
    *(int *)self += 1 + i;
}

Test(threads, one)
{
    struct pps_error err;
    int calls = 0;
    cr_assert_eq(pps_parallel(1, count, &calls, &err), PPS_OK);
    cr_assert_eq(calls, 1);
}

#ifndef PPS_SANITIZED // sanitizers reserve terabytes
// Catches work that begins although a thread is missing.
Test(threads, too_many)
{
    struct pps_error err;
    int calls = 0;
    const struct rlimit little = {1 << 28, 1 << 28};
    cr_assert_eq(setrlimit(RLIMIT_AS, &little), 0);
    cr_assert_eq(pps_parallel(100000, count, &calls, &err), PPS_E_MACHINE);
    cr_assert_eq(calls, 0);
}
#endif
