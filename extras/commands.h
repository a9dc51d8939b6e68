// SPDX-License-Identifier: Apache-2.0
// Declares the commands schedule judge and schedule learn.
#ifndef PPS_EXTRAS_COMMANDS_H
#define PPS_EXTRAS_COMMANDS_H

#include "engine/command/command.h"

extern const struct pps_command schedule_judge_command, schedule_learn_command;

#endif
