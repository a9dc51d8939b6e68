// SPDX-License-Identifier: Apache-2.0
// Whether a search has had its time. Private to the solver.
#ifndef PPS_NDSEARCH_CLOCKWATCH_H
#define PPS_NDSEARCH_CLOCKWATCH_H

#include "program.h"

struct nd_watch {
    const struct nd_effort *effort; // or NULL
    double started;                 // s, of nd_seconds
    uint64_t looked;                // nodes at the last look at the clock
    bool timed_out;                 // it was the clock
};

// Of a clock that only goes on.
double nd_seconds(void);

// Whether to stop; looks at the clock only now and then.
bool nd_watch_over(struct nd_watch *watch, uint64_t nodes);

#endif
