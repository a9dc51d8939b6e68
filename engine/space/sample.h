// SPDX-License-Identifier: Apache-2.0
// A sample of a space replaces the numbered grid by `count` draws. Draw k is computed from k
// alone. Rows are in the order of the draws.
//
// random: points of the numbered grid in random order, each at most once. Continuous axes and
// axes that depend on one are not part of that grid: they are drawn again for each row, and the
// grid of the other axes may be traversed several times, each time in another order. A longer
// sample begins with the draws of a shorter one.
//
// lhs: a Latin hypercube. Every axis is cut into `count` strata, and each stratum of each axis
// has one draw.
//
// sobol: points of a scrambled Sobol' sequence, one dimension per axis, outermost first. A
// longer sample begins with the draws of a shorter one.
//
// saltelli, morris: designs for `ppsweep sensitivity`; `count` groups of draws (sample_design.h).
//
// With lhs, sobol and saltelli an axis of L values takes number floor(u L), with u in [0, 1); L may
// depend on the axes before it. Points may occur twice. A draw is skipped if an axis has no
// value there.
#pragma once

#include "base/math/permutation.h"
#include "base/text/status.h"
#include "engine/space/space.h"

#include <stdbool.h>
#include <stdint.h>

enum pps_sample_method {
    PPS_SAMPLE_RANDOM,
    PPS_SAMPLE_SOBOL,
    PPS_SAMPLE_LHS,
    PPS_SAMPLE_SALTELLI,
    PPS_SAMPLE_MORRIS,
};

extern const char *const pps_sample_methods[]; // names of the methods, ended with NULL

struct pps_sobol;

struct pps_sample {
    enum pps_sample_method method;
    uint64_t count; // number of draws; of a design: of groups of draws
    uint64_t seed;

    // Derived by pps_sample_prepare.
    // the axes that are not continuous and do not depend on a continuous axis
    struct pps_space grid;
    int outer[PPS_MAX_AXES];        // index in the space of each axis of the grid
    bool is_floating[PPS_MAX_AXES]; // the axis of the space is not in the grid
    bool any_floating;
    uint64_t n_grid;                // points of the grid; 0: too many to count (lhs, sobol)
    struct pps_permutation order;   // of the grid
    struct pps_permutation *strata; // lhs: one per axis
    struct pps_sobol *sobol;
    // of a design (sample_design.h)
    int n_factors;
    int factors[PPS_MAX_AXES];   // index in the space of each factor
    int factor_of[PPS_MAX_AXES]; // of each axis of the space; -1: none
    uint64_t group;              // draws of a group
};

// Prepares the draws of a space whose axes, live masks and highest values are set, and sets its
// n_points. Returns PPS_E_INPUT (no place) if the sample requests more points than there are.
PPS_MUST_CHECK enum pps_status pps_sample_prepare(struct pps_space *space,
                                                  struct pps_error *err);
void pps_sample_free(struct pps_sample *sample); // NULL is fine

// Moves the cursor, whose space and index are set, to the draw of that index.
void pps_sample_place(struct pps_cursor *cursor);
