// SPDX-License-Identifier: Apache-2.0
// Lists the commands that measure for `ppsweep --help` (engine/cli/tools.def).
#include "planner/measure/measure.h"

#include <stddef.h>

extern const struct pps_command *const measure_tools[];

const struct pps_command *const measure_tools[] = {&measure_command, &measure_device_command,
                                                   NULL};
