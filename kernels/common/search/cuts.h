// SPDX-License-Identifier: Apache-2.0
// Keeps lower bounds of the objective that are sums over chunks: the longest paths found so far,
// which exist in every choice. For each path, stores the least amount that the stages from i on can
// add with n layers. Private to the solver.
#ifndef PPS_NDSEARCH_CUTS_H
#define PPS_NDSEARCH_CUTS_H

#include "kernels/common/search/stage_options.h"

enum { CUTS_MOST = 160 };

struct nd_cut {
    double constant;
    double *forwards, *backwards; // [chunks * stages]: how often the path goes through them
    double *cost;                 // [options]
    double
        *rest; // [stages + 1][layers + 1]: least of stages from there on, with so many layers
};

struct nd_cuts {
    int32_t stages, chunks, layers; // of type 2
    int32_t n;
    struct nd_cut all[CUTS_MOST];
    int32_t order[CUTS_MOST]; // the most useful first
    int32_t options_room;     // of cost
    struct nd_watch *watch;   // may end what goes over all cuts: then some of it is not done
};

void nd_cuts_start(struct nd_cuts *cuts,
                   const struct nd_program *program,
                   struct nd_watch *watch);
void nd_cuts_free(struct nd_cuts *cuts);

// A place for a new cut: of the least useful one where there is no more. Its forwards and backwards
// are to be filled, then nd_cut_price is to be called. -1: no memory.
int32_t nd_cuts_add(struct nd_cuts *cuts);

// Makes a cut the most useful.
void nd_cuts_praise(struct nd_cuts *cuts, int32_t position);

// Costs and rests for these options. false: no memory.
bool nd_cut_price(struct nd_cuts *cuts, int32_t cut, const struct nd_options *options);
bool nd_cuts_price(struct nd_cuts *cuts, const struct nd_options *options);

static inline double nd_cut_rest(const struct nd_cuts *cuts,
                                 int32_t cut,
                                 int32_t stage,
                                 int32_t layers)
{
    return cuts->all[cut].rest[stage * (cuts->layers + 1) + layers];
}

// No choice of these options is below.
double nd_cuts_bound(const struct nd_cuts *cuts);

// Marks options that are in no choice below `limit`; *n_dropped of them. false: no memory.
bool nd_cuts_useless(const struct nd_cuts *cuts,
                     const struct nd_options *options,
                     double limit,
                     bool *dropped,
                     int32_t *n_dropped);

#endif
