// SPDX-License-Identifier: Apache-2.0
// Decides options exactly by branch and bound with a strong bound: the least makespan of all means of choices. A node
// allows some of the options of every stage; fictitious play (Brown 1951) finds weights of the paths, whose sum is 1,
// for which the best choice is as long as possible. Then the times of a stage that differ most between these choices
// are divided at their mean: one child has the options above it, the other those below.
#pragma once

#include "kernels/common/options/split_search.h"

struct split_branch {
    struct split_search *search;
    int32_t *ends;     // [depth][stages * (most + 2)]: of the options that a node allows
    double *weights;   // [depth][2 * chunks * stages]: of the largest bound of a node
    double *constants; // [depth]
    double *mean;      // [2 * chunks * stages]: times of the mean of the choices of a node
    double *
        moments; // [stages][2 * chunks + 1][2]: means of the times of a stage and of their squares
    bool *dropped; // [options]
    double open;   // least bound of the nodes that are not decided
};

// Takes the memory for a search of at most `options` options, `most` layers of a stage. The search has room for two
// cuts.
void split_branch_take(struct split_branch *branch, struct split_search *search, int32_t most,
                       int32_t options, struct room *room);

// Decides the options of the search, whose first cut holds weights to start from, until search->over. Options change
// their places. Sets search->bound: no choice of the options is below this or search->best. search->nodes counts steps
// of work. The oracle computes the path for any times, also without their value.
void split_branch_run(struct split_branch *branch);
