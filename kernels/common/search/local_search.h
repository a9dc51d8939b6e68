// SPDX-License-Identifier: Apache-2.0
// Improves a solution by random changes, within a budget of evaluations. The problem supplies the
// changes; the driver decides which changes to keep. All random numbers are keyed: the result depends
// on the seed and the budget, not on threads or time.
#pragma once

#include "base/text/status.h"
#include "kernels/common/pipeline/poll.h"

// A stream of random numbers: those of one seed and one purpose, one after the other. Start with
// {.seed = ..., .purpose = ...}.
struct search_draws {
    uint64_t seed, used;
    uint32_t purpose;
};

uint32_t search_below(struct search_draws *draws, uint32_t n); // 0 ... n - 1; n >= 1
double search_fraction(struct search_draws *draws);            // [0, 1)

// A solution that changes, with a value that is to become small. For one thread.
struct search_problem {
    void *self;
    // Changes the solution and returns its new value. INFINITY: the solution was not changed, is not valid
    // any more, or has a value above `most`; undo follows in all cases. Values above `most` need not be known.
    double (*change)(void *self, struct search_draws *draws, double most);
    void (*undo)(void *self);    // takes the last change back
    void (*keep)(void *self);    // remembers the solution: it is the best so far
    void (*go_back)(void *self); // returns to the solution that was kept last
};

enum { SEARCH_HISTORY_MAX = 1024 };

struct search_limits {
    int64_t budget; // changes at most
    int64_t
        patience;    // changes without improvement, after which it returns to the best solution
    int32_t history; // 1 to SEARCH_HISTORY_MAX; a long history searches widely
    double bound;    // no solution has a smaller value: the search ends there; 0: not known
    uint64_t cost;   // of a change, in steps of the poll
    struct poll *poll;
};

// Late acceptance (Burke, Bykov: The late acceptance hill-climbing heuristic; EJOR 2017): keeps a change
// that is not worse than the solution `history` changes ago. Two searches that differ in their budgets only
// do the same until the smaller one is used. `value` is that of the solution at the start, which the
// problem has kept. Returns the best value; the solution is the best one then. Adds the number of
// changes to *evaluations.
double search_local(const struct search_problem *problem, double value,
                    const struct search_limits *limits, struct search_draws *draws,
                    int64_t *evaluations);
