// SPDX-License-Identifier: Apache-2.0
// Searches exactly where no closed form exists: several chunks per stage, split sequences,
// transfers. Private to the solver.
//
// A stage is one of its options (stage_options.h); longest paths met so far bound what is not decided yet
// (cuts.h). Local moves from a balanced start give a good choice; then options that are in no
// better choice are dropped, and a depth-first search over stages decides among the rest. A choice
// reached there that is no better gives a new path, which ends this branch and its like.
#ifndef PPS_NDSEARCH_GENERAL_H
#define PPS_NDSEARCH_GENERAL_H

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
    struct nd_pattern pattern;    // looked at now
    struct nd_options options;    // of it
    int32_t *choice;              // [stages]: an option each
    double *partial;              // [stages + 1][CUTS_MOST]: of the stages chosen
    double *forward, *backward;   // [chunks * stages]
    double *forwards, *backwards; // the same: of a path
    double bound;                 // least of patterns that are not done
    uint64_t round_end;           // nodes after which useless options are looked for again
    bool complete;                // nothing was skipped so far
    bool over;                    // it is time to stop
};

// What must be beaten.
static inline double nd_general_limit(const struct nd_general *g)
{
    return g->draft->objective < HUGE_VAL ? g->draft->objective * (1 - ND_SAME) : HUGE_VAL;
}

// What g->choice is worth; kept if it is the best. A path is added where it bounds the choice
// better than `known`. NAN: no memory.
double nd_general_value(struct nd_general *g, double known);

// Improves g->choice by moves of one stage or two; *found: there is a start. false: no memory.
bool nd_general_improve(struct nd_general *g, bool *found);

// Adds a cut that is a blend of others and bounds better than each of them. false: no memory.
bool nd_general_blend(struct nd_general *g);

// Decides the options as they are, unless the round ends first. false: no memory.
bool nd_general_search(struct nd_general *g);

static inline bool nd_general_round_over(const struct nd_general *g)
{
    return g->over || g->draft->nodes >= g->round_end;
}

// What a stage of the pattern takes for all micro-batches with so many layers of type 2, none
// recomputed.
double nd_general_stage_bound(const struct nd_general *g, int32_t stage, double layers);

// Calls visit for every pattern that may be part of something better, with g->pattern set; the more
// layers in one chunk, the earlier. More than `most` patterns end it, with g->over and a bound of
// 0. false: visit said so.
bool nd_general_patterns(struct nd_general *g,
                         bool (*visit)(struct nd_general *g, void *self),
                         void *self,
                         int32_t most);

// How much memory is missing on the worst stage in the best split; not above 0: none. HUGE_VAL: no
// split gives every chunk a layer. *decided: all patterns were looked at. false: no memory.
bool nd_general_lack(struct nd_general *g, double *mb, int32_t *stage, bool *decided);

#endif
