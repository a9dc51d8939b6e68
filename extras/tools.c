// SPDX-License-Identifier: Apache-2.0
// Lists the commands of extras for `ppsweep --help` (engine/cli/tools.def).
#include "extras/commands.h"

#include <stddef.h>

extern const struct pps_command *const extras_tools[];

const struct pps_command *const extras_tools[] = {&schedule_judge_command,
                                                  &schedule_learn_command, NULL};
