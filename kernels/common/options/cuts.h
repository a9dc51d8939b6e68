// SPDX-License-Identifier: Apache-2.0
// Keeps lower bounds of the objective that are sums over chunks: the longest paths found so far,
// which exist in every choice. For each path, stores the least amount that the stages from i on can
// add with n layers. Private to the solver.
#pragma once

#include "kernels/common/options/split_options.h"
#include "kernels/common/plan/room.h"

struct split_cut {
    double constant;
    double *forwards, *backwards; // [chunks * stages]: how often the path goes through them
    double *cost;                 // [options]
    // [stages + 1][layers + 1]: least sum over the stages from there on, with this number of layers
    double *rest;
};

// Numbers of layers from `first` to `last`; none if last < first.
struct split_span {
    int32_t first, last;
};

struct split_cuts {
    int32_t stages, chunks, layers;
    int32_t n, most;
    struct split_cut *all;  // [most]
    int32_t *order;         // [most]: the most useful first
    double *columns;        // [3][layers + 1]: temporary
    struct split_span *own; // [stages]: that a stage can have; temporary
    struct split_span
        *after; // [stages + 1]: that the stages from there on can have together; temporary
};

// Takes memory for `most` cuts, >= 1.
void split_cuts_take(struct split_cuts *cuts, int32_t stages, int32_t chunks, int32_t layers,
                     int32_t most, struct room *room);

// Returns the bytes of one cut, without its costs.
size_t split_cut_bytes(int32_t stages, int32_t chunks, int32_t layers);

// Returns the index of a new cut, which replaces the least useful cut if there is no room. The
// caller fills its forwards and backwards, then calls split_cut_price.
int32_t split_cuts_add(struct split_cuts *cuts);

// Moves a cut to the front of `order`, as the most useful.
void split_cuts_praise(struct split_cuts *cuts, int32_t position);

// Gives the cuts room for costs, [most * options]; the costs must be computed again.
void split_cuts_set_costs(struct split_cuts *cuts, double *costs, int32_t options);

// Computes costs and rests for these options. Returns the steps of work.
uint64_t split_cut_price(struct split_cuts *cuts, int32_t cut,
                         const struct split_options *options);

static inline double split_cut_rest(const struct split_cuts *cuts, int32_t cut, int32_t stage,
                                    int32_t layers)
{
    return cuts->all[cut].rest[(int64_t)stage * (cuts->layers + 1) + layers];
}

// Returns a lower bound of all choices of these options.
double split_cuts_bound(const struct split_cuts *cuts);

// Marks the options that a cut proves to be in no choice below `limit`. The other marks stay.
void split_cut_useless(const struct split_cuts *cuts, int32_t cut,
                       const struct split_options *options, double limit, bool *dropped);
