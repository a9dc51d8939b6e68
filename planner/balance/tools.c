// SPDX-License-Identifier: Apache-2.0
// Lists the balance commands for `ppsweep --help` (engine/cli/tools.def).
#include "planner/balance/commands.h"

#include <stddef.h>

extern const struct pps_command *const balance_tools[];

const struct pps_command *const balance_tools[] = {&balance_command,
                                                   &balance_fit_command,
                                                   &balance_layers_command,
                                                   &balance_guide_command,
                                                   &balance_peaks_command,
                                                   &balance_replay_command,
                                                   NULL};
