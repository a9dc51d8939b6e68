// SPDX-License-Identifier: Apache-2.0
// Finds the strategy with which a search compares its results.
#ifndef PPS_PLANNER_ND_COMMANDS_SEARCH_BASELINE_H
#define PPS_PLANNER_ND_COMMANDS_SEARCH_BASELINE_H

#include "planner/nd/input/search_options.h"
#include "planner/nd/strategies/search.h"

// Sets *base to the baseline, stored in *room: the strategy of --baseline, else the strategy of a
// document; NULL: none. Filters may reject the strategy, but it must be one that can be evaluated. A
// strategy of a document that cannot run is reported and skipped.
PPS_MUST_CHECK enum pps_status nd_baseline_find(const struct nd_search *search,
                                                const struct nd_job *job,
                                                const struct pps_args *args,
                                                struct nd_strategy *room,
                                                const struct nd_strategy **base,
                                                struct pps_error *err);

#endif
