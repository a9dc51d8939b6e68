// SPDX-License-Identifier: Apache-2.0
// A batch of places of a search space, to be evaluated together.
#ifndef PPS_ENGINE_OPTIMISE_SEARCH_BATCH_H
#define PPS_ENGINE_OPTIMISE_SEARCH_BATCH_H

#include "engine/optimise/search_space.h"

#include <stdbool.h>
#include <stddef.h>

// A zeroed one is empty.
struct pps_search_batch {
    double *x;      // coordinates: PPS_MOST_COORDINATES each
    double *points; // PPS_MAX_PARAMS each
    double *values; // of the evaluation
    size_t *number, *arm;
    size_t n, room;
};

// Makes room for n places; false without memory.
bool pps_search_batch_reserve(struct pps_search_batch *batch, size_t n);

// Adds a place of an arm; false without memory.
bool pps_search_batch_add(struct pps_search_batch *batch,
                          const struct pps_search_space *space,
                          size_t arm,
                          const double *x);

void pps_search_batch_free(struct pps_search_batch *batch);

#endif
