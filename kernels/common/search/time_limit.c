// SPDX-License-Identifier: Apache-2.0
// Reads the clock and the stop flag at intervals.
#include "kernels/common/search/time_limit.h"

enum { CALLS_A_LOOK = 256 };

bool nd_is_told_to_stop(const struct nd_effort *effort)
{
    return (effort->stop != NULL && atomic_load_explicit(effort->stop, memory_order_relaxed)) ||
           (effort->news != NULL && effort->news->over);
}

bool nd_watch_now(struct nd_watch *watch)
{
    const struct nd_effort *effort = watch->effort;
    if (effort == NULL)
        return false;
    if (effort->news != NULL)
        effort->news->look(effort->news);
    if (effort->max_seconds > 0 && !watch->timed_out)
        watch->timed_out = effort->seconds() - watch->started >= effort->max_seconds;
    return watch->timed_out || nd_is_told_to_stop(effort);
}

bool nd_watch_often(struct nd_watch *watch)
{
    if (++watch->calls % CALLS_A_LOOK == 0)
        return nd_watch_now(watch);
    return watch->timed_out || (watch->effort != NULL && nd_is_told_to_stop(watch->effort));
}

bool nd_watch_over(struct nd_watch *watch, uint64_t nodes)
{
    const struct nd_effort *effort = watch->effort;
    if (effort != NULL && effort->max_nodes > 0 && nodes >= effort->max_nodes)
        return true;
    return nd_watch_often(watch);
}

void nd_watch_found(const struct nd_watch *watch, double objective)
{
    if (watch->effort != NULL && watch->effort->news != NULL)
        watch->effort->news->best = objective;
}

static bool is_over(void *self)
{
    return nd_watch_now(self);
}

struct poll nd_watch_poll(struct nd_watch *watch)
{
    return (struct poll){.over = is_over, .self = watch};
}
