// SPDX-License-Identifier: Apache-2.0
// Watches the time limit, the stop flag and the search limit of a solver.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "kernels/common/search/solve.h"

struct nd_watch {
    const struct nd_effort *effort; // or NULL: never stop
    double started;                 // s, by the clock of the effort
    uint64_t calls;                 // of nd_watch_often
    bool timed_out;                 // the time limit is over
};

// Returns whether the stop flag is set, or the listener has no more patience.
bool nd_is_told_to_stop(const struct nd_effort *effort);

// Returns whether to stop, by the clock or the stop flag. Once true, the result stays true, so a
// stopped function needs no result of its own. For loops whose iterations take microseconds or
// more.
bool nd_watch_now(struct nd_watch *watch);

// Like nd_watch_now, for shorter iterations: checks only at every 256th call.
bool nd_watch_often(struct nd_watch *watch);

// Like nd_watch_often, and also stops at the search limit of max_nodes.
bool nd_watch_over(struct nd_watch *watch, uint64_t nodes);

// Tells that a choice with this objective was found, the best so far.
void nd_watch_found(const struct nd_watch *watch, double objective);

// Returns a poll, for the loops of kernels/common, that asks nd_watch_now. The watch must outlive the
// poll.
struct poll nd_watch_poll(struct nd_watch *watch);
