// SPDX-License-Identifier: Apache-2.0
// Maps the priority scenarios of a sweep to one axis. A scenario is a choice of kinds with a
// tier, and a split of weight 1 over the other kinds in multiples of a step. Nothing is stored:
// arithmetic computes the values from an index.
//
// Order: scenario by scenario; within one, weights ascend lexicographically as (fwd_prop,
// grad_prop, grad_sync). A scenario in which no kind shares is one value.
#pragma once

#include "kernels/contention/model/model.h"

enum contention_tiers {
    CONTENTION_TIERS_DEFAULT, // no tier; fwd_prop a; grad_prop a
    CONTENTION_TIERS_ALL,     // every assignment of none, a, b, c without a gap in the letters
    CONTENTION_TIERS_LIST,
};

struct contention_scenarios {
    int64_t steps; // weights are multiples of 1 / steps; >= 1
    enum contention_tiers tiers;
    size_t n_rows;      // of a list, >= 1
    const double *rows; // n_rows x 3 priorities; NAN: no tier
};

// Returns the number of values; 0: more than 2^53.
uint64_t contention_scenarios_count(const struct contention_scenarios *s);

// Computes the priorities of index < count; a weight is the double nearest to i / steps.
void contention_scenarios_value(const struct contention_scenarios *s, uint64_t index,
                                double priority[CONTENTION_N_SHARING]);
