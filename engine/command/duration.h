// SPDX-License-Identifier: Apache-2.0
// Parses durations on the command line.
#ifndef PPS_ENGINE_COMMAND_DURATION_H
#define PPS_ENGINE_COMMAND_DURATION_H

#include "engine/command/command.h"

// Reads the option --name in seconds, written as 90, 90s, 1.5h, 1h30m or 2d. Leaves *seconds
// unchanged if the option is not given. Returns PPS_E_INPUT for other texts and for 0.
PPS_MUST_CHECK enum pps_status pps_arg_duration(const struct pps_args *args, const char *name,
                                                double *seconds, struct pps_error *err);

#endif
