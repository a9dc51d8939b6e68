// SPDX-License-Identifier: Apache-2.0
// Searches 1F1B splits exactly, stage by stage from the first, if the fronts of chain.h do not
// decide: if warm-up or cool-down, or published periods, cost more than the fronts include. Private
// to the solver.
#pragma once

#include "kernels/common/search/chain.h"

struct nd_labels_result {
    bool found; // `layers` is a split below the limit
    // No better split was missed; otherwise max_nodes, the time or the flag ended the search.
    bool finished;
    bool timed_out;
    double value; // by the labels' own sums: that of one_f_one_b.h up to rounding
};

// layers: [stages]. limit: the value to beat; nd_chain_ends has been called with at least this
// limit. Adds the number of labels to *nodes.
enum nd_outcome nd_labels_search(const struct nd_chain *chain, double limit,
                                 const struct nd_effort *effort, double started,
                                 int32_t *layers, struct nd_labels_result *result,
                                 uint64_t *nodes);
