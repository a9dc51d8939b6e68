// SPDX-License-Identifier: Apache-2.0
// Pattern search lowers a function without its derivatives: it asks for the values at a fixed distance
// from the best point in every direction, moves to the best of them, and halves the distance where none is
// better (Hooke, Jeeves 1961; Torczon: On the convergence of pattern search algorithms; SIAM J. Optim. 7,
// 1997; Kolda, Lewis, Torczon: Optimization by direct search; SIAM Review 45, 2003). Directions are up and
// down each number, and from each weight to each other weight.
#pragma once

#include "engine/optimise/search_space.h"

#include <stddef.h>

struct pps_pattern {
    const struct pps_domain *domain;
    double centre[PPS_MOST_COORDINATES], value, step;
};

// Starts at a point of the domain with a known value, which may be INFINITY.
void pps_pattern_begin(struct pps_pattern *pattern, const struct pps_domain *domain,
                       const double *x, double value, double step);

// Returns the number of points of the next request; 0: the search has ended, as its step is below every
// grain.
size_t pps_pattern_size(const struct pps_pattern *pattern);

// Writes the points: x[i * pps_domain_size + c].
void pps_pattern_ask(const struct pps_pattern *pattern, double *x);

// Takes the points of the request with their values. Of equal values the first counts.
void pps_pattern_tell(struct pps_pattern *pattern, const double *x, const double *values);
