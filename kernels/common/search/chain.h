// SPDX-License-Identifier: Apache-2.0
// One chunk a stage, so that a split is a chain of cuts: what the stages can be, and the fronts of
// how they can end. Private to the solver of 1F1B.
//
// Place (i, n) is before stage i with n layers placed. With the notation of one_f_one_b.h, N(j) for the
// rounds of stage j (of all micro-batches), R for growth by recomputation summed over stages, and
// W(n) for what the layers behind the first n take without any, the makespan is at least
//
//   W(0) + R + max over j of [ N(j) c(j) + W(>j) + R(>j) ]                                     (1)
//
// (one_f_one_b.h, without s and e). All but R is known at a place. Hence two numbers say all of the
// stages from a place on: R, their growth, and Z, the greatest bracket among them. The fewer the
// better for both, so the front of a place is its undominated pairs, and the least of (1) is the
// least W(0) + R + Z of the front of place (0, 0). As published the value is no less than (1)
// either: periods that are not laid out cost P max c each.
#ifndef PPS_COMMON_SEARCH_CHAIN_H
#define PPS_COMMON_SEARCH_CHAIN_H

#include "kernels/common/search/time_limit.h"
#include "kernels/common/split/chunk.h"

// A stage at a place: with x layers.
struct nd_link {
    int32_t x;
    double growth, c, f, b;
};

// One undominated end of a place; it continues with an end of place (i + 1, n + x).
struct nd_end {
    double growth, z; // R, Z
    int32_t x;
    int32_t next; // index among the ends of that place
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
    double *work;         // [layers + 1]: W(n), of all that is not placed; the head's included
    double *least_growth; // [places]: of stages from there on; HUGE_VAL: they cannot end
    double *past_growth;  // [places]: least of the stages before
    double *past_z;       // [places]: least of their greatest bracket, without R(>j)
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

// most: [stages], layers a stage may have. NULL: out of memory. There is a split if
// least_growth of place (0, 0) is finite. If the watch ended the function, the chain can only
// be freed.
struct nd_chain *nd_chain_new(const struct nd_program *program,
                              const int32_t *most,
                              struct nd_watch *watch);
void nd_chain_free(struct nd_chain *chain);

// The bracket of stage i at a place, without R(>j). A stage without rounds (stage 0, M = P) has
// what stands for them (one_f_one_b.h), to which no R(>j) is added.
double nd_bracket(const struct nd_chain *chain,
                  const struct nd_link *link,
                  int32_t i,
                  int32_t n,
                  int32_t micro_batches);

// Finds the ends of all places that are part of a solution of which (1) is below `limit`. Adds
// the number of examined ends to *nodes. If the watch ended the function, there are no ends to
// use.
enum nd_outcome nd_chain_ends(struct nd_chain *chain, double limit, uint64_t *nodes);

// Least of (1) of all solutions through a place, given growth R and greatest bracket Z of the
// stages before (their R(>j) up to the place included; -HUGE_VAL: there is none) and a floor that
// is no less than any bracket and gets no R(>j). Exact below the limit of nd_chain_ends, HUGE_VAL
// above it.
double nd_chain_least(const struct nd_chain *chain,
                      int32_t place,
                      double growth,
                      double z,
                      double floor);

#endif
