// SPDX-License-Identifier: Apache-2.0
// Selects the strategies that `nd rank` solves: the strategies of a table, or the fastest of a
// search.
#pragma once

#include "planner/nd/input/search_options.h"

#include "engine/command/command.h"

struct nd_picks {
    struct nd_strategy *strategies; // mbs 0: not in the table
    int64_t n;
    bool searched; // strategies of a search, which has chosen their micro-batch sizes
};

// Reads --candidates or --nd-path: a table with dp, tp, pp, ep and optionally cp, op, sp, mbs; or the
// strategies of the configurations in a folder (also --files-dir and --yaml-path).
// Without a table, searches the space and takes the --search fastest tuples (dp, tp, cp, pp, ep,
// op). After an error there is nothing to close.
PPS_MUST_CHECK enum pps_status nd_picks_open(struct nd_picks *picks, struct nd_job *job,
                                             const struct pps_args *args,
                                             struct pps_error *err);
void nd_picks_close(struct nd_picks *picks); // a zeroed struct is allowed
