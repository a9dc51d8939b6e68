// SPDX-License-Identifier: Apache-2.0
// Checks threads: starts all of them and lets them wait at a gate at the same time.
#include "base/system/threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *wait_at_gate(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

enum pps_status pps_threads_check(int n, struct pps_error *err)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int started = 0, error = 0;
    if (n <= 1)
        return PPS_OK;
    pthread_t *threads = calloc((size_t)n - 1, sizeof *threads);
    if (threads == NULL)
        return pps_fail_memory(err, "%d threads", n);
    pthread_mutex_lock(&gate);
    while (started < n - 1 && error == 0) {
        error = pthread_create(&threads[started], NULL, wait_at_gate, &gate);
        started += error == 0;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    pthread_mutex_destroy(&gate);
    if (error == 0)
        return PPS_OK;
    return pps_fail(err, PPS_E_MACHINE,
                    "cannot start %d threads (%s): free memory, or use fewer (-j)", n,
                    strerror(error));
}
