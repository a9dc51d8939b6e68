// SPDX-License-Identifier: Apache-2.0
// Writes the candidates of `ppsweep nd` and the configurations to profile.
#pragma once

#include "base/write/gate.h"
#include "planner/nd/input/search_options.h"
#include "planner/nd/profiling/profile.h"
#include "planner/nd/strategies/search.h"

#include "engine/command/command.h"

// The requested files, read from the options before the search starts.
struct nd_files {
    const char *folder; // NULL: nothing is written
    const struct pps_gate *gate;
    bool profile; // choose configurations to profile
    struct nd_profile_options options;
};

PPS_MUST_CHECK enum pps_status nd_files_read(const struct nd_job *job,
                                             const struct pps_args *args,
                                             struct nd_files *files, struct pps_error *err);

// Chooses and prints the configurations to profile, then writes candidates and configurations.
// Writes no file if the gate refuses one of them. fits: of the dry runs; may have no groups.
PPS_MUST_CHECK enum pps_status nd_files_write(const struct nd_files *files,
                                              const struct nd_job *job,
                                              const struct nd_search *search,
                                              const struct nd_search_result *result,
                                              const struct nd_epfit_result *fits,
                                              struct pps_error *err);
