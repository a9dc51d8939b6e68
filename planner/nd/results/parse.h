// SPDX-License-Identifier: Apache-2.0
// Declares the command that reads logs and profiles of runs: nd parse.
#ifndef PPS_PLANNER_ND_RESULTS_PARSE_H
#define PPS_PLANNER_ND_RESULTS_PARSE_H

#include "engine/command/command.h"

extern const struct pps_command nd_parse_command;

#endif
