// SPDX-License-Identifier: Apache-2.0
// Finds the choice of options, one for every stage, whose layers add up and whose makespan is the least, and
// proves it. Knows no layers, no memory and no order of operations: an oracle evaluates choices.
//
// The longest paths found so far bound the undecided stages (cuts.h). Options that are in no better choice are
// dropped, and a depth-first search over stages decides among the rest. If a choice found there is not better,
// its longest path is a new cut, which ends this branch and similar ones.
#pragma once

#include "kernels/common/options/cuts.h"

#include <math.h>

// Relative difference below which two values are the same, and a solution is optimal.
#define SPLIT_SAME 1e-9

enum { SPLIT_STEPS = 60 }; // of split_search_blend

struct split_oracle {
    void *self;
    // Returns the objective of the times of all chunks, [chunk * stages + stage]; HUGE_VAL: not allowed. NAN: ended.
    double (*value)(void *self, const double *forward, const double *backward);
    // Computes the longest path for these times as a sum: how often it contains each chunk, and *constant besides.
    // For any times the sum is a lower bound of the objective. Returns false if it has ended.
    bool (*path)(void *self, const double *forward, const double *backward, double *forwards,
                 double *backwards, double *constant);
    // Remembers the choice, which is the best so far: an option of every stage.
    void (*keep)(void *self, const int32_t *choice);
    // Returns whether it is time to stop after so many nodes; often: for loops of short steps. Once true, the
    // result stays true.
    bool (*often)(void *self, uint64_t nodes);
    bool (*now)(void *self);
};

struct split_search {
    int32_t stages, chunks, layers;
    struct split_oracle oracle;
    struct split_options *options; // of the caller
    struct split_cuts cuts;
    int32_t *choice;              // [stages]: the option of each stage
    double *partial;              // [stages + 1][cuts.most]: of the decided stages
    double *forward, *backward;   // [chunks * stages]
    double *forwards, *backwards; // [chunks * stages]: of a path
    double *mean;                 // [2 * chunks * stages]: the best blend
    double *sums;                 // [cuts.most]
    int32_t *played;              // [SPLIT_STEPS][stages]: choices of split_search_blend, and
    double *values;               // [SPLIT_STEPS] their objectives
    double *worst;                // [stages + 1][layers + 1]: temporary of the start
    int32_t *taken;
    double best;  // the least objective so far; HUGE_VAL: none
    double bound; // of split_search_rounds: no choice of its options is below this or `best`
    uint64_t nodes;
    uint64_t round_end; // nodes after which useless options are dropped again
    bool over;          // it is time to stop
    bool failed;        // memory has run out; over is true, too
};

// Takes the memory of a search with at most `cuts` cuts, >= 2. The caller sets oracle and options, and gives the
// cuts room for costs.
void split_search_take(struct split_search *search, int32_t stages, int32_t chunks,
                       int32_t layers, int32_t cuts, struct room *room);

// Computes the prices of all cuts for the present options.
void split_search_price(struct split_search *search);

// Returns the value that a better choice must be below.
static inline double split_search_limit(const struct split_search *s)
{
    return s->best < HUGE_VAL ? s->best * (1 - SPLIT_SAME) : HUGE_VAL;
}

// Returns the objective of the choice, which is kept if it is the best; NAN: the oracle has ended.
double split_search_evaluate(struct split_search *search);

// Returns the objective of the choice as split_search_evaluate does, HUGE_VAL for NAN. Adds the longest path as
// a cut if it bounds the choice better than `known`.
double split_search_value(struct split_search *search, double known);

// Improves the choice by moves of one stage or two from a start of its own. Returns false if there is no start.
bool split_search_improve(struct split_search *search);

// Sets the choice to one with the least value of a cut. Returns false if there is none.
bool split_search_least(struct split_search *search, int32_t cut);

// Adds a cut that is a blend of others and bounds better than each of them. There is a cut.
void split_search_blend(struct split_search *search);

// Decides the present options in rounds: between rounds, options that new paths or a better choice have made
// useless are dropped. All are decided unless search->over. dropped: [options]: temporary.
void split_search_rounds(struct split_search *search, bool *dropped);
