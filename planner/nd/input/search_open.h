// SPDX-License-Identifier: Apache-2.0
// Opens the search for strategies of the documents and options that were read.
#ifndef PPS_PLANNER_ND_INPUT_SEARCH_OPEN_H
#define PPS_PLANNER_ND_INPUT_SEARCH_OPEN_H

#include "planner/nd/input/search_options.h"
#include "planner/nd/strategies/search.h"

// A search with its memory. The search points into it: do not copy or move it.
struct nd_open_search {
    struct nd_search search;
    struct nd_estimate estimate;
    struct nd_origmem origmem;
};

// Opens a search that keeps the `top` fastest candidates. The space and the filters of the job have
// been read, and the job must outlive the search. After an error there is nothing to
// close.
PPS_MUST_CHECK enum pps_status nd_search_open(struct nd_open_search *open,
                                              const struct nd_job *job,
                                              size_t top,
                                              struct pps_error *err);
void nd_search_close(struct nd_open_search *open); // a zeroed struct is allowed

#endif
