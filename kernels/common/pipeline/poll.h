// SPDX-License-Identifier: Apache-2.0
// Polls the caller of a long loop, which may end the loop.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The steps between two calls of `over`: a few microseconds of a loop over tasks.
enum { POLL_STEPS = 4096 };

// For one thread at a time.
struct poll {
    bool (*over)(void *self); // returns true to end the loop, and true in all later calls
    void *self;
    uint64_t steps; // so far; starts at 0
};

// Counts a step and returns whether the loop must end. poll NULL: the loop never ends early.
static inline bool poll_over(struct poll *poll)
{
    return poll != NULL && ++poll->steps % POLL_STEPS == 0 && poll->over(poll->self);
}

// Counts n steps and returns whether the loop must end, for loops that are too short to count
// every step.
static inline bool poll_over_after(struct poll *poll, uint64_t n)
{
    if (poll == NULL)
        return false;
    const uint64_t before = poll->steps / POLL_STEPS;
    poll->steps += n;
    return poll->steps / POLL_STEPS != before && poll->over(poll->self);
}

// For poll.over: returns whether the flag, an atomic_bool or NULL, is set.
static inline bool poll_flag(void *flag)
{
    const atomic_bool *stop = flag;
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

// Returns the poll that ends a loop when the flag is set. NULL: never.
static inline struct poll poll_until(const atomic_bool *stop)
{
    return (struct poll){.over = poll_flag, .self = (void *)(uintptr_t)stop};
}

// Returns whether a loop has ended early, or would now.
static inline bool poll_has_ended(struct poll *poll)
{
    return poll != NULL && poll->over(poll->self);
}
