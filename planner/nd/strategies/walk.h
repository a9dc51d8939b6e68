// SPDX-License-Identifier: Apache-2.0
// Walks a filtered space without visiting rejected points: exact counts after every filter,
// survivors, and their distinct tuples.
//
// Within one quadruple a filter couples few dimensions, so that the space is a product of small
// parts (ep with op, mbs, sp ...). The number of survivors of filters 1..k is the product over the
// parts of the survivors of each part, after the filters that read the part. Counting therefore
// costs the sum of the parts, not their product.
#pragma once

#include "planner/nd/strategies/enumerate.h"
#include "planner/nd/strategies/filters.h"

struct nd_counts {
    uint64_t points;              // of the space
    uint64_t after[ND_N_FILTERS]; // survivors of filters 0..k of the list
    uint64_t survivors;           // of all
    uint64_t tuples;              // distinct (dp, tp, cp, pp, ep, op) among them
};

// Counts as if every point went through every filter in order.
void nd_count(const struct nd_space *space, const struct nd_filters *filters,
              struct nd_counts *counts);

// Visits every survivor in the order of the space. Returns false if visit stopped.
bool nd_survivors(const struct nd_space *space, const struct nd_filters *filters,
                  nd_visit *visit, void *context);

// Visits the distinct tuples (dp, tp, cp, pp, ep, op) of survivors, in the order of the space; vp,
// mbs and sp are the values of the tuple's first survivor.
bool nd_tuples(const struct nd_space *space, const struct nd_filters *filters, nd_visit *visit,
               void *context);

// ---- when nothing survives ----------------------------------------------------------------------

// The nearest space that is not empty: the filters to remove or to widen.
struct nd_relaxation {
    int n;                      // filters to relax, 1 or 2; 0: nothing short of that helps
    enum nd_filter filters[2];  // in the order of the list
    int32_t bounds[2];          // the least bound that suffices; 0: leave the filter out
    uint64_t survivors;         // without these filters
    struct nd_strategy example; // a survivor; with the least bound where there is one
};

// Returns the filter that rejects the last points; ND_N_FILTERS if some survive or the space is
// empty.
enum nd_filter nd_last_filter(const struct nd_filters *filters, const struct nd_counts *counts);

void nd_relax(const struct nd_space *space, const struct nd_filters *filters,
              struct nd_relaxation *relaxation);
