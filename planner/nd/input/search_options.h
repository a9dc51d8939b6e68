// SPDX-License-Identifier: Apache-2.0
// Reads the job of `ppsweep nd` from the command line: the training run, the search space and
// its filters.
#pragma once

#include "engine/command/command.h"
#include "planner/nd/strategies/filters.h"
#include "planner/nd/strategies/search.h"
#include "planner/shared/plan_run.h"

// Returns whether context parallelism is searched without being asked for.
static inline bool nd_is_long(const struct modeldesc *model)
{
    return model->seq_length >= 32768;
}

struct nd_job {
    struct plan_run run;
    bool fsdp; // --preset fsdp: the space of preset zero, parameters sharded
    struct nd_switches vary;
    struct nd_space space;
    struct nd_filters filters;
};

// Reads the named documents, and the options that override them. After an error there is
// nothing to close.
PPS_MUST_CHECK enum pps_status nd_job_open(struct nd_job *job, const struct pps_args *args,
                                           struct pps_error *err);
void nd_job_close(struct nd_job *job);

// Builds the search space and edits its filters.
PPS_MUST_CHECK enum pps_status nd_job_space(struct nd_job *job, const struct pps_args *args,
                                            struct pps_error *err);

// ---- search open --------------------------------------------------------------------------------

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
                                              const struct nd_job *job, size_t top,
                                              struct pps_error *err);
void nd_search_close(struct nd_open_search *open); // a zeroed struct is allowed
