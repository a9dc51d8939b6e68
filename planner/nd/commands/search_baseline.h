// SPDX-License-Identifier: Apache-2.0
// Finds the strategy with which a search compares its results.
#pragma once

#include "kernels/common/pipeline/poll.h"
#include "planner/nd/input/search_options.h"
#include "planner/nd/strategies/search.h"

struct nd_base {
    bool has;
    const char
        *label; // of its row: "mine" for the training of a document, "base" for --baseline
    struct nd_candidate candidate;
    const char *recompute; // a constant
    bool fits;
};

// Finds and evaluates the baseline: the strategy of --baseline, else the training that a document sets.
// Filters may reject it, but it must be one that can run; a training of a document that cannot is
// reported and skipped.
PPS_MUST_CHECK enum pps_status nd_baseline_find(const struct nd_search *search,
                                                struct nd_job *job, const struct pps_args *args,
                                                struct poll *poll, struct nd_base *base,
                                                struct pps_error *err);
