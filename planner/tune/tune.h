// SPDX-License-Identifier: Apache-2.0
// The command tune, for the list of all commands.
#ifndef PPS_PLANNER_TUNE_TUNE_H
#define PPS_PLANNER_TUNE_TUNE_H

#include "engine/command/command.h"

extern const struct pps_command tune_command;
extern const struct pps_command *const tune_tools[];

#endif
