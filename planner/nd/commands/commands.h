// SPDX-License-Identifier: Apache-2.0
// Declares the commands of the planner: nd, nd rank, nd pipeline and nd calibrate.
#ifndef PPS_PLANNER_ND_COMMANDS_COMMANDS_H
#define PPS_PLANNER_ND_COMMANDS_COMMANDS_H

#include "engine/command/command.h"

extern const struct pps_command *const nd_tools[]; // ended with NULL

extern const struct pps_command nd_rank_command;
extern const struct pps_command nd_pipeline_command;
extern const struct pps_command nd_calibrate_command;

#endif
