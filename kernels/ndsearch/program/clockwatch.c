// SPDX-License-Identifier: Apache-2.0
// Asking the clock now and then.
#include "clockwatch.h"

#include <time.h>

enum { NODES_A_LOOK = 1000 };

double nd_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool nd_watch_over(struct nd_watch *watch, uint64_t nodes)
{
    const struct nd_effort *effort = watch->effort;
    if (effort == NULL)
        return false;
    if (effort->max_nodes > 0 && nodes >= effort->max_nodes)
        return true;
    if (effort->stop != NULL && atomic_load_explicit(effort->stop, memory_order_relaxed))
        return true;
    if (effort->max_seconds > 0 && nodes - watch->looked >= NODES_A_LOOK) {
        watch->looked = nodes;
        watch->timed_out = nd_seconds() - watch->started >= effort->max_seconds;
    }
    return watch->timed_out;
}
