// SPDX-License-Identifier: Apache-2.0
// Keeps lower bounds of the objective that are sums over chunks: the longest paths found so far,
// which exist in every choice. For each path, stores the least amount that the stages from i on can
// add with n layers. Private to the solver.
#ifndef PPS_COMMON_SEARCH_CUTS_H
#define PPS_COMMON_SEARCH_CUTS_H

#include "kernels/common/search/stage_options.h"

enum { CUTS_MOST = 160 };

struct nd_cut {
    double constant;
    double *forwards, *backwards; // [chunks * stages]: how often the path goes through them
    double *cost;                 // [options]
    // [stages + 1][layers + 1]: least sum over the stages from there on, with this number of layers
    double *rest;
};

struct nd_cuts {
    int32_t stages, chunks, layers; // of type 2
    int32_t n;
    struct nd_cut all[CUTS_MOST];
    int32_t order[CUTS_MOST]; // the most useful first
    int32_t options_room;     // of cost
    struct nd_watch *watch;   // can end loops over all cuts, which are then incomplete
};

void nd_cuts_start(struct nd_cuts *cuts,
                   const struct nd_program *program,
                   struct nd_watch *watch);
void nd_cuts_free(struct nd_cuts *cuts);

// Returns the index of a new cut, which replaces the least useful cut if there is no room. The
// caller fills its forwards and backwards, then calls nd_cut_price. -1: out of memory.
int32_t nd_cuts_add(struct nd_cuts *cuts);

// Moves a cut to the front of `order`, as the most useful.
void nd_cuts_praise(struct nd_cuts *cuts, int32_t position);

// Computes costs and rests for these options. false: out of memory.
bool nd_cut_price(struct nd_cuts *cuts, int32_t cut, const struct nd_options *options);
bool nd_cuts_price(struct nd_cuts *cuts, const struct nd_options *options);

static inline double nd_cut_rest(const struct nd_cuts *cuts,
                                 int32_t cut,
                                 int32_t stage,
                                 int32_t layers)
{
    return cuts->all[cut].rest[stage * (cuts->layers + 1) + layers];
}

// Returns a lower bound of all choices of these options.
double nd_cuts_bound(const struct nd_cuts *cuts);

// Marks the options that are in no choice below `limit`; *n_dropped is their number. false: out
// of memory.
bool nd_cuts_useless(const struct nd_cuts *cuts,
                     const struct nd_options *options,
                     double limit,
                     bool *dropped,
                     int32_t *n_dropped);

#endif
