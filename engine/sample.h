// SPDX-License-Identifier: Apache-2.0
// A sample of a space: the list of points is not the numbered grid but `count` draws, of which
// draw k is computed from k alone. Rows stand in the order of the draws.
//
// random: points of the numbered grid in a random order, none of them twice. Continuous axes and
// those that depend on one are no part of that grid: they are drawn for each row anew, and the
// grid of the other axes may be gone through several times, in an order of its own each time.
// The first draws of a sample are those of a shorter one.
//
// lhs: a Latin hypercube. Every axis is cut into `count` strata, and each stratum of each axis
// has one draw.
//
// sobol: points of a scrambled Sobol' sequence, a dimension an axis, outermost first. The first
// draws of a sample are those of a shorter one.
//
// Under lhs and sobol an axis of L values takes number floor(u L), with u in [0, 1); L may depend
// on the axes before it. Points may come twice. An axis that has no value at a draw leaves it out.
#ifndef PPS_SAMPLE_H
#define PPS_SAMPLE_H

#include "permutation.h"
#include "space.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

enum pps_sample_method {
    PPS_SAMPLE_RANDOM,
    PPS_SAMPLE_SOBOL,
    PPS_SAMPLE_LHS,
};

extern const char *const pps_sample_methods[]; // their names, ended with NULL

struct pps_sobol;

struct pps_sample {
    enum pps_sample_method method;
    uint64_t count; // of draws
    uint64_t seed;

    // Derived by pps_sample_prepare.
    struct pps_space grid;          // the axes that are neither continuous nor depend on one
    int outer[PPS_MAX_AXES];        // axis of the space that an axis of the grid is
    bool is_floating[PPS_MAX_AXES]; // an axis of the space is not in the grid
    bool any_floating;
    uint64_t n_grid; // points of the grid; 0: more than can be counted (lhs, sobol)
    struct pps_permutation order;   // of the grid
    struct pps_permutation *strata; // lhs: one an axis
    struct pps_sobol *sobol;
};

// Lays out the drawing of a space whose axes, live masks and highest values are set, and sets its
// n_points. PPS_E_INPUT (no place) where the sample asks for more than there is.
PPS_MUST_CHECK enum pps_status pps_sample_prepare(struct pps_space *space,
                                                  struct pps_error *err);
void pps_sample_free(struct pps_sample *sample); // NULL is fine

// Puts the cursor, whose space and index are set, on that draw.
void pps_sample_place(struct pps_cursor *cursor);

#endif
