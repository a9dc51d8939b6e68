// SPDX-License-Identifier: Apache-2.0
// What `ppsweep nd` writes: its candidates, and plans of what to profile.
#ifndef PPS_NDSEARCH_TOOLFILES_H
#define PPS_NDSEARCH_TOOLFILES_H

#include "kernels/ndsearch/search/profile.h"
#include "kernels/ndsearch/search/search.h"
#include "tooljob.h"

#include "engine/tool.h"

// What is asked for, read before the search begins.
struct nd_files {
    const char *folder; // NULL: nothing is written
    bool force;
    bool profile; // choose configurations to profile
    struct nd_profile_options options;
};

PPS_MUST_CHECK enum pps_status nd_files_read(const struct nd_job *job,
                                             const struct pps_args *args,
                                             struct nd_files *files,
                                             struct pps_error *err);

// Chooses what to profile and prints it, then writes candidates and plans, all or none of them
// where one is in the way. fits: of dry runs, or with no groups.
PPS_MUST_CHECK enum pps_status nd_files_write(const struct nd_files *files,
                                              const struct nd_job *job,
                                              const struct nd_search *search,
                                              const struct nd_search_result *result,
                                              const struct nd_epfit_result *fits,
                                              struct pps_error *err);

#endif
