// SPDX-License-Identifier: Apache-2.0
// Lists the nd commands for `ppsweep --help` (engine/cli/tools.def).
#include "planner/nd/commands/commands.h"
#include "planner/nd/results/parse.h"
#include "planner/nd/runs/commands.h"
#include "planner/nd/workflow/auto.h"

#include <stddef.h>

extern const struct pps_command *const nd_tools[];

const struct pps_command *const nd_tools[] = {&nd_command,           &nd_search_command,
                                              &nd_rank_command,      &nd_pipeline_command,
                                              &nd_auto_command,      &nd_dryrun_command,
                                              &nd_profile_command,   &nd_parse_command,
                                              &nd_calibrate_command, NULL};
