// SPDX-License-Identifier: Apache-2.0
// Searches 1F1B splits exactly, stage by stage from the first, if the fronts of chain.h do not
// decide: if warm-up or cool-down, or published periods, cost more than the fronts include. Private
// to the solver.
#ifndef PPS_NDSEARCH_LABELS_H
#define PPS_NDSEARCH_LABELS_H

#include "kernels/common/search/chain.h"

struct nd_labels_result {
    bool found;    // a split worth less than the limit, in `layers`
    bool finished; // none worth less was missed; otherwise max_nodes, time or the flag ended it
    bool timed_out;
    double value; // by the labels' own sums: that of one_f_one_b.h up to rounding
};

// layers: [stages], of each. limit: what to be better than; nd_chain_ends has been called with at
// least that. *nodes grows by the labels made.
enum nd_outcome nd_labels_search(const struct nd_chain *chain,
                                 double limit,
                                 const struct nd_effort *effort,
                                 double started,
                                 int32_t *layers,
                                 struct nd_labels_result *result,
                                 uint64_t *nodes);

#endif
