// SPDX-License-Identifier: Apache-2.0
// The points of an experiment, each with its number, in an order in which they are found.
#pragma once

#include "engine/experiment/experiment.h"

struct numbered_point {
    double point[PPS_MAX_PARAMS];
    uint64_t number;
};

struct numbered_points {
    struct numbered_point *sorted;
    size_t n;
};

// Seeks all points of an experiment and leaves out those with a value that its parameter refuses. The caller
// frees points.sorted.
struct numbered_points points_of_experiment(const struct pps_experiment *experiment);

// Returns the point with these values of all parameters, or NULL.
const struct numbered_point *points_find(const struct numbered_points *points,
                                         const double *point);

// Returns whether no two points have the same values.
bool points_differ(const struct numbered_points *points);
