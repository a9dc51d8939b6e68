// SPDX-License-Identifier: Apache-2.0
// Extends partial schedules of the exact search by one operation.
//
// Branching follows Giffler and Thompson (Algorithms for Solving Production-Scheduling Problems,
// Operations Research 1960): of all operations that can be next on their device, let one have the
// earliest end; the next operation of its device starts before that end. A forward that fits before
// all further operations of its device never needs more memory there if only backwards come between;
// on a device with several stages, the search also tries to let it wait.
#ifndef PPS_SCHEDULE_EXACT_BRANCH_H
#define PPS_SCHEDULE_EXACT_BRANCH_H

#include "kernels/schedule/exact/layer.h"

// A partial schedule that is being extended.
struct exact_branch {
    struct exact_bound *bound;
    struct exact_state *state; // changes
    struct exact_layer *to;    // receives the extended schedules
    uint32_t parent;           // number of the label
    double parent_bound;
    double cutoff; // only bounds below are of interest
};

// Adds all schedules that follow from the state to the layer. Returns their number.
int exact_expand(const struct exact_branch *branch);

#endif
