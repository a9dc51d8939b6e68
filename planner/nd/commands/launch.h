// SPDX-License-Identifier: Apache-2.0
// `ppsweep nd --launch` prints a strategy as arguments of a training framework.
#pragma once

#include "planner/nd/input/search_options.h"
#include "planner/nd/strategies/search.h"

// Sets *requested to whether --launch is given. Refuses unknown frameworks and options that conflict.
PPS_MUST_CHECK enum pps_status nd_launch_requested(const struct pps_args *args, bool *requested,
                                                   struct pps_error *err);

// Prints the strategy that --at names, or that --row selects among the best of the result (row 1 by
// default), to stdout.
PPS_MUST_CHECK enum pps_status nd_launch_print(const struct nd_job *job,
                                               const struct nd_search *search,
                                               const struct nd_search_result *result,
                                               const struct pps_args *args,
                                               struct pps_error *err);
