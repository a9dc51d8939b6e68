// SPDX-License-Identifier: Apache-2.0
// The variants of `ppsweep schedule judge`: the published project (--compat orig) and the grid of
// docs/schedule-learning.md (--protocol).
#ifndef PPS_EXTRAS_JUDGE_VARIANTS_H
#define PPS_EXTRAS_JUDGE_VARIANTS_H

#include "base/text/status.h"
#include "extras/judge/published.h"

#define JUDGE_VARIANT_OPTIONS                                                                  \
    {"protocol", 0, NULL,                                                                      \
     "the grid of docs/schedule-learning.md: lists of -p, levels, outliers"},                  \
        {"compat", 0, "NAME", "orig: the published experiment, greedy against PPO (none)"},    \
        PUBLISHED_OPTIONS

// Runs a variant if the options select one. *ran: false: they do not. Options that the variant does not use
// are refused.
PPS_MUST_CHECK enum pps_status judge_variant(const struct pps_args *args,
                                             bool *ran,
                                             struct pps_error *err);

#endif
