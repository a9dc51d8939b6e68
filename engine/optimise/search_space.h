// SPDX-License-Identifier: Apache-2.0
// The search space of an experiment: some parameters are searched, all combinations of the others are
// arms. The kernel's composite axis (the weights of kinds of transfers) is searched as weights that add up
// to a constant; each assignment of names (tiers) to its members is an arm of its own.
#pragma once

#include "base/text/status.h"
#include "base/text/string_pool.h"
#include "engine/experiment/experiment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- domain -------------------------------------------------------------------------------------

enum {
    PPS_MOST_COORDINATES = 32,
    PPS_FOR_START = 12 << 24, // the random numbers that choose starts
};

struct pps_domain {
    int n_box;                          // coordinates 0 ... n_box - 1
    int n_weights;                      // the coordinates after them; 0, or at least 2
    double grain[PPS_MOST_COORDINATES]; // least change of a number that matters
};

// Returns the number of coordinates.
static inline int pps_domain_size(const struct pps_domain *domain)
{
    return domain->n_box + domain->n_weights;
}

// Moves x to the nearest place in the domain: numbers are cut at 0 and 1, and weights are projected on
// the simplex (Held, Wolfe, Crowder 1974; Duchi, Shalev-Shwartz, Singer, Chandra: Efficient projections
// onto the l1-ball; ICML 2008, figure 1).
void pps_domain_repair(const struct pps_domain *domain, double *x);

void pps_domain_middle(const struct pps_domain *domain, double *x);

// Draws place k evenly: weights are spacings of exponential numbers.
void pps_domain_draw(const struct pps_domain *domain, uint64_t seed, uint64_t k, double *x);

// ---- search space -------------------------------------------------------------------------------

enum { PPS_MOST_ARMS = 4096, PPS_MOST_WEIGHTS = 16 };

struct pps_box {
    int param;
    double low, high;
    bool whole;   // whole numbers only
    int decimals; // of the values
};

struct pps_arm {
    double point[PPS_MAX_PARAMS]; // without the searched parameters
    int weights[PPS_MOST_WEIGHTS];
    double sum; // of the weights
    struct pps_domain domain;
    uint32_t group; // arms whose amount of work is equal
};

struct pps_search_space {
    const struct pps_experiment *experiment;
    int objective;
    int n_boxes;
    struct pps_box boxes[PPS_MOST_COORDINATES];
    const struct pps_axis *composite; // searched; or NULL
    uint64_t searched;                // parameters, one bit each
    uint64_t varied; // searched parameters, and those of which arms have several values
    struct pps_arm *arms;
    size_t n_arms, room;
    struct pps_string_pool keys;   // finds an arm
    struct pps_string_pool groups; // "n=8"
};

// Opens the space of the parameters named in `over`: NAME or NAME=LOW..HIGH, separated by commas. NULL:
// the composite axis and the continuous axes; if there are none, all real parameters with several
// values. `objective` is a column, which decides the groups. Returns PPS_E_INPUT for names that cannot be
// searched and for too many arms. The caller closes the space in every case.
PPS_MUST_CHECK enum pps_status pps_search_space_open(struct pps_search_space *space,
                                                     const struct pps_experiment *experiment,
                                                     const char *over, int objective,
                                                     struct pps_error *err);
void pps_search_space_close(struct pps_search_space *space);

// Writes the point of an arm at coordinates x of its domain, rounded as rows show it.
void pps_search_space_point(const struct pps_search_space *space, const struct pps_arm *arm,
                            const double *x, double *point);

// Finds the arm of a point, and the point's coordinates. Returns false if there is none.
bool pps_search_space_find(struct pps_search_space *space, const double *point, size_t *arm,
                           double *x);

// Returns whether the point satisfies the ranges of its parameters, the rules of the experiment and the
// kernel's check.
bool pps_search_space_allows(const struct pps_search_space *space, const double *point);
