// SPDX-License-Identifier: Apache-2.0
// Declares the commands balance, balance fit and balance replay.
#ifndef PPS_PLANNER_BALANCE_COMMANDS_H
#define PPS_PLANNER_BALANCE_COMMANDS_H

#include "engine/command/command.h"

extern const struct pps_command balance_command, balance_fit_command, balance_replay_command;

#endif
