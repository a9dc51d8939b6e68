// SPDX-License-Identifier: Apache-2.0
// Finds the best evaluated places of every group, apart from each other.
#pragma once

#include "engine/optimise/evaluation.h"
#include "engine/optimise/search_space.h"

#include <stdbool.h>
#include <stddef.h>

enum { PPS_EQUAL_PLACES = 3 }; // of one value: more would all lie on one plateau

struct pps_place {
    size_t arm;
    double x[PPS_MOST_COORDINATES], value;
};

// Of each group of arms the `most` best places, from most * group on; n[group] of them, the best first. Arms
// without coordinates have no places.
struct pps_best_places {
    struct pps_place *list;
    size_t *n;
    size_t most;
};

// `apart`: the largest difference of a coordinate that makes two places of an arm one. The caller closes `places` in
// every case.
PPS_MUST_CHECK enum pps_status pps_best_places_open(struct pps_best_places *places,
                                                    const struct pps_evaluation *evaluation,
                                                    struct pps_search_space *space, size_t most,
                                                    double apart, struct pps_error *err);
void pps_best_places_close(struct pps_best_places *places);

// Adds the points at a distance of every place in every direction of a pattern search; false without memory.
bool pps_best_places_around(const struct pps_best_places *places,
                            const struct pps_search_space *space, double step,
                            struct pps_search_batch *batch);

// Returns the most points around a place of any arm.
size_t pps_most_directions(const struct pps_search_space *space);
