// SPDX-License-Identifier: Apache-2.0
// Finds lower bounds of 1F1B splits: a split is a chain of cuts, since each stage has one
// chunk. A link is a possible stage; an end is a possible way to place the layers that remain.
// Private to the solver of 1F1B.
//
// Place (i, n) is before stage i with n layers placed. The notation is that of one_f_one_b.h, and:
//
//   N(j)  rounds of stage j, for all micro-batches
//   R     growth of time by recomputation, summed over stages
//   W(n)  time of the layers behind the first n, without recomputation
//
// The makespan is at least
//
//   W(0) + R + max over j of [ N(j) c(j) + W(>j) + R(>j) ]                                     (1)
//
// (one_f_one_b.h, without s and e). All terms but R are known at a place. Hence two numbers
// describe the stages from a place on: their growth R, and Z, the greatest of their brackets.
// Smaller is better for both numbers. The front of a place therefore keeps the undominated pairs,
// and the least value of (1) is the least W(0) + R + Z in the front of place (0, 0). The published
// objective is no less than (1) either, as each period that is not laid out costs P max c.
#pragma once

#include "kernels/common/search/time_limit.h"
#include "kernels/common/split/chunk.h"

// A stage with x layers at a place.
struct nd_link {
    int32_t x;
    double growth, c, f, b;
};

// An undominated end of place (i, n): stage i has x layers, an end of place (i + 1, n + x) follows.
struct nd_end {
    double growth, z; // R, Z
    int32_t x;
    int32_t next; // index among the ends of place (i + 1, n + x)
};

struct nd_ends_of {
    int32_t first, n; // by growth ascending, by z descending
};

struct nd_chain {
    const struct nd_program *program;
    struct nd_watch *watch;
    int32_t stages, layers;
    int32_t *link_start;   // [places + 1]
    struct nd_link *links; // of all places, x ascending without gaps
    int32_t n_links;
    double *work;               // [layers + 1]: W(n), of the layers not yet placed and the head
    double *least_growth;       // [places]: of the stages from the place on; HUGE_VAL: no end
    double *past_growth;        // [places]: least growth of the stages before
    double *past_z;             // [places]: least maximum of the brackets before, without R(>j)
    struct nd_ends_of *ends_of; // [places]
    struct nd_end *ends;
    int32_t n_ends;
    size_t ends_room;
};

static inline int32_t nd_place(const struct nd_chain *chain, int32_t i, int32_t n)
{
    return i * (chain->layers + 1) + n;
}

// Rounds of stage i when m micro-batches are laid out.
static inline double nd_rounds(const struct nd_chain *chain, int32_t m, int32_t i)
{
    return m - chain->stages + i;
}

// most: [stages], the most layers that each stage may have. A split exists if least_growth of
// place (0, 0) is finite. If the watch ended the function, only nd_chain_free accepts the chain.
// Returns NULL when out of memory.
struct nd_chain *nd_chain_new(const struct nd_program *program, const int32_t *most,
                              struct nd_watch *watch);
void nd_chain_free(struct nd_chain *chain);

// Returns the bracket of stage i at a place, without R(>j). If the stage has no rounds (stage 0,
// M = P), returns the term that replaces the rounds in one_f_one_b.h; no R(>j) is added to this term.
double nd_bracket(const struct nd_chain *chain, const struct nd_link *link, int32_t i,
                  int32_t n, int32_t micro_batches);

// Finds the ends of all places that are part of a solution whose bound (1) is below `limit`. Adds
// the number of examined ends to *nodes. If the watch ended the function, the ends are incomplete
// and must not be used.
enum nd_outcome nd_chain_ends(struct nd_chain *chain, double limit, uint64_t *nodes);

// Returns the least (1) of all solutions through a place. growth: R of the stages before the place.
// z: the greatest bracket of these stages with their R(>j) up to the place; -HUGE_VAL: no bracket.
// floor: a lower limit of the greatest bracket, without R(>j). The value is exact below the limit of
// nd_chain_ends, and HUGE_VAL above this limit.
double nd_chain_least(const struct nd_chain *chain, int32_t place, double growth, double z,
                      double floor);
