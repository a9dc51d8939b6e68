// SPDX-License-Identifier: Apache-2.0
// Finds the division of an order of samples into groups with the smallest objective, exactly: the least sum of
// group times for every bound of the longest group that can be optimal.
#pragma once

#include "kernels/dynapipe/split/groups.h"

enum split_outcome {
    SPLIT_FOUND,
    SPLIT_INFEASIBLE, // a sample is in no allowed group
    SPLIT_STOPPED,    // by the poll
};

// Consecutive groups: group g has the samples at positions start[g] to start[g + 1] - 1.
struct split_division {
    int32_t count;
    int32_t *start;                 // [count + 1]
    double objective, longest, sum; // ms
};

// Memory of the solver.
struct split_divider {
    double *least; // [samples + 1]: the least sum of the samples before a position
    int32_t *ends; // [samples]: extents of groups that are not longer than the bound
    struct split_division found; // with the present bound
    int64_t passes;              // over the groups, of the last division
};

void split_divider_take(struct split_divider *divider, int32_t samples, struct room *room);

// Divides the samples. Of equal objectives the division with the shortest longest group is the answer.
// division->start: [samples + 1], of the caller. poll: may be NULL.
enum split_outcome split_divide(struct split_divider *divider,
                                const struct split_groups *groups,
                                const struct split_pipeline *pipeline, struct poll *poll,
                                struct split_division *division);
