// SPDX-License-Identifier: Apache-2.0
// Runs the search: walks the survivors of the filters, estimates the memory and step time of each,
// and keeps the candidates.
#pragma once

#include "kernels/common/estimate/estimate.h"
#include "planner/nd/strategies/candidates.h"
#include "planner/nd/strategies/expert_fit.h"
#include "planner/nd/strategies/filters.h"
#include "planner/nd/strategies/published_memory.h"
#include "planner/nd/strategies/walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Const while the search runs.
struct nd_search {
    const struct nd_space *space; // orig: memory as published, no times
    const struct nd_filters *filters;
    const struct nd_estimate *estimate;
    struct nd_cache *cache;
    const struct nd_origmem *origmem; // where the space is orig
    int64_t seq_length;
    double limit_mb;                    // memory that a device may use, MiB
    const struct nd_epfit_result *fits; // measured peaks take the place of estimates; or NULL
    bool all_points; // a candidate for each point; otherwise the quickest of each tuple
    size_t top;      // how many of the quickest to keep
};

struct nd_search_result {
    uint64_t points_fit;             // survivors that fit their devices
    struct nd_candidate *candidates; // in the order of nd_candidates_sort
    size_t n;
    struct nd_best best;       // the fastest candidates; orig: candidates of least memory
    struct nd_candidate least; // of all survivors the one that needs the least memory, where
    bool has_least;            // there is a survivor
};

// Returns false when out of memory. The caller frees the result with nd_search_free() in every
// case.
bool nd_search_run(const struct nd_search *search, struct nd_search_result *result);
void nd_search_free(struct nd_search_result *result);

// Evaluates one strategy like the search, even if it does not survive: memory with and without
// recompute, the least recompute that fits (else that of least memory), and the step time with that
// recompute.
struct nd_candidate nd_search_evaluate(const struct nd_search *search,
                                       const struct nd_strategy *strategy);

// Returns whether the strategy can be evaluated on these devices: it uses all of them, and every
// replica has a micro-batch, every chunk a layer, every rank an expert. Survivors of the default
// filters can; a strategy from the command line may not.
bool nd_search_can(const struct nd_search *search, const struct nd_strategy *strategy);

// Returns whether the candidate's memory is within the limit.
bool nd_search_fits(const struct nd_search *search, const struct nd_candidate *candidate);
