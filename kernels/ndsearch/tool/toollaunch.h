// SPDX-License-Identifier: Apache-2.0
// `ppsweep nd --launch`: a chosen strategy in a framework's words.
#ifndef PPS_NDSEARCH_TOOLLAUNCH_H
#define PPS_NDSEARCH_TOOLLAUNCH_H

#include "kernels/ndsearch/search/search.h"
#include "tooljob.h"

// Whether --launch is given, and fits --row and --at.
PPS_MUST_CHECK enum pps_status nd_launch_asked(const struct pps_args *args,
                                               bool *asked,
                                               struct pps_error *err);

// Prints the strategy of --at, or of --row of the result's best (1).
PPS_MUST_CHECK enum pps_status nd_launch_print(const struct nd_job *job,
                                               const struct nd_search *search,
                                               const struct nd_search_result *result,
                                               const struct pps_args *args,
                                               struct pps_error *err);

#endif
