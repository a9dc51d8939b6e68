// SPDX-License-Identifier: Apache-2.0
// Searches the best point of an experiment between and beyond the values that it lists. The grid comes
// first if it is small enough, then pattern searches from the best points of the best arms, then finer steps
// around the best points, then pattern searches from the best places, then CMA-ES with restarts (Auger,
// Hansen: A restart CMA evolution strategy with increasing population size; CEC 2005). Each group of arms
// with the same amount of work has its own searches. All requests of a round are one batch, so all threads
// have work, and the points do not depend on the number of threads.
#pragma once

#include "engine/optimise/evaluation.h"
#include "engine/optimise/search_space.h"

#include <stdint.h>

enum {
    PPS_BEST_EVALUATIONS = 4000,
    PPS_BEST_GRID = 10000,
    PPS_BEST_STEPS = 5, // finer steps that are tried, each half of the one before
};

struct pps_best_group {
    size_t best;        // number of the best evaluated point; SIZE_MAX: none is feasible
    size_t grid_best;   // of the grid; SIZE_MAX: none, or the grid was not evaluated
    size_t equal;       // evaluated points with the best value
    uint64_t patterns;  // pattern searches
    uint64_t restarts;  // of CMA-ES
    size_t starts_used; // private
};

struct pps_best_search {
    struct pps_evaluation *evaluation;
    struct pps_search_space *space;
    uint64_t evaluations; // besides the grid
    uint64_t most_grid;   // largest grid to evaluate
    uint64_t seed;
    // Called after each batch; or NULL.
    void (*watch)(void *self, const struct pps_best_search *search);
    void *self;
    // Since pps_best_search_run:
    uint64_t grid; // points of the grid that were evaluated or refused; 0: it was not
    struct pps_best_group *groups; // space->groups.n
    size_t refined;            // best points of each group around which finer steps were tried
    struct pps_starts *starts; // private: best coordinates of each arm
    const struct pps_best_places *places; // private: where pattern searches begin
};

// Returns the first of the finer steps, as a part of the range of a parameter.
double pps_best_first_step(const struct pps_best_search *search);

// Runs the search; the evaluation is open. Returns PPS_E_STOPPED after a stop. The caller calls
// pps_best_search_free in every case.
PPS_MUST_CHECK enum pps_status pps_best_search_run(struct pps_best_search *search,
                                                   struct pps_error *err);
void pps_best_search_free(struct pps_best_search *search);

// Returns a hash of the text that identifies a search, for the name of its result.
uint64_t pps_search_hash(const char *identity);
