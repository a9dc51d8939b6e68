// SPDX-License-Identifier: Apache-2.0
// Assigns filters to the levels of a walk that decide them. Dimensions that one filter reads
// together form a part; within a quadruple, parts are independent. Private to the walks.
#ifndef PPS_PLANNER_ND_STRATEGIES_FILTER_PARTS_H
#define PPS_PLANNER_ND_STRATEGIES_FILTER_PARTS_H

#include "planner/nd/strategies/enumerate.h"
#include "planner/nd/strategies/filters.h"

enum nd_dimension {
    ND_EP,
    ND_OP,
    ND_VP,
    ND_MBS,
    ND_SP,
    ND_DIMENSIONS,
};

// The filters that are decided at one level of a walk, as places in the list, ascending.
struct nd_level {
    enum nd_dimension dimension;
    int n;
    int places[ND_N_FILTERS];
    int earliest; // place of a filter of this level or further in; n of the list: there is none
};

struct nd_part {
    unsigned dimensions;
    int n_levels;
    struct nd_level levels[ND_DIMENSIONS];
};

struct nd_walk {
    const struct nd_space *space;
    const struct nd_filters *filters;
    struct nd_part whole; // all dimensions, as if they were one part
    int n_parts;
    struct nd_part parts[ND_DIMENSIONS];
    struct nd_domains domains;
    struct nd_strategy point;
};

// Sorts the filters into parts and levels.
void nd_walk_begin(struct nd_walk *walk,
                   const struct nd_space *space,
                   const struct nd_filters *filters);

// Sets the point's quadruple and the domains within it.
void nd_walk_enter(struct nd_walk *walk, const struct nd_quad *quad);

int nd_walk_size(const struct nd_walk *walk, enum nd_dimension dimension);

// Takes the k-th value of a dimension. Returns false if the value is incompatible with the values
// taken before.
bool nd_walk_take(struct nd_walk *walk, enum nd_dimension dimension, int k);

// The first place before `first` of a filter of the level that does not keep the point, or `first`.
int nd_walk_decide(const struct nd_walk *walk, const struct nd_level *level, int first);

// The same for filters that read the quadruple alone; n of the list: all keep it.
int nd_walk_decide_quad(const struct nd_walk *walk);

#endif
