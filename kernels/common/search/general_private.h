// SPDX-License-Identifier: Apache-2.0
// Searches exactly where no closed form exists: several chunks per stage, split sequences,
// transfers. Private to the solver.
//
// A stage is one of its options (stage_options.h); the longest paths found so far bound the
// undecided stages (cuts.h). Local moves from a balanced start give a good choice; then options
// that are in no better choice are dropped, and a depth-first search over stages decides among
// the rest. If a choice found there is not better, its longest path is a new cut, which ends
// this branch and similar ones.
#ifndef PPS_COMMON_SEARCH_GENERAL_PRIVATE_H
#define PPS_COMMON_SEARCH_GENERAL_PRIVATE_H

#include "kernels/common/search/cuts.h"
#include "kernels/common/search/solve_private.h"

#include <math.h>

struct nd_general {
    const struct nd_program *program;
    struct nd_evaluator *evaluator;
    struct nd_draft *draft;
    struct nd_flights flights;
    struct nd_watch watch;
    struct poll poll; // of the watch
    struct nd_cuts cuts;
    struct nd_pattern pattern;    // the present pattern
    struct nd_options options;    // of the pattern
    int32_t *choice;              // [stages]: the option of each stage
    double *partial;              // [stages + 1][CUTS_MOST]: of the decided stages
    double *forward, *backward;   // [chunks * stages]
    double *forwards, *backwards; // [chunks * stages]: of a path
    double bound;                 // least bound of the undecided patterns
    uint64_t round_end;           // nodes after which useless options are dropped again
    bool complete;                // nothing was skipped so far
    bool over;                    // it is time to stop
};

// Returns the value that a better choice must be below.
static inline double nd_general_limit(const struct nd_general *g)
{
    return g->draft->objective < HUGE_VAL ? g->draft->objective * (1 - ND_SAME) : HUGE_VAL;
}

// Returns the objective of g->choice, which is kept if it is the best. Adds the longest path as
// a cut if it bounds the choice better than `known`. NAN: out of memory.
double nd_general_value(struct nd_general *g, double known);

// Improves g->choice by moves of one stage or two; *found: there is a start. false: out of
// memory.
bool nd_general_improve(struct nd_general *g, bool *found);

// Adds a cut that is a blend of others and bounds better than each of them. false: out of
// memory.
bool nd_general_blend(struct nd_general *g);

// Decides the present options, unless the round ends first. false: out of memory.
bool nd_general_search(struct nd_general *g);

static inline bool nd_general_round_over(const struct nd_general *g)
{
    return g->over || g->draft->nodes >= g->round_end;
}

// Returns the time of a stage of the pattern for all micro-batches with this number of layers
// of type 2, without recompute.
double nd_general_stage_bound(const struct nd_general *g, int32_t stage, double layers);

// Calls visit for every pattern that may be part of a better choice, with g->pattern set;
// patterns with more layers in one chunk come first. After more than `most` patterns, ends with
// g->over and a bound of 0. false: visit returned false.
bool nd_general_patterns(struct nd_general *g,
                         bool (*visit)(struct nd_general *g, void *self),
                         void *self,
                         int32_t most);

// Computes the memory that the worst stage lacks in the best split, in MiB; 0 or less: none.
// HUGE_VAL: no split gives every chunk a layer. *decided: all patterns were examined. false:
// out of memory.
bool nd_general_lack(struct nd_general *g, double *mb, int32_t *stage, bool *decided);

#endif
