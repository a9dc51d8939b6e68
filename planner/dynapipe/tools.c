// SPDX-License-Identifier: Apache-2.0
// Lists the dynaplan commands for `ppsweep --help` (engine/cli/tools.def).
#include "planner/dynapipe/commands.h"

#include <stddef.h>

extern const struct pps_command *const dynapipe_tools[];

const struct pps_command *const dynapipe_tools[] = {&dynaplan_command, &dynaplan_check_command,
                                                    &dynaplan_tables_command, NULL};
