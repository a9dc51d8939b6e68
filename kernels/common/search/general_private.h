// SPDX-License-Identifier: Apache-2.0
// Searches exactly where no closed form exists: several chunks per stage, split sequences,
// transfers. Private to the solver.
//
// A stage is one of its options (stage_options.h). Local moves from a balanced start give a good choice; then
// the search over options (split_search.h) decides.
#pragma once

#include "kernels/common/options/split_search.h"
#include "kernels/common/search/solve_private.h"
#include "kernels/common/search/stage_options.h"

#include <math.h>

struct nd_general {
    const struct nd_program *program;
    struct nd_evaluator *evaluator;
    struct nd_draft *draft;
    struct nd_flights flights;
    struct nd_watch watch;
    struct poll poll; // of the watch
    struct split_search search;
    void *memory;              // of the search
    double *costs;             // of the cuts, for
    int32_t costs_room;        // options
    struct nd_pattern pattern; // the present pattern
    struct nd_options options; // of the pattern
    double bound;              // least bound of the undecided patterns
    bool complete;             // nothing was skipped so far
};

// Returns the value that a better choice must be below.
static inline double nd_general_limit(const struct nd_general *g)
{
    return split_search_limit(&g->search);
}

// Returns the oracle of the search, which evaluates the present options.
struct split_oracle nd_general_oracle(struct nd_general *g);

// Returns the time of a stage of the pattern for all micro-batches with this number of layers
// of type 2, without recompute.
double nd_general_stage_bound(const struct nd_general *g, int32_t stage, double layers);

// Calls visit for every pattern that may be part of a better choice, with g->pattern set;
// patterns with more layers in one chunk come first. After more than `most` patterns, ends with
// g->search.over and a bound of 0. false: visit returned false.
bool nd_general_patterns(struct nd_general *g, bool (*visit)(struct nd_general *g, void *self),
                         void *self, int32_t most);

// Computes the memory that the worst stage lacks in the best split, in MiB; 0 or less: none.
// HUGE_VAL: no split gives every chunk a layer. *decided: all patterns were examined. false:
// out of memory.
bool nd_general_lack(struct nd_general *g, double *mb, int32_t *stage, bool *decided);
