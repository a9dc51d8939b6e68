// SPDX-License-Identifier: Apache-2.0
// Whether a search has had its time. Private to the solver.
#ifndef PPS_NDSEARCH_CLOCKWATCH_H
#define PPS_NDSEARCH_CLOCKWATCH_H

#include "program.h"

struct nd_watch {
    const struct nd_effort *effort; // or NULL
    double started;                 // s, of nd_seconds
    uint64_t calls;                 // of nd_watch_often
    bool timed_out;                 // it was the clock
};

// Of a clock that only goes on.
double nd_seconds(void);

// Whether to stop, by the clock or the stop flag. Once it says so, it always does: a function that
// was stopped need not say so itself. For loops of which a turn takes microseconds or more.
bool nd_watch_now(struct nd_watch *watch);

// The same for loops of which a turn takes less: looks only at every 256th call.
bool nd_watch_often(struct nd_watch *watch);

// The same, or so many nodes are the most that are allowed.
bool nd_watch_over(struct nd_watch *watch, uint64_t nodes);

#endif
