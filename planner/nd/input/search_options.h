// SPDX-License-Identifier: Apache-2.0
// Reads the job of `ppsweep nd` from the command line: the training run, the search space and
// its filters.
#ifndef PPS_PLANNER_ND_INPUT_SEARCH_OPTIONS_H
#define PPS_PLANNER_ND_INPUT_SEARCH_OPTIONS_H

#include "engine/command/command.h"
#include "planner/nd/strategies/filters.h"
#include "planner/shared/plan_run.h"

struct nd_job {
    struct plan_run run;
    bool fsdp; // --preset fsdp: the space of preset zero, parameters sharded
    struct nd_switches vary;
    struct nd_space space;
    struct nd_filters filters;
};

// Reads the named documents, and the options that override them. After an error there is
// nothing to close.
PPS_MUST_CHECK enum pps_status nd_job_open(struct nd_job *job,
                                           const struct pps_args *args,
                                           struct pps_error *err);
void nd_job_close(struct nd_job *job);

// Builds the search space and edits its filters.
PPS_MUST_CHECK enum pps_status nd_job_space(struct nd_job *job,
                                            const struct pps_args *args,
                                            struct pps_error *err);

#endif
