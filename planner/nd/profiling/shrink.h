// SPDX-License-Identifier: Apache-2.0
// Reduces one candidate to the devices available for profiling, by the rules of each style.
#ifndef PPS_PLANNER_ND_PROFILING_SHRINK_H
#define PPS_PLANNER_ND_PROFILING_SHRINK_H

#include "planner/nd/profiling/profile.h"

enum nd_reduction {
    ND_REDUCED,
    ND_REJECTED, // the rule has no smaller configuration for it
    ND_DIVIDED,  // by zero; orig only
};

enum nd_reduction nd_reduce(const struct nd_profile_options *options,
                            const struct nd_strategy *candidate,
                            struct nd_profile_run *profile);

#endif
