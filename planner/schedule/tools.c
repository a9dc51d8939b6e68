// SPDX-License-Identifier: Apache-2.0
// Lists the schedule commands for `ppsweep --help` (engine/cli/tools.def).
#include "planner/schedule/commands.h"

#include <stddef.h>

extern const struct pps_command *const schedule_tools[];

const struct pps_command *const schedule_tools[] = {&schedule_command, &schedule_check_command,
                                                    NULL};
