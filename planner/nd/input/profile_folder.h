// SPDX-License-Identifier: Apache-2.0
// Reads profile ratios from a folder of profiles, as `nd parse` writes them to a table.
#ifndef PPS_PLANNER_ND_INPUT_PROFILE_FOLDER_H
#define PPS_PLANNER_ND_INPUT_PROFILE_FOLDER_H

#include "base/text/status.h"
#include "planner/figures/ratios.h"

#include <stdbool.h>

// Returns whether the path is a folder.
bool nd_is_profile_folder(const char *path);

// Reads the profiles of all runs in the folder (planner/profiles). Of several runs of the same
// configuration the first counts. Prints notes about profiles to stderr, unless quiet. PPS_E_INPUT: no
// run has layer times. After an error there is nothing to free.
PPS_MUST_CHECK enum pps_status nd_profile_folder_read(struct nd_profiles *profiles,
                                                      const char *folder,
                                                      bool quiet,
                                                      struct pps_error *err);

#endif
